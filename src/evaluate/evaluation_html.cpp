#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "evaluate/plots.h"
#include "evaluate/scores.h"
#include "evaluate/writers.h"
#include "report/html.h"

namespace deadheat::evaluate {

namespace {

using base::counted;
using base::grouped;
using report::escaped;

constexpr std::string_view kStyle =
    ":root{--ink:#1b1b1f;--paper:#fff;--soft:#60606a;--rule:#d8d8de;--good:#2f7d4f;--bad:#c02b1d;--stop:"
    "#b07a12;--badbg:#ffe1dc;--stopbg:#fff0cf;--goodbg:#e3f3e8}@media(prefers-color-scheme:dark){:root{--ink:"
    "#e6e6ea;--paper:#16161a;--soft:#a0a0aa;--rule:#3a3a42;--good:#5fb585;--bad:#ef6a5b;--stop:#e0b04f;"
    "--badbg:#4d1c16;--stopbg:#46350c;--goodbg:#17372a}}body{font:15px/1.45 system-ui,sans-serif;max-width:"
    "84rem;margin:2rem auto;padding:0 1rem;color:var(--ink);background:var(--paper)}table{border-collapse:"
    "collapse;font-variant-numeric:tabular-nums}.wide{overflow-x:auto}th,td{padding:.2rem .7rem;text-align:"
    "right;border-bottom:1px solid var(--rule);white-space:nowrap}th{border-bottom:2px solid var(--soft);"
    "vertical-align:bottom}th:first-child,td:first-child,.l{text-align:left}td.w{white-space:normal;"
    "text-align:left}.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(260px,1fr));gap:"
    ".5rem}figure{margin:0}svg{width:100%;height:auto;font:10px system-ui,sans-serif}svg text{fill:"
    "var(--soft)}svg .t{fill:var(--ink);font-size:13px;font-weight:600}.g{stroke:var(--rule)}.f{fill:"
    "var(--good)}.m{fill:var(--badbg)}.d{fill:var(--good);opacity:.6}.s{fill:var(--stop)}td.y{background:"
    "var(--goodbg)}td.n{background:var(--badbg)}td.x{background:var(--stopbg)}.p{color:var(--soft)}";

std::string row_of(const Score& s, const std::string& name) {
  const bool any = s.found + s.missed > 0;
  return fmt::format(
      "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.2f}"
      "</td><td>{}</td><td class=l>{}</td></tr>\n",
      escaped(name), grouped(s.found), grouped(s.missed),
      any ? fmt::format("{:.1f} %", 100 * s.recall()) : "-", grouped(s.sure), grouped(s.alone),
      grouped(s.reports), s.is_judged ? fmt::format("{} of {}", grouped(s.wrong), grouped(s.judged)) : "-",
      s.cpu_s, base::byte_count(s.peak_bytes), stops_of(s));
}

std::string engines(const Evaluation& x) {
  std::string out =
      "<div class=wide><table><tr><th>engine</th><th>found</th><th>missed</th><th>recall</th><th>sure</th>"
      "<th>alone</th><th>reports</th><th>false</th><th>CPU s</th><th>peak memory</th><th class=l>stopped</th>"
      "</tr>\n";
  const auto scores = scores_of(x);
  for (std::size_t i = 0; i < scores.size(); ++i) out += row_of(scores[i], x.contestants[i].name);
  return out +
         "</table></div>\n<p class=p>Sure: found, and observed in the run or proved by a schedule. "
         "Alone: found by nobody else. False: reports that are known to be no race, of those of which "
         "the labels know.</p>\n";
}

std::string findings(const Evaluation& x) {
  const auto all = findings_of(x);
  if (all.empty()) return "";
  std::string out = "<h2>Findings</h2>\n<ul>\n";
  for (const Finding& finding : all) {
    const TraceResult& trace = x.traces[finding.trace];
    const labels::Pair& pair = trace.labelled.truth.pairs[finding.pair];
    out += fmt::format("<li>{}, events {} and {}: {}</li>\n", escaped(trace.labelled.path),
                       grouped(pair.earlier), grouped(pair.later), escaped(meaning_of(finding.what)));
  }
  return out + "</ul>\n";
}

std::string edges(const Evaluation& x) {
  std::string out =
      "<h2>What hides races</h2>\n<p>The first edge on a path from the earlier access to the later one, as "
      "happens-before (hb), schedulable happens-before (shb) and weak causal precedence (wcp) have it.</p>\n"
      "<table><tr><th>edge</th><th>hb</th><th>shb</th><th>wcp</th></tr>\n";
  for (const auto& [kind, count] : edges_of(x)) {
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", kind, grouped(count.hb),
                       grouped(count.shb), grouped(count.wcp));
  }
  return out + "</table>\n";
}

std::string cell_of(const TraceResult& trace, std::size_t i) {
  const Mark mark = mark_of(trace, i);
  if (mark.end != End::done)
    return fmt::format("<td class=x title=\"{}\">{}</td>", escaped(trace.runs[i].why), name_of(mark.end));
  const std::uint64_t races = mark.found + mark.missed;
  std::string text = races == 0 ? "" : fmt::format("{} of {}", mark.found, races);
  if (mark.wrong > 0) text += fmt::format("{}{} false", text.empty() ? "" : ", ", grouped(mark.wrong));
  const char* const style = mark.missed > 0 || mark.wrong > 0 ? "n" : "y";
  return fmt::format("<td class={}>{}</td>", style, text.empty() ? "none" : text);
}

std::string matrix(const Evaluation& x) {
  std::string out =
      "<h2>Trace by trace</h2>\n<p>Races found, of those that are known, by each engine; and the first edge "
      "that hides the first race from happens-before, from SHB and from WCP.</p>\n<div class=wide><table><tr>"
      "<th>trace</th><th>events</th>";
  for (const Contestant& contestant : x.contestants)
    out += fmt::format("<th>{}</th>", escaped(contestant.name));
  out += "<th class=l>hb</th><th class=l>shb</th><th class=l>wcp</th></tr>\n";
  for (const TraceResult& trace : x.traces) {
    out += fmt::format("<tr><td>{}</td><td>{}</td>", escaped(trace.labelled.name),
                       grouped(trace.labelled.truth.events));
    for (std::size_t i = 0; i < x.contestants.size(); ++i) out += cell_of(trace, i);
    const auto& pairs = trace.labelled.truth.pairs;
    const auto first = std::ranges::find(pairs, true, &labels::Pair::race) - pairs.begin();
    for (const auto edge : {&LookedAt::hb, &LookedAt::shb, &LookedAt::wcp}) {
      const bool any = static_cast<std::size_t>(first) < pairs.size();
      const std::string words = any ? words_of(trace.pairs[static_cast<std::size_t>(first)].*edge) : "";
      out += fmt::format("<td class=\"l p\">{}</td>", escaped(words));
    }
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string patterns(const Evaluation& x) {
  std::string out =
      "<h2>Who misses which traces</h2>\n<table><tr><th>traces</th><th class=l>missed by</th><th class=l>"
      "stopped</th></tr>\n";
  const auto names = [&](const std::vector<std::size_t>& contestants) {
    std::string text;
    for (const std::size_t i : contestants)
      text += (text.empty() ? "" : ", ") + escaped(x.contestants[i].name);
    return text;
  };
  for (const Pattern& pattern : patterns_of(x)) {
    out += fmt::format("<tr><td>{}</td><td class=w>{}</td><td class=w>{}</td></tr>\n",
                       grouped(pattern.traces.size()),
                       pattern.missed.empty() ? "nobody" : names(pattern.missed), names(pattern.stopped));
  }
  return out + "</table>\n";
}

std::string published(const Evaluation& x) {
  const Published published = published_of(x);
  if (published.compared == 0) return "";
  return fmt::format(
      "<p>What was published about who misses these traces is the same here for {} of {}.</p>\n",
      grouped(published.compared - published.differences.size()), counted(published.compared, "trace"));
}

}  // namespace

std::string as_html(const Evaluation& x) {
  std::uint64_t races = 0;
  for (const TraceResult& trace : x.traces) {
    for (const labels::Pair& pair : trace.labelled.truth.pairs) races += pair.race ? 1 : 0;
  }
  std::string folders;
  for (const labels::Folder& folder : x.folders)
    folders += (folders.empty() ? "" : ", ") + escaped(folder.path);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
      "content=\"width=device-width\">\n<title>Race detectors on {}</title><style>{}</style></head><body>\n"
      "<h1>Race detectors on labelled traces</h1>\n<p>{}: {}, {} known. Each run has {} s of CPU time and "
      "{}. "
      "A run that was stopped is no miss: recall is of the runs that came to an end.{}</p>\n",
      folders, kStyle, folders, counted(x.traces.size(), "trace"), counted(races, "race"),
      static_cast<double>(x.limits.cpu.count()) / 1000, base::byte_count(x.limits.bytes),
      x.literal_threads ? " Forks are read literally." : "");
  out += engines(x) + published(x) + findings(x);
  out += "<h2>Recall by distance</h2>\n<div class=plots>\n" + recall_by_distance(x) + "</div>\n";
  out += "<h2>Time by length</h2>\n<div class=plots>\n" + time_by_length(x) + "</div>\n";
  out += patterns(x) + edges(x) + matrix(x);
  return out + "</body></html>\n";
}

}  // namespace deadheat::evaluate
