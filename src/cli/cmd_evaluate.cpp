#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/terminal.h"
#include "base/text_layout.h"
#include "cli/analyzing.h"
#include "cli/dataset_folder.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "evaluate/scores.h"
#include "evaluate/writers.h"

namespace deadheat::cli::cmd_evaluate {

namespace {

using evaluate::Contestant;

constexpr std::string_view kAsAnalyze = "default";  // what analyze does if it is given no engine

// As the description says.
constexpr std::string_view kAsked =
    "fasttrack,djit,shb,wcp,syncp,osr,wdp,pwr-l,pwr-ee-l,pwr-ee,tsan1,lockset,exact,default";

constexpr Flag kFlags[] = {
    {.name = "engine",
     .letter = 'e',
     .value = "NAMES",
     .help =
         "who is asked, with commas between them: engines, as 'deadheat engines' lists them, and 'default' "
         "(default: those named below)"},
    {.name = "time", .value = "SECONDS", .help = "CPU time that each run has", .initial = "120"},
    {.name = "memory", .value = "BYTES", .help = "memory that each run has", .initial = "8Gi"},
    {.name = "jobs", .letter = 'j', .value = "N", .help = "runs at a time (default: one a core)"},
    {.name = "format",
     .value = "FORMAT",
     .help = "how to show what came of it",
     .initial = "text",
     .choices = "text|csv|json|html"},
    {.name = "export",
     .value = "DIR",
     .help = "write a dataset for learning: traces, truths, verdicts, and a card that says what is what"},
    {.name = "keep",
     .value = "DIR",
     .help = "the same of the traces that findings are about, if there are any"},
    {.name = "partial", .help = "take what there is of sets that are not whole"},
    kLiteralThreadsFlag,
};

Result<Contestant> contestant_of(std::string_view name, std::chrono::milliseconds time) {
  const bool as_analyze = name == kAsAnalyze;
  if (as_analyze) {
    Contestant out{.name = std::string(name), .engines = {}, .as_analyze = true};
    // So that it comes to an end by itself.
    out.time_for_proofs = std::min<std::chrono::milliseconds>(out.time_for_proofs, time / 2);
    return out;
  }
  auto engines = engines_of("evaluate", name);
  if (!engines) return fail(engines.error());
  if ((*engines)[0].row->notion == engine::Notion::none) {
    return usage_error(fmt::format("evaluate: --engine: {} looks for no races", name));
  }
  return Contestant{.name = (*engines)[0].name(), .engines = std::move(*engines)};
}

Result<std::vector<Contestant>> contestants_of(std::string_view names, std::chrono::milliseconds time) {
  std::vector<Contestant> out;
  for (const std::string_view one : base::split(names, ',')) {
    auto contestant = contestant_of(one, time);
    if (!contestant) return fail(contestant.error());
    if (std::ranges::find(out, contestant->name, &Contestant::name) != out.end())
      return usage_error(fmt::format("evaluate: --engine: {} is there twice", contestant->name));
    out.push_back(std::move(*contestant));
  }
  return out;
}

Result<evaluate::EvaluateOptions> options_of(const Arguments& arguments) {
  evaluate::EvaluateOptions options;
  const auto seconds = arguments.seconds("time", 0.001, 1e6);
  if (!seconds) return fail(seconds.error());
  options.limits.cpu = std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
  const auto bytes = arguments.number("memory", 1, UINT64_MAX);
  if (!bytes) return fail(bytes.error());
  options.limits.bytes = *bytes;
  const auto jobs = jobs_of(arguments);
  if (!jobs) return fail(jobs.error());
  options.jobs = *jobs;
  options.read.literal_threads = arguments.has("literal-threads");
  auto contestants =
      contestants_of(arguments.has("engine") ? arguments.get("engine") : kAsked, options.limits.cpu);
  if (!contestants) return fail(contestants.error());
  options.contestants = std::move(*contestants);
  return options;
}

Result<std::vector<labels::Folder>> folders_of(const Arguments& arguments, const ReadOptions& read) {
  const auto partial = arguments.has("partial") ? labels::Partial::taken : labels::Partial::refused;
  std::vector<labels::Folder> folders;
  for (std::string path : arguments.positional()) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    auto folder = labels::read_folder(path, partial, read);
    if (!folder) return fail(folder.error());
    say_warnings(path, folder->warnings);
    folders.push_back(std::move(*folder));
  }
  return folders;
}

Status write_datasets(const Arguments& arguments, const evaluate::Evaluation& evaluation) {
  constexpr std::pair<std::string_view, evaluate::Which> kDatasets[] = {{"export", evaluate::Which::all},
                                                                        {"keep", evaluate::Which::findings}};
  for (const auto& [flag, which] : kDatasets) {
    if (!arguments.has(flag)) continue;
    const std::string folder(arguments.get(flag));
    auto dataset = evaluate::dataset_of(evaluation, which, version());
    const std::size_t traces = dataset.set.traces.size();
    if (traces > 0) {
      if (auto written = write_dataset(folder, std::move(dataset)); !written) return written;
    }
    say(traces > 0 ? fmt::format("{}: {}", folder, base::counted(traces, "trace"))
                   : fmt::format("{}: nothing to keep, so it was not written", folder));
  }
  return {};
}

Result<Exit> run(const Arguments& arguments) {
  auto options = options_of(arguments);
  if (!options) return fail(options.error());
  for (const std::string_view flag : {"export", "keep"}) {
    if (!arguments.has(flag)) continue;
    if (auto fits = check_dataset_folder(flag, std::string(arguments.get(flag))); !fits)
      return fail(fits.error());
  }
  auto folders = folders_of(arguments, options->read);
  if (!folders) return fail(folders.error());
  const auto evaluation = evaluate::evaluate(std::move(*folders), *options);
  if (!evaluation) return fail(evaluation.error());

  const std::string_view format = arguments.get("format");
  write_out(format == "csv"    ? evaluate::as_csv(*evaluation)
            : format == "json" ? evaluate::as_json(*evaluation, version())
            : format == "html" ? evaluate::as_html(*evaluation)
                               : evaluate::as_text(*evaluation, base::terminal_of_stdout()));
  if (auto written = write_datasets(arguments, *evaluation); !written) return fail(written.error());
  std::uint64_t failed = 0;
  for (const evaluate::Score& score : evaluate::scores_of(*evaluation)) {
    failed += score.runs[static_cast<std::size_t>(evaluate::End::failed)];
  }
  if (failed == 0) return kDone;
  say(fmt::format("{} failed; the report says why", base::counted(failed, "run")));
  return kCouldNot;
}

}  // namespace

constinit const Verb kVerb = {
    .name = "evaluate",
    .summary = "Run engines on labelled traces, and rank them",
    .usage = "[options] DIR...",
    .description =
        "Runs every engine on every trace of folders in which it is known what races: those that 'deadheat "
        "inject' writes, the published traces of RaceInjector (labels.tsv), a table of all races "
        "(truth.tsv), "
        "and what 'deadheat generate --races' writes. docs/evaluate.md says what is in such a folder.\n\n"
        "Each run is a process of its own with a limit on its CPU time and memory. One that is stopped, or "
        "fails, is counted as such, and never as a miss: recall is the share of the known races that are "
        "told, "
        "in the runs that came to an end. A report is false if the labels say that the pair is no race, or "
        "if "
        "they have all races of the trace and this one is not among them; of others nothing is known.\n\n"
        "Without --engine fasttrack, djit, shb, wcp, syncp, osr, wdp, pwr-l, pwr-ee-l, pwr-ee, tsan1, "
        "lockset, "
        "exact "
        "and default are asked. Engines are held to pairs of accesses. 'default' is what 'analyze' does "
        "without --engine, proofs included, and is held to its races, each of which stands for all between "
        "two "
        "places; what it refutes is not told.\n\n"
        "Then: which traces are missed by whom; the first edge on a path between the two accesses of a race, "
        "by happens-before, SHB and WCP, which hides it from them; and as findings the races that every "
        "engine "
        "which was asked and proves nothing misses, or that 'default' misses or does not prove.\n\n"
        "What is told does not depend on --jobs, apart from times and memory. A set that is not whole is "
        "refused, and so is a trace that is not the one its labels are about. The exit code is 3 if a run "
        "failed; one that was stopped is no failure.",
    .examples =
        "$ deadheat evaluate injected/\n"
        "who finds what, as a table\n"
        "$ deadheat evaluate --engine djit,shb,wcp,syncp --literal-threads raceinjector/\n"
        "the published traces, read as their authors did\n"
        "$ deadheat evaluate --format html injected/ precision/ > detectors.html\n"
        "a page with tables and plots\n"
        "$ deadheat evaluate --time 10 --export dataset injected/\n"
        "traces, truths and verdicts, for a program that learns from them",
    .flags = kFlags,
    .least_positional = 1,
    .run = run,
};

}  // namespace deadheat::cli::cmd_evaluate
