#include "labels/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "base/format.h"
#include "base/shown.h"
#include "base/text_layout.h"
#include "labels/text_in.h"

namespace deadheat::labels {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTsvSuffix = ".truth.tsv";

std::string stem_of(const std::string& trace) {
  std::string path = truth_path(trace);
  path.resize(path.size() - kTruthSuffix.size());
  return path;
}

std::string in(const std::string& folder, std::string_view file) {
  return fmt::format("{}/{}", folder, file);
}

Result<std::vector<std::string>> files_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  if (error) return io_error(fmt::format("{}: cannot read the folder: {}", folder, error.message()));
  std::ranges::sort(names);
  return names;
}

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Lines of a table, without the first, as columns.
struct Line {
  std::uint64_t number;  // from 1
  std::vector<std::string> columns;
};

Result<std::vector<Line>> read_table(const std::string& path, std::size_t columns) {
  const auto text = read_text(path);
  if (!text) return fail(text.error());
  std::vector<Line> lines;
  std::uint64_t number = 0;
  for (std::string_view line : base::lines_of(*text)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (++number == 1 || line.empty()) continue;
    Line& one = lines.emplace_back(Line{number, {}});
    for (std::size_t tab = 0; tab != std::string_view::npos;) {
      tab = line.find('\t');
      one.columns.emplace_back(line.substr(0, tab));
      line.remove_prefix(tab == std::string_view::npos ? line.size() : tab + 1);
    }
    if (one.columns.size() < columns) {
      return input_error(fmt::format("{}:{}: has {} where {} are wanted, with tabs between them", path,
                                     number, base::counted(one.columns.size(), "column"), columns));
    }
  }
  return lines;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

std::uint64_t between(std::uint64_t earlier, std::uint64_t later) { return later - earlier - 1; }

// --- ours

Result<LabelledTrace> labelled(const std::string& folder, const std::string& truth_file) {
  auto truth = read_truth(in(folder, truth_file));
  if (!truth) return fail(truth.error());
  const std::string path = in(folder, truth->trace);
  if (!is_there(path)) {
    return input_error(
        fmt::format("{}: its trace {} is not there", in(folder, truth_file), base::shown(truth->trace)));
  }
  return LabelledTrace{.path = path, .name = stem_of(truth->trace), .truth = std::move(*truth)};
}

Result<Folder> read_what_is_there(const std::string& path, const std::vector<std::string>& files) {
  Folder folder{.path = path, .layout = "deadheat inject", .made_by = ""};
  for (const std::string& file : files) {
    if (!file.ends_with(kTruthSuffix)) continue;
    auto trace = labelled(path, file);
    if (!trace) return fail(trace.error());
    folder.traces.push_back(std::move(*trace));
  }
  return folder;
}

Result<Folder> read_ours(const std::string& path, const std::vector<std::string>& files, Partial partial) {
  auto set = read_set(path);
  if (!set) return fail(set.error());
  if (!set->complete && partial == Partial::refused) {
    return input_error(
        fmt::format("{}/{}: the set is not whole; run the same 'deadheat inject' again to "
                    "finish it, or take what there is by --partial",
                    path, kSetName));
  }
  if (!set->complete) {
    auto folder = read_what_is_there(path, files);
    if (folder) folder->made_by = set->made_by;
    return folder;
  }
  Folder folder{.path = path, .layout = "deadheat inject", .made_by = set->made_by};
  for (const std::string& name : set->traces) {
    auto trace = labelled(path, truth_path(name));
    if (!trace) return fail(trace.error());
    if (trace->truth.trace != name) {
      return input_error(fmt::format("{}/{}: is about {}, and not about {} as {} says", path,
                                     truth_path(name), base::shown(trace->truth.trace), base::shown(name),
                                     kSetName));
    }
    folder.traces.push_back(std::move(*trace));
  }
  return folder;
}

// --- RaceInjector

// The injected pair; its events must be two, and of these places.
Result<Truth> injected_in(const std::string& path, const ReadOptions& read) {
  auto source = open_source(path, read);
  if (!source) return fail(source.error());
  Truth truth{.trace = fs::path(path).filename().string()};
  std::vector<std::uint64_t> events;
  while (true) {
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    if (*block == nullptr) break;
    const Names& names = (*source)->names();
    truth.events += (*block)->size();
    for (std::size_t i = 0; i < (*block)->size(); ++i) {
      const Event e = (**block)[i];
      if (e.op.kind != EventKind::write || names.variables[e.object] != "BUGGY_ADDR") continue;
      const std::string site = names.display(e.op.site);
      if (site == "9999" || site == "10000") events.push_back((*block)->first + i);
    }
  }
  if (events.size() != 2) {
    return input_error(
        fmt::format("{}: has {} of BUGGY_ADDR at 9999 and 10000 where RaceInjector's traces "
                    "have two",
                    path, base::counted(events.size(), "write")));
  }
  truth.pairs.push_back({.earlier = events[0],
                         .later = events[1],
                         .kind = "write-write",
                         .variable = "BUGGY_ADDR",
                         .distance = between(events[0], events[1]),
                         .proof = "published"});
  return truth;
}

Result<Folder> read_raceinjector(const std::string& path, const std::vector<std::string>& files,
                                 const ReadOptions& read) {
  const auto lines = read_table(path + "/labels.tsv", 2);
  if (!lines) return fail(lines.error());
  Folder folder{.path = path, .layout = "RaceInjector", .made_by = "ALFA-group/RaceInjector-counterexamples"};
  std::map<std::string, std::string> missed_by;
  std::uint64_t absent = 0;
  for (const Line& line : *lines) {
    const bool injected = line.columns[0].find("_injectedTrace") != std::string::npos;
    absent += injected && !std::ranges::binary_search(files, line.columns[0]) ? 1 : 0;
    missed_by[line.columns[0]] = line.columns[1];
  }
  if (absent > 0) folder.warnings.push_back({"a trace that labels.tsv names is not there", absent});
  for (const std::string& file : files) {
    if (file.find("_injectedTrace") == std::string::npos || !file.ends_with(".std")) continue;
    auto truth = injected_in(in(path, file), read);
    if (!truth) return fail(truth.error());
    LabelledTrace& trace = folder.traces.emplace_back(
        LabelledTrace{.path = in(path, file), .name = stem_of(file), .truth = std::move(*truth)});
    const auto label = missed_by.find(file);
    if (label == missed_by.end()) continue;
    auto& published = trace.published_as_missed_by.emplace();
    for (std::string_view rest = label->second; rest != "-" && !rest.empty();) {
      const std::string_view one = rest.substr(0, rest.find(','));
      published.emplace_back(one);
      rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    }
  }
  return folder;
}

// --- the precision suite

// "1-8 3-4": lines of the trace, which are its events, from 1.
Result<std::vector<Pair>> pairs_in(std::string_view text) {
  std::vector<Pair> pairs;
  while (text != "none" && !text.empty()) {
    const std::string_view one = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const std::size_t dash = one.find('-');
    const auto a = number_in(one.substr(0, dash));
    const auto b = dash == std::string_view::npos ? std::nullopt : number_in(one.substr(dash + 1));
    if (!a || !b || *a == 0 || *a >= *b) {
      return input_error(fmt::format("\"{}\" is not a pair of lines like 3-8", base::shown(one)));
    }
    pairs.push_back({.earlier = *a - 1, .later = *b - 1, .distance = between(*a, *b), .proof = "exact"});
  }
  return pairs;
}

Result<Folder> read_precision(const std::string& path) {
  const std::string table = path + "/truth.tsv";
  const auto lines = read_table(table, 4);
  if (!lines) return fail(lines.error());
  Folder folder{.path = path, .layout = "precision", .made_by = ""};
  for (const Line& line : *lines) {
    const std::string& name = line.columns[0];
    const auto refuse = [&](const std::string& what) {
      return input_error(fmt::format("{}:{}: {}", table, line.number, what));
    };
    if (!is_file_name(name)) return refuse("the first column is not the name of a trace");
    auto pairs = pairs_in(line.columns[3]);
    if (!pairs) return refuse(pairs.error().message);
    const std::string file = name + ".std";
    if (!is_there(in(path, file))) return refuse(fmt::format("its trace {} is not there", file));
    folder.traces.push_back(
        {.path = in(path, file),
         .name = name,
         .truth = {.trace = file, .events = 0, .complete = true, .pairs = std::move(*pairs)}});
  }
  return folder;
}

// --- deadheat generate

// "w-r"
std::string kind_in(std::string_view text) {
  const auto word = [](std::string_view letter) {
    return letter == "w" ? "write" : letter == "r" ? "read" : "";
  };
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return "";
  return fmt::format("{}-{}", word(text.substr(0, dash)), word(text.substr(dash + 1)));
}

Result<LabelledTrace> read_planted(const std::string& path, const std::string& trace) {
  const std::string table = fmt::format("{}/{}{}", path, trace, kTsvSuffix);
  const auto lines = read_table(table, 9);
  if (!lines) return fail(lines.error());
  if (!is_there(in(path, trace)))
    return input_error(fmt::format("{}: its trace {} is not there", table, trace));
  // What else may happen in it, if threads had got their locks in another order, is not said.
  LabelledTrace out{.path = in(path, trace), .name = stem_of(trace), .truth = {.trace = trace}};
  for (const Line& line : *lines) {
    const auto a = number_in(line.columns[0]), b = number_in(line.columns[1]);
    if (!a || !b || *a >= *b) {
      return input_error(fmt::format("{}:{}: \"{}\" and \"{}\" are not two events in their order", table,
                                     line.number, base::shown(line.columns[0]),
                                     base::shown(line.columns[1])));
    }
    out.truth.pairs.push_back({.earlier = *a,
                               .later = *b,
                               .kind = kind_in(line.columns[5]),
                               .variable = line.columns[4],
                               .distance = between(*a, *b),
                               .proof = line.columns[8]});
  }
  return out;
}

Result<Folder> read_generated(const std::string& path, const std::vector<std::string>& tables) {
  Folder folder{.path = path, .layout = "deadheat generate", .made_by = ""};
  for (const std::string& table : tables) {
    auto trace = read_planted(path, table.substr(0, table.size() - kTsvSuffix.size()));
    if (!trace) return fail(trace.error());
    folder.traces.push_back(std::move(*trace));
  }
  return folder;
}

Result<Folder> read_layout(const std::string& path, Partial partial, const ReadOptions& read) {
  const auto files = files_in(path);
  if (!files) return fail(files.error());
  const auto has = [&](std::string_view name) { return std::ranges::binary_search(*files, name); };
  if (has(kSetName)) return read_ours(path, *files, partial);
  const auto with = [&](std::string_view suffix) {
    std::vector<std::string> found;
    std::ranges::copy_if(*files, std::back_inserter(found), [&](const std::string& file) {
      return file.size() > suffix.size() && file.ends_with(suffix);
    });
    return found;
  };
  if (!with(kTruthSuffix).empty()) {
    if (partial == Partial::taken) return read_what_is_there(path, *files);
    return input_error(
        fmt::format("{}: has truths but no {}, so it may be a part of a set; take what there "
                    "is by --partial",
                    path, kSetName));
  }
  if (has("labels.tsv")) return read_raceinjector(path, *files, read);
  if (has("truth.tsv")) return read_precision(path);
  if (const auto tables = with(kTsvSuffix); !tables.empty()) return read_generated(path, tables);
  return input_error(
      fmt::format("{}: has no labelled traces (no {}, labels.tsv, truth.tsv or TRACE{}); "
                  "'deadheat inject' makes some",
                  path, kSetName, kTsvSuffix));
}

}  // namespace

Result<Folder> read_folder(const std::string& path, Partial partial, const ReadOptions& read) {
  auto folder = read_layout(path, partial, read);
  if (!folder) return folder;
  if (folder->traces.empty()) return input_error(fmt::format("{}: has no traces", path));
  // Two truths of one trace would count it twice.
  std::set<std::string> seen;
  for (const LabelledTrace& trace : folder->traces) {
    if (!seen.insert(trace.truth.trace).second) {
      return input_error(fmt::format("{}: {} has two truths", path, base::shown(trace.truth.trace)));
    }
  }
  return folder;
}

}  // namespace deadheat::labels
