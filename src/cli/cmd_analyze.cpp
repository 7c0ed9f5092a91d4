#include <algorithm>
#include <utility>

#include "base/terminal.h"
#include "cli/analyzing.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/witness_file.h"
#include "report/writers.h"
#include "trace/text_file.h"

namespace deadheat::cli::cmd_analyze {

namespace {

constexpr Flag kFlags[] = {
    kEngineFlag,
    {.name = "filter",
     .value = "NAME",
     .help = "leave out accesses that make no difference; 'deadheat engines' lists the filters",
     .repeatable = true},
    {.name = "sample",
     .value = "NAME",
     .help = "look only at some accesses, behind the filters; 'deadheat engines' lists the samplers",
     .repeatable = true},
    {.name = "full-context",
     .help = "of a trace that was read in part: tell what went on around races from all that came before"},
    {.name = "no-proofs", .help = "look for no schedules that show the races"},
    {.name = "witnesses",
     .value = "FILE",
     .help = "write the schedules that show the races to a file; 'deadheat check --witness' reads it"},
    kBudgetFlag,
    kMemoryFlag,
    kJobsFlag,
    {.name = "format",
     .value = "FORMAT",
     .help = "how to show the races",
     .initial = "text",
     .choices = "text|json"},
    {.name = "first", .help = "show only the first race of the trace, and count the rest"},
    {.name = "max",
     .value = "N",
     .help = "show so many races of each trace, and count the rest (default: 100 as text, else all)"},
    {.name = "only",
     .value = "PATTERN",
     .help = "only races at such a site, on such a variable, or with this fingerprint",
     .repeatable = true},
    {.name = "ignore", .value = "PATTERN", .help = "no such races", .repeatable = true},
    {.name = "suppressions",
     .value = "FILE",
     .help = "leave out the races that this file names, as ThreadSanitizer does",
     .repeatable = true},
    kSymbolsFlag,
    kNoSymbolsFlag,
    kUntrustedFlag,
    kLiteralThreadsFlag,
    kSkipBadFlag,
    kAllowIncompleteFlag,
};

constexpr std::uint64_t kShownAsText = 100;

Result<std::vector<report::Pattern>> patterns_of(const Arguments& arguments, std::string_view flag) {
  std::vector<report::Pattern> out;
  for (const std::string& text : arguments.all(flag)) {
    if (text.empty()) return usage_error(fmt::format("analyze: --{}: the pattern is empty", flag));
    out.emplace_back(text);
  }
  return out;
}

Result<report::Selection> selection_of(const Arguments& arguments) {
  report::Selection selection;
  auto only = patterns_of(arguments, "only");
  if (!only) return fail(only.error());
  auto ignore = patterns_of(arguments, "ignore");
  if (!ignore) return fail(ignore.error());
  selection.only = std::move(*only);
  selection.ignore = std::move(*ignore);
  if (arguments.has("max")) {
    const auto most = arguments.number("max", 0, UINT64_MAX);
    if (!most) return fail(most.error());
    selection.limit = *most;
  } else if (arguments.get("format") == "text") {
    selection.limit = kShownAsText;
  }
  if (arguments.has("first")) selection.limit = std::min<std::uint64_t>(selection.limit, 1);
  return selection;
}

Status add_filters(std::vector<filter::Choice>& out, const Arguments& arguments, std::string_view flag,
                   filter::Role role) {
  for (const std::string& name : arguments.all(flag)) {
    auto choice = filter::choose(name, role);
    if (!choice) return usage_error(fmt::format("analyze: --{}: {}", flag, choice.error().message));
    out.push_back(std::move(*choice));
  }
  return {};
}

Result<analysis::AnalyzeOptions> options_of(const Arguments& arguments) {
  analysis::AnalyzeOptions options;
  // Filters and samplers stand before few engines.
  const bool filtered = !arguments.all("filter").empty() || !arguments.all("sample").empty();
  if (arguments.has("engine") || filtered) {
    auto engines = engines_of("analyze", arguments.has("engine") ? arguments.get("engine") : "fasttrack");
    if (!engines) return fail(engines.error());
    options.engines = std::move(*engines);
  }
  if (auto added = add_filters(options.filters, arguments, "filter", filter::Role::redundancy); !added) {
    return fail(added.error());
  }
  if (auto added = add_filters(options.filters, arguments, "sample", filter::Role::sample); !added) {
    return fail(added.error());
  }
  if (auto fit = analysis::check_filters(options); !fit)
    return usage_error("analyze: " + fit.error().message);
  const auto jobs = jobs_of(arguments);
  if (!jobs) return fail(jobs.error());
  options.jobs = *jobs;
  options.read = read_options(arguments);
  return options;
}

Status write_witnesses(const std::string& path, const report::Report& report) {
  std::vector<witness::Witness> witnesses;
  for (const report::Race& race : report.races) {
    if (race.proof) witnesses.push_back(race.proof->witness);
  }
  return trace::write_file(path, report::as_witness_file(witnesses, report.trace, report.events));
}

Result<Exit> run(const Arguments& arguments) {
  const auto options = options_of(arguments);
  if (!options) return fail(options.error());
  auto selection = selection_of(arguments);
  if (!selection) return fail(selection.error());
  const auto budget = budget_of(arguments);
  if (!budget) return fail(budget.error());
  const auto memory = memory_of(arguments);
  if (!memory) return fail(memory.error());
  const bool some = arguments.has("first") || arguments.has("max");
  const auto shown_first = static_cast<std::size_t>(some ? selection->limit : 0);
  const Wishes wishes{std::move(*selection),
                      arguments.has("full-context"),
                      !arguments.has("no-proofs"),
                      *budget,
                      *memory,
                      shown_first};
  const bool keep_witnesses = arguments.has("witnesses");
  if (keep_witnesses && arguments.positional().size() > 1) {
    return usage_error("analyze: --witnesses takes one trace at a time");
  }
  report::Suppressions suppressions;
  for (const std::string& file : arguments.all("suppressions")) {
    if (auto read = suppressions.read(file); !read) return fail(read.error());
  }
  say_warnings("suppressions", suppressions.warnings());

  const auto folders = arguments.all("symbols");
  symbol::Symbolizer symbols({folders.begin(), folders.end()});
  std::size_t warned = 0;
  const bool as_text = arguments.get("format") == "text";
  Exit exit = kDone;
  bool first = true;
  std::vector<report::Outcome> outcomes;
  for (const std::string& path : arguments.positional()) {
    auto report =
        analyze_trace(path, *options, wishes, suppressions, wants_symbols(arguments) ? &symbols : nullptr);
    for (; warned < symbols.warnings().size(); ++warned) say(symbols.warnings()[warned]);
    if (!report) {
      say(report.error().message);
      exit = kCouldNot;
    } else if (report->found() > 0 && exit == kDone) {
      exit = kRaces;
    }
    if (report && keep_witnesses) {
      if (auto written = write_witnesses(std::string(arguments.get("witnesses")), *report); !written) {
        return fail(written.error());
      }
    }
    if (!as_text) {
      outcomes.push_back({input_name(path), std::move(report)});
    } else if (report) {
      if (!std::exchange(first, false)) write_out("\n");
      write_out(report::as_text(*report, base::terminal_of_stdout()));
    }
    if (output_failed()) break;
  }
  if (!as_text) write_out(report::as_json(outcomes, version()));
  return exit;
}

}  // namespace

constinit const Verb kVerb = {
    .name = "analyze",
    .summary = "Find the races in traces",
    .usage = "[options] TRACE...",
    .description =
        "Reads each trace and tells the races in it: the two accesses, with threads, places, locks held and "
        "the last synchronisation of each side, why nothing orders them, and how often it was seen. Races "
        "between the same two places are one race. docs/reports.md shows how to read a report, "
        "docs/report-json.md what --format json has in it.\n\n"
        "Without --engine two engines look at the trace: one tells the races of this run, the other what may "
        "happen if threads had got their locks in another order. Races that were observed are told first, "
        "then "
        "those that are proved, then mere candidates. The second engine is pwr-ee, which misses nothing that "
        "can happen, if the trace has up to 5 million events and not too many threads, else pwr-ee-l, which "
        "misses little; it stops, and says so, where its tables would take more than 2 GiB, and after half "
        "of the time of --budget. With --filter or --sample it is fasttrack alone.\n\n"
        "The exit code is 66 if there are races, 0 if there are none, 3 if a trace could not be analysed "
        "(the others are, all the same), 4 if there are none in what is there of a trace that ends before "
        "its end. Races that are suppressed, ignored, or not among --only do not "
        "count.\n\n"
        "In a PATTERN, * stands for any characters, ^ in front ties it to the begin and $ behind to the end "
        "of the text; else it is found anywhere. A site is text like \"bank.c:31 (charge_fee)\". A "
        "fingerprint is what reports show in brackets. Files of suppressions have lines race:PATTERN (any "
        "function, file, location or module in the call stacks, or the variable) and race_top:PATTERN (the "
        "two "
        "accesses alone).\n\n"
        "Filters leave out accesses that make no difference to what an engine finds; samplers look at some "
        "accesses only, for less time, and find some races only. What was left out is told. A filter or "
        "sampler "
        "that would make an engine tell what is not so is refused.\n\n"
        "For each race a schedule is looked for that brings the two accesses together: events of the trace "
        "in "
        "an order in which the program could have done them. It is checked step by step; a race that was "
        "only suspected is then proved, and 'deadheat explain' shows the schedule. What is found to be "
        "impossible is left out and counted, and so is what was not decided in the time of --budget.\n\n"
        "Recorded traces have code addresses. They are looked up in the files of the program and of its "
        "libraries, and in their debug information, in the file itself or beside it (.gnu_debuglink, "
        "/usr/lib/debug), where these files still are and have the build id that was recorded, or in a DIR. "
        "Nothing is fetched from the network.\n\n"
        "A trace from strangers may name any file: use --untrusted, which opens none of them.\n\n"
        "A trace that breaks the rules is refused; 'deadheat check' tells all of what is wrong with it. What "
        "can be read only once, '-' and pipes, is copied to a temporary file in TMPDIR.\n\n"
        "With --sample rpt only windows of the trace are read, and how many events that are does not depend "
        "on "
        "its length; docs/windows.md says what is promised. What was around a race is then told as far as "
        "its "
        "window shows it, unless there is --full-context, and nothing is copied.",
    .examples =
        "$ deadheat analyze run.dht\n"
        "the races of the run, for people\n"
        "$ deadheat analyze --suppressions known.supp --format json run.dht > races.json\n"
        "those that are not known yet, for a program\n"
        "$ deadheat analyze --engine fasttrack,djit --only 'queue*.c' run.std.gz\n"
        "two engines beside each other, on part of a program\n"
        "$ deadheat analyze --filter rex --sample addresses:rate=0.01 run.dht\n"
        "repetitions left out, and then all variables but one in a hundred\n"
        "$ deadheat analyze --sample rpt:until=0.95:budget=10 huge.dht\n"
        "what ten seconds tell of a trace of any length",
    .flags = kFlags,
    .least_positional = 1,
    .run = run,
};

}  // namespace deadheat::cli::cmd_analyze
