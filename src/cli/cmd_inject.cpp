#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/format.h"
#include "base/progress.h"
#include "cli/analyzing.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "inject/set.h"

namespace deadheat::cli::cmd_inject {

namespace {

constexpr Flag kFlags[] = {
    {.name = "output", .letter = 'o', .value = "DIR", .help = "the folder that the traces are put into"},
    {.name = "count", .letter = 'n', .value = "N", .help = "so many traces", .initial = "100"},
    {.name = "distance",
     .value = "N",
     .help = "at least so many events between the two accesses of a race",
     .initial = "100"},
    {.name = "window",
     .value = "N",
     .help = "events that are put into another order at a time",
     .initial = "100"},
    {.name = "kinds",
     .value = "KINDS",
     .help = "what the accesses are, with commas between: ww, wr, rw; of several, one by chance",
     .initial = "ww"},
    {.name = "hard",
     .value = "ENGINES",
     .help = "only races that happens-before does not show, nor any of these engines",
     .implied = "hb"},
    {.name = "races", .value = "N", .help = "races in each trace", .initial = "1"},
    {.name = "twins", .help = "beside each trace one in which the pair is proved not to race"},
    {.name = "seed", .value = "N", .help = "other chances, same options", .initial = "1"},
    {.name = "to", .value = "FORMAT", .help = "what to write", .initial = "dht", .choices = "dht|std|text"},
    {.name = "time", .value = "SECONDS", .help = "stop after so long; the same command goes on from there"},
    kJobsFlag,
    kLiteralThreadsFlag,
    kSkipBadFlag,
    kAllowIncompleteFlag,
};

Result<std::vector<std::string>> kinds_of(std::string_view text) {
  std::vector<std::string> kinds;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view kind = text.substr(0, comma);
    if (kind != "ww" && kind != "wr" && kind != "rw") {
      return usage_error(fmt::format("inject: --kinds: '{}' is none of ww, wr, rw", kind));
    }
    kinds.emplace_back(kind);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  if (kinds.empty()) return usage_error("inject: --kinds: give at least one of ww, wr, rw");
  return kinds;
}

Result<inject::SetOptions> options_of(const Arguments& arguments) {
  inject::SetOptions options;
  auto folder = arguments.required("output");
  if (!folder) return fail(folder.error());
  options.folder = std::move(*folder);
  constexpr std::uint64_t kMany = 10'000'000;
  const auto count = arguments.number("count", 1, kMany);
  const auto distance = arguments.number("distance", 1, kMany);
  const auto window = arguments.number("window", 4, 100'000);
  const auto races = arguments.number("races", 1, 1000);
  const auto seed = arguments.number("seed", 0, UINT64_MAX);
  for (const auto* number : {&count, &distance, &window, &races, &seed}) {
    if (!*number) return fail(number->error());
  }
  options.traces = *count;
  options.seed = *seed;
  options.wishes.distance = *distance;
  options.wishes.window = static_cast<std::size_t>(*window);
  options.wishes.races = static_cast<std::uint32_t>(*races);
  options.wishes.twins = arguments.has("twins");
  auto kinds = kinds_of(arguments.get("kinds"));
  if (!kinds) return fail(kinds.error());
  options.wishes.kinds = std::move(*kinds);
  if (arguments.has("hard")) {
    options.wishes.hard = true;
    options.hard = arguments.get("hard");
    if (options.hard != "hb") {
      auto engines = engines_of("inject", options.hard);
      if (!engines) return fail(engines.error());
      options.wishes.missed_by = std::move(*engines);
    }
  }
  const std::string_view to = arguments.get("to");
  options.format = to == "dht"   ? inject::Format::dht
                   : to == "std" ? inject::Format::std
                                 : inject::Format::text;
  if (arguments.has("time")) {
    const auto seconds = arguments.seconds("time", 0, 1e9);
    if (!seconds) return fail(seconds.error());
    options.time = std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
  }
  const auto jobs = jobs_of(arguments);
  if (!jobs) return fail(jobs.error());
  options.jobs = *jobs;
  return options;
}

void show(const inject::SetOptions& options, const inject::SetReport& report) {
  using base::counted, base::grouped;
  std::string line = fmt::format("{}: {}", options.folder, counted(report.made, "trace"));
  if (options.wishes.twins) line += fmt::format(" and {} without the race", counted(report.twins, "twin"));
  line += fmt::format(", seed {}", options.seed);
  if (report.found > 0) line += fmt::format("; {} of them were there", grouped(report.found));
  print("{}\n", line);
  if (report.made > 0) {
    print("  events between the two accesses: {} to {}, {} on average\n", grouped(report.least_distance),
          grouped(report.most_distance), grouped((report.all_distances + report.made / 2) / report.made));
  }
  print("  {}", counted(report.attempts, "attempt"));
  for (std::size_t i = 1; i < inject::kFailures; ++i) {
    if (report.failures[i] == 0) continue;
    print("; {}: {}", name_of(static_cast<inject::Failure>(i)), grouped(report.failures[i]));
  }
  if (report.again > 0) print("; made before: {}", grouped(report.again));
  print("\n  {} put into another order", counted(report.effort.windows, "window"));
  if (report.effort.solver > 0) print(", {} of them by the solver", grouped(report.effort.solver));
  if (report.effort.given_up > 0) print("; given up: {}", grouped(report.effort.given_up));
  print("\n");
  if (!report.refusal.empty()) print("  the judge refused: {}\n", report.refusal);
}

Result<Exit> run(const Arguments& arguments) {
  auto options = options_of(arguments);
  if (!options) return fail(options.error());
  const std::string& path = arguments.positional()[0];
  const auto base = inject::load_base(path, read_options(arguments), options->wishes.races);
  if (!base) return fail(base.error());
  say_warnings(input_name(path), base->warnings);
  base::ProgressLine line("inject", "traces");
  options->progress = [&](std::uint64_t made) { line.update(made, made, options->traces); };
  const auto report = inject::make_set(*base, *options);
  line.clear();
  if (!report) return fail(report.error());
  show(*options, *report);
  if (report->whole) return kDone;
  const std::string made =
      fmt::format("{} of {} traces", base::grouped(report->made), base::grouped(options->traces));
  if (report->out_of_time) {
    return fail(
        {Error::Kind::input, fmt::format("{}: the time was up with {}; the same command goes on from there",
                                         options->folder, made)});
  }
  return fail(
      {Error::Kind::input,
       fmt::format("{}: only {} came of it{}; try a smaller --distance, a larger --window, or a longer trace",
                   input_name(path), made,
                   options->wishes.hard ? ", since few places have sections that can be turned round" : "")});
}

}  // namespace

constinit const Verb kVerb = {
    .name = "inject",
    .summary = "Put known races into a trace, as many times as wanted",
    .usage = "[options] TRACE -o DIR",
    .description =
        "Makes traces with a race that is known to be there, from a trace of a real run: at a switch between "
        "two "
        "threads each of them accesses a variable that nothing else touches; then the events around are put "
        "into "
        "another order, in which the two accesses are far apart, and which the program could have run in "
        "just as "
        "well. How well detectors do on such traces is measured by 'deadheat evaluate'.\n\n"
        "Beside each trace NAME.dht there is NAME.truth.json: the pair, where it comes from, and a schedule "
        "that "
        "brings the two accesses together, which 'deadheat check --witness' can verify. Before anything is "
        "written "
        "it is checked that the trace is well formed, that it is a correct reordering of TRACE and the two "
        "accesses, "
        "and that the schedule holds. DIR/set.json says whether the set is whole, DIR/attempts.tsv what "
        "became of "
        "every attempt.\n\n"
        "With --hard the order of critical sections is turned round so that happens-before orders the two "
        "accesses: "
        "only prediction finds such a race. --hard=wcp,syncp keeps those that these engines miss as well.\n\n"
        "The same options and seed make the same set, whatever --jobs is. A run that was stopped is taken up "
        "again "
        "by the same command, and a larger --count adds to a set.",
    .examples =
        "$ deadheat inject run.dht -o races --count 1000\n"
        "a thousand traces with a race each\n"
        "$ deadheat inject run.dht -o hard --hard=wcp --twins --distance 500\n"
        "races that neither happens-before nor wcp shows, and as many traces that look alike and have none\n"
        "$ deadheat evaluate races hard\n"
        "which engines find them",
    .flags = kFlags,
    .least_positional = 1,
    .most_positional = 1,
    .run = run,
};

}  // namespace deadheat::cli::cmd_inject
