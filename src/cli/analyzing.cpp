#include "cli/analyzing.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "analysis/prove.h"
#include "cli/output.h"
#include "cli/readable_twice.h"

namespace deadheat::cli {

namespace {
constexpr std::uint64_t kMostJobs = 1024;
}  // namespace

Result<std::vector<engine::Choice>> engines_of(std::string_view verb, std::string_view names) {
  std::vector<engine::Choice> out;
  for (std::string_view rest = names;;) {
    const std::string_view one = rest.substr(0, rest.find(','));
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
    if (one.size() == rest.size()) return out;
    rest.remove_prefix(one.size() + 1);
  }
}

ReadOptions read_options(const Arguments& arguments) {
  return {.literal_threads = arguments.has("literal-threads"), .skip_bad = arguments.has("skip-bad")};
}

Result<std::chrono::milliseconds> budget_of(const Arguments& arguments) {
  const auto seconds = arguments.real("budget", 0, 1e6);
  if (!seconds) return fail(seconds.error());
  return std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
}

Result<unsigned> jobs_of(const Arguments& arguments) {
  if (!arguments.has("jobs")) return std::max(1u, std::thread::hardware_concurrency());
  const auto jobs = arguments.number("jobs", 1, kMostJobs);
  if (!jobs) return fail(jobs.error());
  return static_cast<unsigned>(*jobs);
}

namespace {

Result<analysis::Circumstances> circumstances_of(const std::string& path,
                                                 const analysis::AnalyzeOptions& options,
                                                 const analysis::Findings& findings, const Wishes& wishes) {
  const bool in_part = findings.windows && !findings.windows->whole;
  if (in_part && !wishes.full_context) {
    return analysis::circumstances_in_windows(path, options.read, findings);
  }
  return analysis::circumstances_of(path, options.read, findings.races);
}

}  // namespace

Result<report::Report> analyze_trace(const std::string& path, const analysis::AnalyzeOptions& options,
                                     const Wishes& wishes, report::Suppressions& suppressions,
                                     symbol::Symbolizer* symbols) {
  const bool once =
      std::ranges::any_of(options.filters, &filter::Choice::is_of_windows) && !wishes.full_context;
  const auto trace = once ? ReadableTwice::as_it_is(path) : ReadableTwice::open(path, options.read);
  if (!trace) return fail(trace.error());
  const std::string name = input_name(path);
  say_warnings(name, trace->warnings());
  auto findings = analysis::analyze(trace->path(), options);
  if (!findings) return fail(trace->renamed(findings.error()));
  say_warnings(name, findings->warnings);
  // What was read in part is not to be read as a whole for this.
  if (wishes.proofs && (!findings->windows || findings->windows->whole || wishes.full_context)) {
    const analysis::ProveOptions proving{.read = options.read,
                                         .time = wishes.time_for_proofs,
                                         .jobs = options.jobs,
                                         .progress = options.progress};
    if (auto proved = analysis::prove(trace->path(), *findings, proving); !proved) {
      return fail(trace->renamed(proved.error()));
    }
  }
  const auto circumstances = circumstances_of(trace->path(), options, *findings, wishes);
  if (!circumstances) return fail(trace->renamed(circumstances.error()));
  return report::select(name, *findings, *circumstances, wishes.selection, suppressions, symbols);
}

Result<report::Report> analyze_pair(const std::string& path, const ReadOptions& read, std::uint64_t earlier,
                                    std::uint64_t later, std::chrono::milliseconds time, unsigned jobs,
                                    symbol::Symbolizer* symbols) {
  auto findings = analysis::findings_of_pair(path, read, earlier, later);
  if (!findings) return fail(findings.error());
  say_warnings(path, findings->warnings);
  if (auto proved = analysis::prove(path, *findings, {.read = read, .time = time, .jobs = jobs}); !proved)
    return fail(proved.error());
  const auto circumstances = analysis::circumstances_of(path, read, findings->races);
  if (!circumstances) return fail(circumstances.error());
  report::Suppressions none;
  return report::select(path, *findings, *circumstances, {}, none, symbols);
}

}  // namespace deadheat::cli
