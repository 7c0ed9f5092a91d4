#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "analysis/schedule.h"
#include "base/terminal.h"
#include "cli/analyzing.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/readable_twice.h"
#include "cli/verbs.h"
#include "report/explanation.h"

namespace deadheat::cli::cmd_explain {

namespace {

constexpr Flag kFlags[] = {
    kEngineFlag,
    {.name = "full", .help = "show every step of the schedule, not only those that matter to the race"},
    {.name = "format",
     .value = "FORMAT",
     .help = "how to show it",
     .initial = "text",
     .choices = "text|json|html"},
    kBudgetFlag,
    kMemoryFlag,
    kJobsFlag,
    kSymbolsFlag,
    kNoSymbolsFlag,
    kUntrustedFlag,
    kLiteralThreadsFlag,
    kSkipBadFlag,
    kAllowIncompleteFlag,
};

struct Pair {
  std::uint64_t earlier = 0, later = 0;
};

// "17,25"
std::optional<Pair> pair_in(std::string_view text) {
  Pair pair;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, pair.earlier);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != ',') return {};
  const auto second = std::from_chars(first.ptr + 1, end, pair.later);
  if (second.ec != std::errc{} || second.ptr != end) return {};
  return pair;
}

bool is_fingerprint(std::string_view text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() >= 8 && text.size() <= 16 && std::ranges::all_of(text, is_digit);
}

Result<report::Report> report_of(const ReadableTwice& trace, const std::string& wanted,
                                 const Arguments& arguments, symbol::Symbolizer* symbols) {
  const auto budget = budget_of(arguments);
  if (!budget) return fail(budget.error());
  const auto jobs = jobs_of(arguments);
  if (!jobs) return fail(jobs.error());
  const auto memory = memory_of(arguments);
  if (!memory) return fail(memory.error());
  Wishes wishes;
  wishes.budget = *budget;
  wishes.memory_bytes = *memory;
  if (const auto pair = pair_in(wanted)) {
    return analyze_pair(trace.path(), read_options(arguments), pair->earlier, pair->later, wishes, *jobs,
                        symbols);
  }
  if (!is_fingerprint(wanted)) {
    return usage_error(fmt::format(
        "explain: {} is neither a fingerprint, as reports show it in brackets, nor two events like 17,25",
        wanted));
  }
  analysis::AnalyzeOptions options;
  if (arguments.has("engine")) {
    auto engines = engines_of("explain", arguments.get("engine"));
    if (!engines) return fail(engines.error());
    options.engines = std::move(*engines);
  }
  options.jobs = *jobs;
  options.read = read_options(arguments);
  wishes.selection.only.emplace_back(wanted);
  report::Suppressions none;
  auto report = analyze_trace(trace.path(), options, wishes, none, symbols);
  if (!report) return report;
  std::erase_if(report->races,
                [&](const report::Race& race) { return !race.fingerprint.begins_with(wanted); });
  if (report->races.empty()) {
    return fail({Error::Kind::input,
                 fmt::format("{}: no race [{}] was found; 'deadheat analyze' lists the races, and the same "
                             "--engine finds the same",
                             trace.path(), wanted)});
  }
  if (report->races.size() > 1) {
    return usage_error(
        fmt::format("explain: {} races begin with {}; give more digits", report->races.size(), wanted));
  }
  return report;
}

Result<Exit> run(const Arguments& arguments) {
  const std::string path = arguments.positional()[0], wanted = arguments.positional()[1];
  const ReadOptions read = read_options(arguments);
  const auto trace = ReadableTwice::open(path, read);
  if (!trace) return fail(trace.error());
  const auto folders = arguments.all("symbols");
  symbol::Symbolizer symbolizer({folders.begin(), folders.end()});
  symbol::Symbolizer* const symbols = wants_symbols(arguments) ? &symbolizer : nullptr;
  auto report = report_of(*trace, wanted, arguments, symbols);
  for (const std::string& warning : symbolizer.warnings()) say(warning);
  if (!report) return fail(trace->renamed(report.error()));
  report::Race& race = report->races.front();
  witness::Witness shown{.earlier = race.earlier.event, .later = race.later.event};
  if (race.proof) shown = race.proof->witness;
  const auto schedule =
      analysis::schedule_of(trace->path(), shown, race.on, {.read = read, .full = arguments.has("full")});
  if (!schedule) return fail(trace->renamed(schedule.error()));
  auto explanation = report::explain(input_name(path), std::move(race), *schedule, symbols);
  explanation.is_incomplete = report->is_incomplete;
  const std::string_view format = arguments.get("format");
  write_out(format == "json"   ? report::as_json(explanation, version())
            : format == "html" ? report::as_html(explanation)
                               : report::as_text(explanation, base::terminal_of_stdout()));
  return kDone;
}

}  // namespace

constinit const Verb kVerb = {
    .name = "explain",
    .summary = "Show how a race can come about",
    .usage = "[options] TRACE RACE",
    .description =
        "Tells of one race what kept the two accesses apart in the run that was recorded, if anything did, "
        "and "
        "shows a schedule that brings them together: the events of the trace in an order in which the "
        "program "
        "could have done them, one column a thread, with the two accesses last. Steps that do not matter to "
        "the "
        "race are counted. What each thread holds of locks is marked by bars.\n\n"
        "RACE is a fingerprint, as 'deadheat analyze' shows it in brackets, or two events of the trace, "
        "like 17,25. A fingerprint is looked for among the races that the engines find, so it takes as long "
        "as "
        "'deadheat analyze' with the same engines.\n\n"
        "The schedule has passed a check that shares nothing with what found it. Two accesses without a "
        "schedule are of one thread, do not conflict, are ordered (by what is shown), cannot be brought "
        "together in any order of the same events, or the question is open: none was found, which does not "
        "mean that there is none.",
    .examples =
        "$ deadheat explain run.dht 13be8e22\n"
        "the race with this fingerprint\n"
        "$ deadheat explain --format html run.dht 1024,77310 > race.html\n"
        "the race between two events, as a page to send to somebody",
    .flags = kFlags,
    .least_positional = 2,
    .most_positional = 2,
    .run = run,
};

}  // namespace deadheat::cli::cmd_explain
