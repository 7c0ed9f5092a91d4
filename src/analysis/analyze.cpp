#include "analysis/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>

#include "analysis/analyze_windows.h"
#include "analysis/feed.h"
#include "analysis/limited.h"
#include "analysis/one_pass.h"
#include "analysis/pipeline.h"
#include "analysis/race_log.h"
#include "base/assert.h"
#include "filter/chain.h"
#include "model/well_formed.h"

namespace deadheat::analysis {

namespace {

struct Running {
  std::unique_ptr<engine::Engine> engine;
  std::vector<RaceLog> logs;
};

// What reading says names the file already.
Error located(Error error, const std::string& path) {
  return error.message.starts_with(path + ":") ? std::move(error) : std::move(error).in(path);
}

engine::Shape shape_for(unsigned jobs) {
  if (jobs <= 1) return {};
  return {.sharding = {.bits = static_cast<std::uint32_t>(std::bit_width(jobs - 1))}, .slots = 2 * jobs + 2};
}

std::vector<FilterRun> runs_of(const std::vector<filter::Choice>& choices, const filter::Chain& chain) {
  std::vector<FilterRun> runs;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const filter::Chain::Link& link = chain.links()[i];
    runs.push_back({choices[i].name(), choices[i].row, link.seen, link.kept, link.filter->counters(),
                    link.filter->bytes()});
  }
  return runs;
}

}  // namespace

Status check_filters(const AnalyzeOptions& options) {
  for (const filter::Choice& filter : options.filters) {
    for (const engine::Choice& engine : options.engines) {
      const std::string_view reason = filter.row->refuses(*engine.row);
      if (reason.empty()) continue;
      return fail({Error::Kind::usage,
                   fmt::format("{} cannot stand before {}: {}", filter.row->name, engine.row->name, reason)});
    }
  }
  if (const auto windows = choice_of_windows(options); !windows) return fail(windows.error());
  return {};
}

namespace {

Result<Findings> analyze_whole(const std::string& path, const AnalyzeOptions& options);

AnalyzeOptions without_windows(AnalyzeOptions options) {
  std::erase_if(options.filters, [](const filter::Choice& choice) { return choice.is_of_windows(); });
  return options;
}

Result<Findings> analyze_some(const std::string& path, const AnalyzeOptions& options,
                              const filter::Choice& choice) {
  const auto windows = choice.windows();
  if (!windows) return fail(windows.error());
  auto source = open_source(path, options.read);
  if (!source) return fail(source.error());
  WindowsRun about{.name = choice.name(), .plan = {}, .places = {}};
  auto* const reader = dynamic_cast<TraceReader*>(source->get());
  std::optional<Findings> findings;
  if (reader != nullptr && reader->complete()) {
    auto found = analyze_windows(path, *reader, options, *windows, about);
    if (!found) return fail(std::move(found).error().in(path));
    if (!*found) {
      auto all = analyze_whole(path, without_windows(options));
      if (!all) return fail(all.error());
      about.windows = 1;
      about.events = all->events;
      found->emplace(std::move(*all));
    }
    findings = std::move(*found);
    declare(*findings, reader->completeness());
  } else if (windows->budget_s > 0) {
    return fail({Error::Kind::usage, fmt::format("{}: {} reads a trace several times, in part; this one can "
                                                 "only be read as a whole: convert it to a .dht first",
                                                 path, choice.name())});
  } else {
    auto found = analyze_one_pass(**source, options, *windows, about);
    if (!found) return fail(std::move(found).error().in(path));
    findings = std::move(*found);
    findings->warnings = (*source)->warnings();
    declare(*findings, (*source)->completeness());
    findings->read_once = std::move(*source);
  }
  findings->windows = std::move(about);
  return std::move(*findings);
}

}  // namespace

Result<Findings> analyze(const std::string& path, const AnalyzeOptions& options) {
  if (auto fit = check_filters(options); !fit) return fail(fit.error());
  const auto windows = choice_of_windows(options);
  if (!windows) return fail(windows.error());
  return *windows != nullptr ? analyze_some(path, options, **windows) : analyze_whole(path, options);
}

namespace {

Result<Findings> analyze_whole(const std::string& path, const AnalyzeOptions& options) {
  DEADHEAT_ASSERT(options.also == nullptr || options.jobs == 1, "it is told by one thread");
  const engine::Shape shape = shape_for(options.jobs);
  std::vector<Running> running;
  unsigned passes = 1;
  for (const engine::Choice& choice : options.engines) {
    auto engine = choice.make(shape);
    if (!engine) return fail(engine.error());
    const auto until = choice.row->grade == engine::Grade::candidate ? options.suspect_until
                                                                     : Limited::Clock::time_point::max();
    if (options.most_bytes != UINT64_MAX || until != Limited::Clock::time_point::max()) {
      *engine = std::make_unique<Limited>(std::move(*engine), options.most_bytes, until,
                                          choice.row->grade == engine::Grade::candidate ? 320 : 64);
    }
    const auto room = std::make_shared<std::atomic<std::uint64_t>>(options.most_races);
    running.push_back(
        {std::move(*engine), std::vector<RaceLog>(1 + shape.sharding.shards(), RaceLog(options.also, room))});
    passes = std::max(passes, choice.row->passes);
  }
  Findings findings;
  for (unsigned pass = 0; pass < passes; ++pass) {
    auto feed = Feed::open(path, options.read, shape.slots);
    if (!feed) return fail(feed.error());
    std::vector<Pipeline::Stage> stages;
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (options.engines[i].row->passes <= pass) continue;
      if (pass > 0) running[i].engine->next_pass();
      stages.push_back({running[i].engine.get(), &running[i].logs});
    }
    model::WellFormed rules(1);
    auto filters = filter::Chain::make(options.filters);
    if (!filters) return fail(filters.error());
    base::ProgressLine line("analyze", "events");
    Pipeline pipeline(**feed, *filters, std::move(stages), shape.sharding, shape.slots);
    pipeline.limit_threads(options.most_threads);
    auto ran = pipeline.run(options.jobs, rules, options.progress ? &line : nullptr);
    if (!ran) return fail(located(std::move(ran).error(), path));
    if (pass > 0) continue;
    findings.events = pipeline.events();
    findings.filters = runs_of(options.filters, *filters);
    findings.warnings = (*feed)->warnings();
    findings.completeness = (*feed)->completeness();
    if (const auto repeated = rules.total(model::Rule::fork_repeated); repeated > 0) {
      findings.warnings.push_back({"a fork follows the same fork; the second one was ignored", repeated});
    }
  }
  std::vector<RaceLog::Told> told;
  for (std::size_t i = 0; i < running.size(); ++i) {
    Running& run = running[i];
    run.engine->finish(run.logs[0]);
    EngineRun& about = findings.engines.emplace_back(EngineRun{
        options.engines[i].name(), options.engines[i].row, 0, run.engine->counters(), run.engine->bytes()});
    RaceLog::Told& of_engine = told.emplace_back(RaceLog::Told{{}, about.row->grade});
    for (const RaceLog& log : run.logs) {
      about.pairs += log.pairs();
      findings.pairs_not_kept += log.pairs_not_kept();
      of_engine.logs.push_back(&log);
    }
  }
  findings.races = RaceLog::put_together(told);
  declare(findings, Completeness(findings.completeness));
  return findings;
}

}  // namespace

}  // namespace deadheat::analysis
