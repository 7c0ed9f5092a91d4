#include "evaluate/dataset.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/format.h"
#include "base/shown.h"
#include "evaluate/scores.h"
#include "evaluate/writers.h"

namespace deadheat::evaluate {

namespace {

namespace fs = std::filesystem;
using base::counted;
using base::grouped;

std::string name_of_folder(const std::string& path) {
  const fs::path whole = fs::path(path).lexically_normal();
  const std::string name = (whole.has_filename() ? whole : whole.parent_path()).filename().string();
  return name.empty() || name == "." || name == ".." ? "traces" : name;
}

// A name that is not used, as nobody else's truth is.
std::string free_name(const std::string& wanted, const std::string& folder, std::set<std::string>& used) {
  std::string name = wanted;
  for (unsigned n = 1; !used.insert(labels::truth_path(name)).second; ++n) {
    name = n == 1 ? fmt::format("{}_{}", folder, wanted) : fmt::format("{}{}_{}", folder, n, wanted);
  }
  return name;
}

std::string made_of(const labels::Folder& folder, const std::string& trace) {
  const nlohmann::ordered_json json = {
      {"folder", name_of_folder(folder.path)}, {"layout", folder.layout}, {"trace", trace}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// What is exported, with the names that it has there.
Evaluation chosen(const Evaluation& x, Which which) {
  Evaluation out{x.folders, x.contestants, {}, x.limits, x.literal_threads};
  std::set<std::size_t> wanted;
  if (which == Which::findings) {
    for (const Finding& finding : findings_of(x)) wanted.insert(finding.trace);
  }
  std::set<std::string> used;
  for (std::size_t i = 0; i < x.traces.size(); ++i) {
    if (which == Which::findings && !wanted.contains(i)) continue;
    TraceResult& trace = out.traces.emplace_back(x.traces[i]);
    labels::Truth& truth = trace.labelled.truth;
    const labels::Folder& folder = x.folders[trace.folder];
    if (truth.made == "{}") truth.made = made_of(folder, truth.trace);
    truth.trace = free_name(truth.trace, name_of_folder(folder.path), used);
  }
  return out;
}

constexpr std::string_view kColumns =
    "## Files\n\n"
    "| file | |\n| --- | --- |\n"
    "| `*.std`, `*.dht` | traces. STD text has a line for each event, `thread|operation(object)|place` |\n"
    "| `*.truth.json` | what is known of the trace of that name: `pairs` of two accesses, by event number "
    "from 0; `race` true or false; `complete` true if there are no other races; `witness`, a schedule that "
    "shows the race |\n"
    "| `verdicts.csv` | a line for each labelled pair and engine |\n"
    "| `verdicts.jsonl` | the same, an object of JSON for each labelled pair |\n"
    "| `runs.csv` | a line for each trace and engine: how the run ended, what it told, time, memory |\n"
    "| `set.json` | the list of traces |\n\n"
    "Columns of `verdicts.csv`:\n\n"
    "| column | |\n| --- | --- |\n"
    "| `trace`, `events`, `threads` | the file, and how much is in it |\n"
    "| `earlier`, `later` | the two accesses: event numbers, from 0 |\n"
    "| `race` | the label: whether some correct reordering of the trace brings them together |\n"
    "| `kind`, `variable`, `distance` | of the accesses; events between them |\n"
    "| `proof` | how the label is known |\n"
    "| `hb_edge`, `hb_object`, `shb_edge`, `shb_object`, `wcp_edge`, `wcp_object` | the first edge of "
    "happens-before (hb), of schedulable happens-before (shb) and of weak causal precedence (wcp) on a path "
    "between the two, and of which lock, thread or variable; "
    "empty: not ordered |\n"
    "| `engine` | who was asked |\n"
    "| `verdict` | `told`, `not told`; or `time`, `memory`, `failed`: the run was stopped, and says nothing "
    "|\n"
    "| `grade` | of what was told: `observed`, `proved`, `predicted`, `candidate` |\n\n"
    "Columns of `runs.csv`: `races` that are known, `found` and `missed` of them; `reports` are pairs (of "
    "`default`: races between two places); `judged` those of which the labels know, `false` of these that "
    "are no race; `cpu_s`, `peak_bytes`.\n\n";

std::string card(const Evaluation& x, std::string_view version) {
  std::uint64_t races = 0, free = 0, complete = 0, events = 0;
  for (const TraceResult& trace : x.traces) {
    complete += trace.labelled.truth.complete ? 1 : 0;
    events += trace.labelled.truth.events;
    for (const labels::Pair& pair : trace.labelled.truth.pairs) ++(pair.race ? races : free);
  }
  std::string out = fmt::format(
      "# Labelled traces of concurrent programs, and what race detectors say of them\n\n"
      "{} with {} in all; {} known, {} known to be none; of {} all races are known. Written by `deadheat "
      "evaluate`, deadheat {}.\n\n## Where the traces come from\n\n",
      counted(x.traces.size(), "trace"), counted(events, "event"), counted(races, "race"),
      counted(free, "pair"), counted(complete, "trace"), version);
  for (const labels::Folder& folder : x.folders) {
    out +=
        fmt::format("- `{}`, layout of {}{}\n", base::shown(name_of_folder(folder.path)), folder.layout,
                    folder.made_by.empty() ? "" : fmt::format(": `{}`", base::shown(folder.made_by, 1000)));
  }
  out +=
      "\nTraces made from those of others stay under their licence: files `LICENSE*` here are those that lay "
      "beside the traces. Where there is none, ask who made the base traces (`made` in the truths names "
      "them) before you pass them on.\n\n";
  out += fmt::format(
      "Each run had {} s of CPU time and {}.{}\n\n", static_cast<double>(x.limits.cpu.count()) / 1000,
      base::byte_count(x.limits.bytes),
      x.literal_threads ? " Forks were read literally: fork(151) is of a thread called 151." : "");
  out += kColumns;
  out += "## Engines\n\n| engine | found | missed | stopped | false | of judged |\n| --- |" +
         std::string(" ---: | ---: | ---: | ---: | ---: |\n");
  const auto scores = scores_of(x);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", x.contestants[i].name, grouped(scores[i].found),
                       grouped(scores[i].missed), grouped(scores[i].unknown), grouped(scores[i].wrong),
                       grouped(scores[i].judged));
  }
  out +=
      "\n## Limits\n\n"
      "- A pair that is not labelled is not known, unless `complete` is true.\n"
      "- Injected races are on variables of their own, which nothing else touches; a model may learn to know "
      "them by that.\n"
      "- Traces made from one base trace are alike: keep them on one side when you split the set.\n"
      "- An engine that tells one pair of several of the same access did not tell the others here.\n"
      "- Times are of one run each, on one machine that may have been busy.\n";
  return out;
}

}  // namespace

Dataset dataset_of(const Evaluation& evaluation, Which which, std::string_view tool_version) {
  const Evaluation x = chosen(evaluation, which);
  Dataset out;
  std::uint64_t races = 0;
  for (const TraceResult& trace : x.traces) {
    const labels::Truth& truth = trace.labelled.truth;
    out.links.push_back({trace.labelled.path, truth.trace});
    out.files.push_back({labels::truth_path(truth.trace), labels::as_json(truth)});
    out.set.traces.push_back(truth.trace);
    for (const labels::Pair& pair : truth.pairs) races += pair.race ? 1 : 0;
  }
  std::set<std::string> used;
  for (const labels::Folder& folder : x.folders) {
    std::error_code error;
    const std::string licence = folder.path + "/LICENSE", name = "LICENSE." + name_of_folder(folder.path);
    if (fs::is_regular_file(licence, error) && used.insert(name).second) out.links.push_back({licence, name});
  }
  out.files.push_back({"verdicts.csv", verdicts_as_csv(x)});
  out.files.push_back({"verdicts.jsonl", verdicts_as_json_lines(x)});
  out.files.push_back({"runs.csv", as_csv(x)});
  out.files.push_back({"README.md", card(x, tool_version)});
  out.set.made_by = fmt::format("deadheat evaluate {}", which == Which::all ? "--export" : "--keep");
  out.set.counts = {{"traces", x.traces.size()}, {"races", races}};
  return out;
}

}  // namespace deadheat::evaluate
