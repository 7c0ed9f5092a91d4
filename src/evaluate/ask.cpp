#include "evaluate/ask.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include "analysis/analyze.h"
#include "analysis/portfolio.h"
#include "analysis/prove.h"

namespace deadheat::evaluate {

namespace {

using engine::Grade;
using labels::Truth;
using Json = nlohmann::json;

// Holds the pairs that an engine tells against the truth.
class Tally final : public engine::RaceSink {
 public:
  Tally(const Truth& truth, Grade grade, Run& run) : truth_(truth), grade_(grade), run_(run) {
    for (std::size_t i = 0; i < truth.pairs.size(); ++i) {
      known_.emplace(std::pair(truth.pairs[i].earlier, truth.pairs[i].later), i);
    }
  }

  void race(const model::RacePair& pair) override {
    // Wide accesses are told of in each cell in which they meet; all pairs of an access come in a row.
    if (pair.later.event != later_) earlier_.clear();
    later_ = pair.later.event;
    if (!earlier_.insert(pair.earlier.event).second) return;
    const auto at = known_.find({pair.earlier.event, pair.later.event});
    const bool is_known = at != known_.end();
    const bool is_race = is_known && truth_.pairs[at->second].race;
    if (is_known) run_.told[at->second] = grade_;
    ++run_.reports;
    if (!is_known && !truth_.complete) return;
    ++run_.judged;
    run_.wrong += is_race ? 0 : 1;
  }

 private:
  const Truth& truth_;
  Grade grade_;
  Run& run_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> known_;
  std::uint64_t later_ = UINT64_MAX;
  std::unordered_set<std::uint64_t> earlier_;
};

bool is_told_by(const analysis::Finding& finding, const LookedAt& pair) {
  const auto sites = std::minmax({index(finding.first.earlier.site), index(finding.first.later.site)});
  if (sites != std::minmax({pair.site1, pair.site2})) return false;
  const std::uint32_t cell = index(finding.first.variable);
  return sites.first != 0 || (cell >= pair.first_cell && cell <= pair.last_cell);
}

bool has_instance(const analysis::Finding& finding, const labels::Pair& pair) {
  const auto same = [&](const model::RacePair& instance) {
    return instance.earlier.event == pair.earlier && instance.later.event == pair.later;
  };
  return same(finding.first) || std::ranges::any_of(finding.others, same);
}

// Races as they are reported, each standing for all between its two places.
void judge(const analysis::Findings& findings, const Truth& truth, const std::vector<LookedAt>& pairs,
           Run& run) {
  for (const analysis::Finding& finding : findings.races) {
    const Grade grade = grade_of(finding, findings.engines);
    if (finding.refuted && grade == Grade::candidate) continue;
    ++run.reports;
    bool right = false, known = truth.complete;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (!(truth.pairs[i].race ? is_told_by(finding, pairs[i]) : has_instance(finding, truth.pairs[i])))
        continue;
      run.told[i] = std::max(run.told[i].value_or(grade), grade);
      right |= truth.pairs[i].race;
      known = true;
    }
    if (!known) continue;
    ++run.judged;
    run.wrong += right ? 0 : 1;
  }
  run.places = run.reports;
}

}  // namespace

Run ask(const Contestant& contestant, const labels::LabelledTrace& trace, const std::vector<LookedAt>& pairs,
        const ReadOptions& read) {
  Run run;
  run.told.resize(trace.truth.pairs.size());
  analysis::AnalyzeOptions options{.engines = contestant.engines, .read = read, .progress = false};
  std::optional<Tally> tally;
  if (contestant.as_analyze) {
    options.engines = analysis::portfolio_for(trace.path, read);
    options.most_bytes = analysis::kPortfolioBytes;
  } else {
    options.also = &tally.emplace(trace.truth, contestant.engines[0].row->grade, run);
  }
  auto findings = analysis::analyze(trace.path, options);
  Status proved;
  if (findings && contestant.as_analyze) {
    proved = analysis::prove(trace.path, *findings,
                             {.read = read, .time = contestant.time_for_proofs, .progress = false});
  }
  if (!findings || !proved) {
    run.why = findings ? proved.error().message : findings.error().message;
    return run;
  }
  run.end = End::done;
  if (contestant.as_analyze) {
    judge(*findings, trace.truth, pairs, run);
  } else {
    run.places = findings->races.size();
  }
  return run;
}

namespace {
constexpr std::string_view kLetters = "cdpo";  // of grades
}  // namespace

std::string as_message(const Run& run) {
  std::string told;
  for (const auto& grade : run.told) told += grade ? kLetters[static_cast<std::size_t>(*grade)] : '-';
  const Json json = {
      {"done", run.end == End::done}, {"why", run.why},       {"told", told},      {"reports", run.reports},
      {"places", run.places},         {"judged", run.judged}, {"wrong", run.wrong}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Run run_in(std::string_view message) {
  const Json json = Json::parse(message);
  Run run{.end = json["done"] ? End::done : End::failed,
          .why = json["why"],
          .told = {},
          .reports = json["reports"],
          .places = json["places"],
          .judged = json["judged"],
          .wrong = json["wrong"]};
  for (const char letter : json["told"].get<std::string>()) {
    const std::size_t grade = kLetters.find(letter);
    run.told.push_back(grade == std::string_view::npos ? std::nullopt
                                                       : std::optional(static_cast<Grade>(grade)));
  }
  return run;
}

}  // namespace deadheat::evaluate
