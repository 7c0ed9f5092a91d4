#include "cli/analyzing.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "analysis/portfolio.h"
#include "analysis/prove.h"
#include "base/shown.h"
#include "base/text_layout.h"
#include "cli/output.h"
#include "cli/readable_twice.h"
#include "report/site_set.h"

namespace deadheat::cli {

namespace {
constexpr std::uint64_t kMostJobs = 1024;
}  // namespace

Result<std::vector<engine::Choice>> engines_of(std::string_view verb, std::string_view names) {
  std::vector<engine::Choice> out;
  for (const std::string_view one : base::split(names, ',')) {
    auto choice = engine::choose(one);
    if (!choice) {
      // Samplers have names in the literature, too.
      const std::string_view name = engine::name_in(one);
      const bool samples = engine::find_row(name) == nullptr && filter::choose(name, filter::Role::sample);
      return usage_error(samples ? fmt::format("{}: --engine: {} is a sampler, which stands before an "
                                               "engine: --engine fasttrack --sample {}",
                                               verb, name, one)
                                 : fmt::format("{}: --engine: {}", verb, choice.error().message));
    }
    const auto same = [&](const engine::Choice& other) { return other.name() == choice->name(); };
    if (std::ranges::any_of(out, same)) {
      return usage_error(fmt::format("{}: --engine: {} is there twice", verb, choice->name()));
    }
    out.push_back(std::move(*choice));
  }
  return out;
}

ReadOptions read_options(const Arguments& arguments) {
  return {.literal_threads = arguments.has("literal-threads"), .skip_bad = arguments.has("skip-bad")};
}

Result<std::chrono::milliseconds> budget_of(const Arguments& arguments) {
  const auto seconds = arguments.seconds("budget", 0, 1e6);
  if (!seconds) return fail(seconds.error());
  return std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
}

Result<std::uint64_t> memory_of(const Arguments& arguments) {
  constexpr std::uint64_t kLeast = std::uint64_t{16} << 20;
  if (arguments.has("memory")) return arguments.number("memory", kLeast, UINT64_MAX);
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  std::uint64_t memory = pages > 0 && page > 0
                             ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 4
                             : 1 << 30;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    memory = std::min<std::uint64_t>(memory, limit.rlim_cur / 2);
  }
  if (arguments.has("untrusted")) memory = std::min(memory, std::uint64_t{1} << 30);
  return std::max(memory, kLeast);
}

bool wants_symbols(const Arguments& arguments) {
  return !arguments.has("no-symbols") && !arguments.has("untrusted");
}

Result<unsigned> jobs_of(const Arguments& arguments) {
  if (!arguments.has("jobs")) return std::max(1u, std::thread::hardware_concurrency());
  const auto jobs = arguments.number("jobs", 1, kMostJobs);
  if (!jobs) return fail(jobs.error());
  return static_cast<unsigned>(*jobs);
}

namespace {

// A race takes about so much, from the engine to the report. More races than this are of no use to anyone.
constexpr std::uint64_t kThreadBytes = 1400;  // names, clocks, and what engines keep of each
constexpr std::uint64_t kRaceBytes = 2500, kMostRaces = std::uint64_t{1} << 19;

Result<analysis::Circumstances> circumstances_of(const std::string& path,
                                                 const analysis::AnalyzeOptions& options,
                                                 const analysis::Findings& findings, const Wishes& wishes) {
  const bool in_part = findings.windows && !findings.windows->whole;
  if (in_part && !wishes.full_context) {
    return analysis::circumstances_in_windows(path, options.read, findings);
  }
  return analysis::circumstances_of(path, options.read, findings.races);
}

// All names, before events flow. Text has them only where they are used, and is read through for them.
Result<std::unique_ptr<Source>> named_source(const std::string& path, const ReadOptions& options) {
  auto source = open_source(path, options);
  if (!source) return source;
  if (auto* const reader = dynamic_cast<TraceReader*>(source->get())) {
    if (auto loaded = reader->load_names(); !loaded) return fail(loaded.error());
    return source;
  }
  while (true) {
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    if (*block == nullptr) return source;
  }
}

// Tells the filters that go by names which sites of this trace these are.
Status find_sites(const std::string& path, const std::string& name, analysis::AnalyzeOptions& options,
                  symbol::Symbolizer* symbols) {
  std::unique_ptr<Source> source;
  for (filter::Choice& choice : options.filters) {
    if (!choice.is_of_sites()) continue;
    const auto patterns = choice.site_patterns();
    if (!patterns) return fail(patterns.error());
    if (source == nullptr) {
      auto opened = named_source(path, options.read);
      if (!opened) return fail(opened.error());
      source = std::move(*opened);
    }
    report::NamedSites found = report::sites_named(*patterns, source->names(), symbols);
    choice.sites = std::make_shared<filter::SiteSet>(std::move(found.sites));
    for (const std::string& pattern : found.unmatched) {
      say(fmt::format("warning: {}: --sample sites: no site of the trace matches '{}'", name,
                      base::shown(pattern)));
    }
  }
  return {};
}

// By finding: whether the selection wants it. Empty: all are wanted.
Result<std::vector<bool>> wanted_ones(const std::string& path, const ReadOptions& read,
                                      const analysis::Findings& findings, const report::Selection& selection,
                                      symbol::Symbolizer* symbols) {
  if (selection.only.empty() && selection.ignore.empty()) return std::vector<bool>{};
  const auto circumstances = analysis::circumstances_of(path, read, findings.races);
  if (!circumstances) return fail(circumstances.error());
  return report::wanted(findings, *circumstances, selection, symbols);
}

}  // namespace

Result<report::Report> analyze_trace(const std::string& path, analysis::AnalyzeOptions options,
                                     const Wishes& wishes, report::Suppressions& suppressions,
                                     symbol::Symbolizer* symbols) {
  const bool once = std::ranges::any_of(options.filters, &filter::Choice::is_of_windows) &&
                    std::ranges::none_of(options.filters, &filter::Choice::is_of_sites) &&
                    !wishes.full_context;
  const auto trace = once ? ReadableTwice::as_it_is(path) : ReadableTwice::open(path, options.read);
  if (!trace) return fail(trace.error());
  const std::string name = input_name(path);
  say_warnings(name, trace->warnings());
  if (auto found = find_sites(trace->path(), name, options, symbols); !found) {
    return fail(trace->renamed(found.error()));
  }
  using Clock = std::chrono::steady_clock;
  auto start = Clock::now();
  const bool named = !options.engines.empty();
  if (!named) {
    options.engines = analysis::portfolio_for(trace->path(), options.read);
    options.most_bytes = analysis::kPortfolioBytes;
    options.suspect_until = start + (wishes.proofs ? wishes.budget / 2 : wishes.budget);
  }
  options.most_bytes = std::min(options.most_bytes, wishes.memory_bytes / 2);
  options.most_threads = wishes.memory_bytes / kThreadBytes;
  options.most_races = std::min(kMostRaces, wishes.memory_bytes / 4 / kRaceBytes);
  auto findings = analysis::analyze(trace->path(), options);
  if (!findings) return fail(trace->renamed(findings.error()));
  say_warnings(name, findings->warnings);
  const bool is_incomplete = std::ranges::any_of(trace->warnings(), &Warning::is_incomplete);
  // What was read in part is not to be read as a whole for this.
  if (wishes.proofs && (!findings->windows || findings->windows->whole || wishes.full_context)) {
    if (named) start = Clock::now();
    auto asked_for = wanted_ones(trace->path(), options.read, *findings, wishes.selection, symbols);
    if (!asked_for) return fail(trace->renamed(asked_for.error()));
    const auto used = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
    const analysis::ProveOptions proving{.read = options.read,
                                         .time = std::max(wishes.budget - used, std::chrono::milliseconds(0)),
                                         .memory_bytes = wishes.memory_bytes,
                                         .jobs = options.jobs,
                                         .progress = options.progress,
                                         .wanted = std::move(*asked_for),
                                         .shown_first = wishes.shown_first};
    if (auto proved = analysis::prove(trace->path(), *findings, proving); !proved) {
      return fail(trace->renamed(proved.error()));
    }
  }
  const auto circumstances = circumstances_of(trace->path(), options, *findings, wishes);
  if (!circumstances) return fail(trace->renamed(circumstances.error()));
  auto report = report::select(name, *findings, *circumstances, wishes.selection, suppressions, symbols);
  report.is_incomplete |= is_incomplete;  // of what was copied, the copy is whole
  return report;
}

Result<report::Report> analyze_pair(const std::string& path, const ReadOptions& read, std::uint64_t earlier,
                                    std::uint64_t later, const Wishes& wishes, unsigned jobs,
                                    symbol::Symbolizer* symbols) {
  auto findings = analysis::findings_of_pair(path, read, earlier, later);
  if (!findings) return fail(findings.error());
  say_warnings(path, findings->warnings);
  if (!findings->no_race) {
    const analysis::ProveOptions proving{
        .read = read, .time = wishes.budget, .memory_bytes = wishes.memory_bytes, .jobs = jobs};
    if (auto proved = analysis::prove(path, *findings, proving); !proved) return fail(proved.error());
  }
  const auto circumstances = analysis::circumstances_of(path, read, findings->races);
  if (!circumstances) return fail(circumstances.error());
  report::Suppressions none;
  return report::select(path, *findings, *circumstances, {}, none, symbols);
}

}  // namespace deadheat::cli
