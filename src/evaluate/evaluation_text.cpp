#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "base/shown.h"
#include "base/text_layout.h"
#include "base/text_table.h"
#include "evaluate/scores.h"
#include "evaluate/writers.h"

namespace deadheat::evaluate {

namespace {

using base::counted;
using base::grouped;
using base::TextTable;
using enum TextTable::Align;

constexpr std::size_t kTracesNamed = 12;  // of a pattern
constexpr std::size_t kRacesShown = 30;
constexpr std::size_t kFindingsShown = 50;
constexpr std::size_t kFailuresShown = 10;

std::string title(std::string_view text, const base::Terminal& terminal) {
  return terminal.colour ? fmt::format("\033[1m{}\033[0m\n", text) : fmt::format("{}\n", text);
}

std::string heading(const Evaluation& x) {
  std::string out;
  for (std::size_t i = 0; i < x.folders.size(); ++i) {
    std::uint64_t traces = 0, races = 0, free = 0, complete = 0;
    for (const TraceResult& trace : x.traces) {
      if (trace.folder != i) continue;
      ++traces;
      complete += trace.labelled.truth.complete ? 1 : 0;
      for (const labels::Pair& pair : trace.labelled.truth.pairs) ++(pair.race ? races : free);
    }
    out += fmt::format("{}: {}, {} known", base::shown(x.folders[i].path), counted(traces, "trace"),
                       counted(races, "race"));
    if (free > 0) out += fmt::format(", {} known to be none", counted(free, "pair"));
    if (complete > 0)
      out += complete == traces ? "; all races are known"
                                : fmt::format("; of {} all races", counted(complete, "trace"));
    out += '\n';
  }
  out += fmt::format("each run has {} s of CPU time and {}{}\n\n",
                     static_cast<double>(x.limits.cpu.count()) / 1000, base::byte_count(x.limits.bytes),
                     x.literal_threads ? "; fork(151) is read as of a thread called 151" : "");
  return out;
}

std::string engines(const Evaluation& x, const std::vector<Score>& scores) {
  TextTable table({{"Engine", left},
                   {"found"},
                   {"missed"},
                   {"recall"},
                   {"sure"},
                   {"alone"},
                   {"reports"},
                   {"false"},
                   {"of those judged"},
                   {"CPU s"},
                   {"peak", right},
                   {"stopped", left}});
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Score& s = scores[i];
    const bool any = s.found + s.missed > 0;
    table.add({x.contestants[i].name, grouped(s.found), grouped(s.missed),
               any ? fmt::format("{:.1f} %", 100 * s.recall()) : "-", grouped(s.sure), grouped(s.alone),
               grouped(s.reports), s.is_judged ? grouped(s.wrong) : "-", s.is_judged ? grouped(s.judged) : "",
               fmt::format("{:.2f}", s.cpu_s), base::byte_count(s.peak_bytes), stops_of(s)});
  }
  return table.text() + "\n";
}

std::string names_of(const Evaluation& x, const std::vector<std::size_t>& contestants) {
  std::string out;
  for (const std::size_t i : contestants) out += (out.empty() ? "" : ", ") + x.contestants[i].name;
  return out;
}

std::string patterns(const Evaluation& x, const base::Terminal& terminal) {
  std::string out = title("Who misses which traces", terminal);
  for (const Pattern& pattern : patterns_of(x)) {
    std::string who =
        pattern.missed.empty() ? "missed by nobody" : "missed by " + names_of(x, pattern.missed);
    if (!pattern.stopped.empty()) who += "; stopped: " + names_of(x, pattern.stopped);
    out += base::wrap(fmt::format("{}: {}", counted(pattern.traces.size(), "trace"), who), terminal.width, 2);
    std::string names;
    for (std::size_t i = 0; i < std::min(pattern.traces.size(), kTracesNamed); ++i) {
      names += (i == 0 ? "" : " ") + base::shown(x.traces[pattern.traces[i]].labelled.name);
    }
    if (pattern.traces.size() > kTracesNamed)
      names += fmt::format(" and {} more", grouped(pattern.traces.size() - kTracesNamed));
    out += base::wrap(names, terminal.width, 4);
  }
  return out + "\n";
}

std::string edges(const Evaluation& x) {
  TextTable table({{"First edge between the accesses of a race", left}, {"hb"}, {"shb"}, {"wcp"}});
  for (const auto& [kind, count] : edges_of(x))
    table.add({kind, grouped(count.hb), grouped(count.shb), grouped(count.wcp)});
  if (table.empty()) return "";
  TextTable races({{"What hides it", left},
                   {"earlier"},
                   {"later"},
                   {"from hb", left},
                   {"from shb", left},
                   {"from wcp", left}});
  std::size_t hidden = 0;
  for (const TraceResult& trace : x.traces) {
    for (std::size_t p = 0; p < trace.pairs.size(); ++p) {
      const labels::Pair& pair = trace.labelled.truth.pairs[p];
      if (!pair.race || !trace.pairs[p].shb || ++hidden > kRacesShown) continue;
      const LookedAt& at = trace.pairs[p];
      races.add({base::shown(trace.labelled.name), grouped(pair.earlier), grouped(pair.later),
                 base::shown(words_of(at.hb)), at.hb == at.shb ? "the same" : base::shown(words_of(at.shb)),
                 base::shown(words_of(at.wcp))});
    }
  }
  std::string out = table.text() + "\n";
  if (!races.empty()) out += races.text();
  if (hidden > kRacesShown)
    out += fmt::format("  and {} more; --format json has all\n", grouped(hidden - kRacesShown));
  return races.empty() ? out : out + "\n";
}

std::string published(const Evaluation& x) {
  const Published published = published_of(x);
  if (published.compared == 0) return "";
  std::string out = fmt::format("Published misses: {} of {} the same here\n",
                                grouped(published.compared - published.differences.size()),
                                counted(published.compared, "trace"));
  const auto listed = [](const std::vector<std::string>& orders) {
    std::string text;
    for (const std::string& order : orders) text += (text.empty() ? "" : ", ") + order;
    return text.empty() ? "nobody" : text;
  };
  for (const Published::Difference& one : published.differences) {
    out += fmt::format("  {}: published {}, here {}\n", base::shown(x.traces[one.trace].labelled.name),
                       listed(one.published), listed(one.here));
  }
  return out + "\n";
}

std::string findings(const Evaluation& x, const base::Terminal& terminal) {
  const auto all = findings_of(x);
  if (all.empty()) return "";
  std::string out = title("Findings", terminal);
  for (std::size_t i = 0; i < std::min(all.size(), kFindingsShown); ++i) {
    const TraceResult& trace = x.traces[all[i].trace];
    const labels::Pair& pair = trace.labelled.truth.pairs[all[i].pair];
    out += fmt::format("  {}: events {} and {}: {}\n", base::shown(trace.labelled.path), pair.earlier,
                       pair.later, meaning_of(all[i].what));
  }
  if (all.size() > kFindingsShown)
    out += fmt::format("  and {} more; --format json has all\n", grouped(all.size() - kFindingsShown));
  return out + "\n";
}

std::string failures(const Evaluation& x, const base::Terminal& terminal) {
  std::string out;
  std::size_t count = 0;
  for (const TraceResult& trace : x.traces) {
    for (std::size_t i = 0; i < trace.runs.size(); ++i) {
      if (trace.runs[i].end != End::failed || ++count > kFailuresShown) continue;
      out += fmt::format("  {} on {}: {}\n", x.contestants[i].name, base::shown(trace.labelled.path),
                         base::shown(trace.runs[i].why, 300));
    }
  }
  if (count > kFailuresShown)
    out += fmt::format("  and {} more; --format json has all\n", grouped(count - kFailuresShown));
  return out.empty() ? "" : title("Runs that failed", terminal) + out + "\n";
}

}  // namespace

std::string as_text(const Evaluation& evaluation, const base::Terminal& terminal) {
  std::string out = heading(evaluation) + engines(evaluation, scores_of(evaluation)) +
                    patterns(evaluation, terminal) + edges(evaluation) + published(evaluation) +
                    findings(evaluation, terminal) + failures(evaluation, terminal);
  out.pop_back();  // the empty line at the end
  return out;
}

}  // namespace deadheat::evaluate
