#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "base/shown.h"
#include "base/text_table.h"
#include "report/stat_report.h"

namespace deadheat::report {

namespace {

using base::grouped;
using base::TextTable;
using enum TextTable::Align;

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? ""
                    : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}
std::string ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? "0" : fmt::format("{:.1f}", static_cast<double>(a) / static_cast<double>(b));
}

std::string overview(const StatReport& report) {
  const Summary& s = report.summary;
  TextTable table({{"", left}, {""}, {"", left}});
  const auto row = [&](std::string_view what, std::uint64_t count, std::string remark = "") {
    table.add({std::string(what), grouped(count), std::move(remark)});
  };
  std::string size;
  if (report.bytes > 0) {
    size = base::byte_count(report.bytes);
    if (s.events > 0) size += fmt::format(", {} bytes each", ratio(report.bytes, s.events));
  }
  row("events", s.events, size);
  row("threads", s.threads,
      report.scan ? fmt::format("{} runs, {} events long on average, {} at most", grouped(report.scan->runs),
                                ratio(s.events, report.scan->runs), grouped(report.scan->longest_run))
                  : "");
  row("locks", s.locks,
      s.locks == 0 ? ""
                   : fmt::format("{} held at most by one thread, {} by all together",
                                 grouped(s.max_locks_held_by_thread), grouped(s.max_locks_held)));
  row("variables", s.variables,
      report.scan ? fmt::format("{} accessed, {} of them by more than one thread",
                                grouped(report.scan->variables_used), grouped(report.scan->variables_shared))
                  : "");
  if (s.channels > 0) row("channels", s.channels);
  if (s.barriers > 0) row("barriers", s.barriers);
  row("sites", s.sites,
      report.scan ? fmt::format("{} used by events", grouped(report.scan->sites_used)) : "");
  if (s.stacks > 0) row("stacks", s.stacks);
  if (!report.completeness.declared) table.add({"completeness", "", text_of(report.completeness)});
  return table.text();
}

std::string section(const TextTable& table, const std::string& remark) {
  return table.empty() ? "" : fmt::format("\n{}{}", table.text(), remark);
}

std::string kinds(const Summary& s) {
  TextTable table({{"Events by kind", left}, {""}, {""}});
  for (std::size_t i = 0; i < kEventKinds; ++i) {
    if (s.by_kind[i] == 0) continue;
    table.add({std::string(name_of(static_cast<EventKind>(i))), grouped(s.by_kind[i]),
               percent(s.by_kind[i], s.events)});
  }
  return section(table, "");
}

// "(10 of 1,000 shown)" behind a table that was cut.
std::string cut(std::size_t shown, std::uint64_t all) {
  return shown < all ? fmt::format("  ({} of {} shown)\n", grouped(shown), grouped(all)) : "";
}

std::string threads(const StatReport& report, const Names& names) {
  const Summary& s = report.summary;
  TextTable table({{"Busiest threads", left}, {"events"}, {""}, {"first"}, {"last"}});
  const auto busiest = busiest_threads(s, report.top);
  for (const ThreadId t : busiest) {
    const Summary::Thread& thread = s.per_thread[index(t)];
    table.add({base::shown(names.display(ObjectKind::thread, index(t))), grouped(thread.events),
               percent(thread.events, s.events), grouped(thread.first), grouped(thread.last)});
  }
  const auto active = std::count_if(s.per_thread.begin(), s.per_thread.end(),
                                    [](const Summary::Thread& thread) { return thread.events > 0; });
  return section(table, cut(busiest.size(), static_cast<std::uint64_t>(active)));
}

std::string locks(const StatReport::Scan& scan, const NamesFrom& from) {
  TextTable table({{"Most contended locks", left},
                   {"acquires"},
                   {"contended"},
                   {""},
                   {"as reader"},
                   {"re-entered"},
                   {"threads"}});
  for (const analysis::LockUse& lock : scan.locks) {
    table.add({base::shown(object_text(ObjectKind::lock, index(lock.lock), kAtTheEnd, from)),
               grouped(lock.acquires), grouped(lock.contended), percent(lock.contended, lock.acquires),
               grouped(lock.shared), grouped(lock.reentries), grouped(lock.threads)});
  }
  return section(table, "");
}

std::string variables(const StatReport::Scan& scan, const NamesFrom& from) {
  TextTable table({{"Most shared variables", left}, {"threads"}, {"accesses"}, {"writes"}, {""}});
  for (const analysis::VariableUse& x : scan.variables) {
    table.add({base::shown(object_text(ObjectKind::variable, index(x.variable), kAtTheEnd, from)),
               grouped(x.threads), grouped(x.accesses), grouped(x.writes), percent(x.writes, x.accesses)});
  }
  return section(table, cut(scan.variables.size(), scan.variables_used));
}

std::string sites(const StatReport& report, const NamesFrom& from) {
  TextTable table({{"Busiest sites", left}, {"events"}, {""}});
  for (const analysis::SiteUse& site : report.scan->sites) {
    table.add({base::shown(place_of(site.site, from.names, from.symbols).text), grouped(site.events),
               percent(site.events, report.summary.events)});
  }
  return section(table, cut(report.scan->sites.size(), report.scan->sites_used));
}

}  // namespace

std::vector<ThreadId> busiest_threads(const Summary& summary, std::size_t n) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t t = 0; t < summary.per_thread.size(); ++t) {
    if (summary.per_thread[t].events > 0) ids.push_back(t);
  }
  n = std::min(n, ids.size());
  std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(n), ids.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      const std::uint64_t x = summary.per_thread[a].events, y = summary.per_thread[b].events;
                      return x != y ? x > y : a < b;
                    });
  std::vector<ThreadId> out(n);
  std::transform(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(n), out.begin(),
                 [](std::uint32_t id) { return ThreadId{id}; });
  return out;
}

std::string as_text(const StatReport& report, const NamesFrom& from) {
  std::string out = fmt::format("{}\n{}", report.trace, overview(report));
  out += kinds(report.summary);
  out += threads(report, from.names);
  if (report.scan) out += locks(*report.scan, from) + variables(*report.scan, from) + sites(report, from);
  return out;
}

}  // namespace deadheat::report
