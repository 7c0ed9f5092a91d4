#include "base/progress.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/stat_report.h"
#include "symbol/symbolizer.h"

namespace deadheat::cli::cmd_stat {

namespace {

constexpr Flag kFlags[] = {
    {.name = "quick", .help = "only what the footer of a .dht tells: at once, however long the trace is"},
    {.name = "top",
     .value = "N",
     .help = "length of the lists of threads, locks, variables and sites",
     .initial = "10"},
    {.name = "format",
     .value = "FORMAT",
     .help = "how to show it",
     .initial = "text",
     .choices = "text|json"},
    {.name = "symbols",
     .value = "DIR",
     .help = "look for the recorded program, its libraries and their debug files here too",
     .repeatable = true},
    {.name = "no-symbols", .help = "show addresses as they are"},
    {.name = "literal-threads", .help = "STD in: fork(151) means a thread called 151, never T151"},
    {.name = "skip-bad", .help = "STD in: leave out lines that cannot be read, and count them"},
    kAllowIncompleteFlag,
};

Status read_footer(TraceReader& reader, report::StatReport& found) {
  if (auto ok = reader.load_names(); !ok) return ok;
  auto summary = reader.summary();
  if (!summary) return fail(summary.error());
  found.summary = std::move(*summary);
  found.bytes = reader.file_bytes();
  return {};
}

Status scan(Source& source, report::StatReport& found) {
  analysis::Statistics statistics;
  base::ProgressLine line("stat", "events");
  while (true) {
    const auto block = source.next();
    if (!block) return fail(block.error());
    if (*block == nullptr) break;
    statistics.feed(**block);
    const Progress progress = source.progress();
    line.update((*block)->first + (*block)->size(), progress.done_bytes, progress.total_bytes);
  }
  found.summary = statistics.summary();
  found.scan = {.runs = statistics.runs(),
                .longest_run = statistics.longest_run(),
                .sites_used = statistics.sites_used(),
                .variables_used = statistics.variables_used(),
                .variables_shared = statistics.variables_shared(),
                .locks = statistics.top_locks(found.top),
                .variables = statistics.top_variables(found.top),
                .sites = statistics.top_sites(found.top)};
  found.bytes = source.progress().total_bytes;
  return {};
}

Result<Exit> run(const Arguments& arguments) {
  const std::string& path = arguments.positional()[0];
  const auto top = arguments.number("top", 0, 1'000'000);
  if (!top) return fail(top.error());
  auto source = open_source(
      path, {.literal_threads = arguments.has("literal-threads"), .skip_bad = arguments.has("skip-bad")});
  if (!source) return fail(source.error());

  report::StatReport found;
  found.trace = input_name(path);
  found.top = *top;
  Status done;
  if (arguments.has("quick")) {
    auto* const reader = dynamic_cast<TraceReader*>(source->get());
    if (reader == nullptr) {
      return input_error(fmt::format(
          "{}: --quick reads the footer of a .dht, and this is none; try without it, or convert it first",
          found.trace));
    }
    if (!reader->complete()) {
      return input_error(
          fmt::format("{}: has no footer, its writer did not finish; try without --quick, or deadheat repair",
                      found.trace));
    }
    done = read_footer(*reader, found);
  } else {
    done = scan(**source, found);
  }
  const auto warnings = (*source)->warnings();
  say_warnings(found.trace, warnings);
  found.is_incomplete = std::ranges::any_of(warnings, &Warning::is_incomplete);
  if (!done) return fail(done.error());
  const auto folders = arguments.all("symbols");
  symbol::Symbolizer symbols({folders.begin(), folders.end()});
  const report::NamesFrom names{(*source)->names(), arguments.has("no-symbols") ? nullptr : &symbols};
  write_out(arguments.get("format") == "json" ? report::as_json(found, names)
                                              : report::as_text(found, names));
  for (const std::string& warning : symbols.warnings()) say(warning);
  return kDone;
}

}  // namespace

constinit const Verb kVerb = {
    .name = "stat",
    .summary = "Show what is in a trace",
    .usage = "[options] TRACE",
    .description =
        "Counts events by kind, threads, locks, variables and sites, and lists the busiest threads, the most "
        "contended "
        "locks (an acquire is contended if another thread had the lock before), the variables shared by most "
        "threads, and the busiest sites. That reads every event once. Addresses of recorded traces are "
        "looked up as by 'analyze'.\n\n"
        "--quick reads only the footer of a .dht, which has all but the lists of locks, variables and sites. "
        "--format json is for programs; its \"version\" changes when its meaning does.",
    .examples =
        "$ deadheat stat run.dht\n"
        "everything about it\n"
        "$ deadheat stat --quick --format json run.dht\n"
        "the counts alone, for a script",
    .flags = kFlags,
    .least_positional = 1,
    .most_positional = 1,
    .run = run,
};

}  // namespace deadheat::cli::cmd_stat
