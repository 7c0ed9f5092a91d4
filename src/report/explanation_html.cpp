// One page without anything from elsewhere: a column a thread, the racing pair last.
#include <fmt/format.h>

#include "base/format.h"
#include "report/explanation.h"
#include "report/html.h"
#include "report/words.h"

namespace deadheat::report {

namespace {

using base::counted;
using base::grouped;

constexpr std::string_view kStyle =
    "body{font:15px/1.45 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1b1b1f;"
    "background:#fff}table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.2rem "
    ".7rem}"
    "th{border-bottom:2px solid "
    "#888;position:sticky;top:0;background:#fff}td.n{color:#767680;text-align:right;"
    "font-variant-numeric:tabular-nums}td.f{color:#767680}.p{color:#60606a;font-size:.85em}"
    ".l{border-left:3px solid #4a78c8;padding-left:.5rem}tr.race td div{background:#ffe1dc;border-left:3px "
    "solid "
    "#c02b1d;padding-left:.5rem}@media(prefers-color-scheme:dark){body,th{background:#16161a;color:#e6e6ea}"
    "tr.race td div{background:#4d1c16}}";

std::string row(const Explanation& x, const Explanation::Step& step, bool racing) {
  std::string out;
  if (step.folded > 0) {
    out += fmt::format("<tr><td class=n></td><td class=f colspan={}>&hellip; {}</td></tr>\n",
                       x.threads.size(), counted(step.folded, "step"));
  }
  out += fmt::format("<tr{}><td class=n>{}</td>", racing ? " class=race" : "", grouped(step.event));
  for (std::size_t i = 0; i < x.threads.size(); ++i) {
    if (i != step.thread) {
      out += "<td></td>";
      continue;
    }
    std::string cell = escaped(step.what);
    if (step.place.known()) cell += fmt::format("<br><span class=p>{}</span>", escaped(step.place.text));
    for (unsigned d = 0; d < step.depth && d < 6; ++d) cell = fmt::format("<div class=l>{}</div>", cell);
    out += fmt::format("<td><div>{}</div></td>", cell);
  }
  return out + "</tr>\n";
}

std::string apart(const Explanation& x) {
  if (!x.ordered) {
    return "<p>In this run nothing kept them apart: no chain of one thread waiting for another leads from "
           "the first "
           "access to the second.</p>\n";
  }
  std::string out = "<p>In this run the second access came after the first because:</p>\n<ul>\n";
  for (const Explanation::Link& link : x.links) {
    const std::string signal = link.wait.kind == EventKind::join
                                   ? ""
                                   : fmt::format("{} {}", escaped(link.signal.thread),
                                                 escaped(what_it_did(link.signal.thread, link.signal)));
    const std::string wait =
        link.wait.kind == EventKind::fork
            ? ""
            : fmt::format("{} {}", escaped(link.waiter), escaped(what_it_did(link.waiter, link.wait)));
    out +=
        fmt::format("<li>{}{}{}</li>\n", signal, signal.empty() || wait.empty() ? "" : ", and then ", wait);
  }
  return out + "</ul>\n";
}

}  // namespace

std::string as_html(const Explanation& x) {
  const std::string title = fmt::format("{} of {}", kind_of(x.race), escaped(x.race.variable));
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
      "content=\"width=device-width\">\n<title>{}</title><style>{}</style></head><body>\n<h1>{}</h1>\n"
      "<p>{}, {} [{}]</p>\n<ul>\n",
      title, kStyle, title, escaped(x.trace), standing(x), x.race.fingerprint.text());
  for (const Access* access : {&x.race.earlier, &x.race.later}) {
    out += fmt::format("<li>{} {} {} {}, holding {}</li>\n", escaped(access->thread), verb_of(access->kind),
                       escaped(x.race.variable), escaped(at(access->place, access->event)),
                       escaped(listed(access->locks)));
  }
  out += "</ul>\n";
  if (x.state != Explanation::State::same_thread) out += "<h2>What kept them apart</h2>\n" + apart(x);
  if (!x.race.proof) return out + fmt::format("<p>{}</p>\n</body></html>\n", escaped(x.conclusion));
  out += "<h2>A schedule that brings them together</h2>\n";
  out += "<table>\n<tr><th>event</th>";
  for (const std::string& thread : x.threads) out += fmt::format("<th>{}</th>", escaped(thread));
  out += "</tr>\n";
  if (x.as_in_trace > 0) {
    out +=
        fmt::format("<tr><td class=n></td><td class=f colspan={}>the first {}, as in the trace</td></tr>\n",
                    x.threads.size(), counted(x.as_in_trace, "event"));
  }
  for (std::size_t i = 0; i < x.steps.size(); ++i) out += row(x, x.steps[i], i + 2 >= x.steps.size());
  out += "</table>\n<p>Now both accesses are next, in any order or at once: the race.</p>\n";
  for (const Explanation::Stop& stop : x.stops) {
    out += fmt::format(
        "<p>{} does not do {} that it did in the trace before the second access; the first of them {}.</p>\n",
        escaped(stop.thread), counted(stop.events, "event"), escaped(stop.next));
  }
  return out + "</body></html>\n";
}

}  // namespace deadheat::report
