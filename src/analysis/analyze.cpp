#include "analysis/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "base/progress.h"
#include "engine/sorted_block.h"
#include "model/well_formed.h"

namespace deadheat::analysis {

namespace {

class Groups final : public engine::RaceSink {
 public:
  explicit Groups(std::size_t engines) : pairs(engines), engines_(engines) {}

  void race(const model::RacePair& pair) override {
    ++pairs[engine];
    const auto place = [&](const model::Side& side) {
      return side.site == SiteId::none ? std::pair(1u, index(pair.variable))
                                       : std::pair(0u, index(side.site));
    };
    auto key = std::minmax({place(pair.earlier), place(pair.later)});
    Group& group = groups_[{key.first, key.second}];
    if (group.finding.instances.empty()) {
      group.finding.instances.resize(engines_);
      group.finding.first = pair;
    }
    if (std::pair(pair.later.event, pair.earlier.event) <
        std::pair(group.finding.first.later.event, group.finding.first.earlier.event)) {
      group.finding.first = pair;
    }
    ++group.finding.instances[engine];
    if (group.variables.size() < kVariablesCounted) group.variables.insert(index(pair.variable));
  }

  std::vector<Finding> findings() {
    std::vector<Finding> out;
    for (auto& [key, group] : groups_) {
      group.finding.variables = group.variables.size();
      out.push_back(group.finding);
    }
    std::ranges::sort(out, {}, [](const Finding& f) {
      return std::tuple(f.first.later.event, f.first.earlier.event, index(f.first.variable));
    });
    return out;
  }

  std::size_t engine = 0;
  std::vector<std::uint64_t> pairs;

 private:
  struct Group {
    Finding finding;
    std::set<std::uint32_t> variables;
  };
  using Place = std::pair<std::uint32_t, std::uint32_t>;
  std::size_t engines_;
  std::map<std::pair<Place, Place>, Group> groups_;
};

}  // namespace

Result<Findings> analyze(const std::string& path, const AnalyzeOptions& options) {
  auto source = open_source(path, options.read);
  if (!source) return fail(source.error());
  std::vector<std::unique_ptr<engine::Engine>> engines;
  for (const engine::Choice& choice : options.engines) {
    auto made = choice.make();
    if (!made) return fail(made.error());
    engines.push_back(std::move(*made));
  }
  Findings out;
  Groups groups(engines.size());
  model::WellFormed rules(1);
  engine::SortedBlock sorted;
  base::ProgressLine line("analyze", "events");
  while (true) {
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    if (*block == nullptr) break;
    rules.feed(**block);
    if (!rules.ok()) {
      const model::Violation& violation = rules.kept()[0];
      return input_error(fmt::format("{}: event {}: {}; deadheat check tells more", path,
                                     base::grouped(violation.at.number),
                                     describe(violation, (*source)->names())));
    }
    sorted.sort(**block);
    for (std::size_t i = 0; i < engines.size(); ++i) {
      groups.engine = i;
      engines[i]->order(sorted);
      engines[i]->check(sorted, 0, groups);
    }
    out.events += (*block)->size();
    const Progress progress = (*source)->progress();
    line.update(out.events, progress.done_bytes, progress.total_bytes);
  }
  for (std::size_t i = 0; i < engines.size(); ++i) {
    groups.engine = i;
    engines[i]->finish(groups);
    out.engines.push_back({options.engines[i].name(), options.engines[i].row, groups.pairs[i],
                           engines[i]->counters(), engines[i]->bytes()});
  }
  out.races = groups.findings();
  out.warnings = (*source)->warnings();
  return out;
}

}  // namespace deadheat::analysis
