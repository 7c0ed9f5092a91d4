#include <nlohmann/json.hpp>

#include "report/stat_report.h"

namespace deadheat::report {

namespace {

using Json = nlohmann::ordered_json;

Json counts(const Summary& s) {
  Json kinds = Json::object();
  for (std::size_t i = 0; i < kEventKinds; ++i) {
    kinds[std::string(name_of(static_cast<EventKind>(i)))] = s.by_kind[i];
  }
  return {{"events", s.events},
          {"events_by_kind", std::move(kinds)},
          {"threads", s.threads},
          {"locks", s.locks},
          {"variables", s.variables},
          {"channels", s.channels},
          {"barriers", s.barriers},
          {"sites", s.sites},
          {"stacks", s.stacks},
          {"max_locks_held", s.max_locks_held},
          {"max_locks_held_by_thread", s.max_locks_held_by_thread}};
}

Json threads(const StatReport& report, const Names& names) {
  Json list = Json::array();
  for (const ThreadId t : busiest_threads(report.summary, report.top)) {
    const Summary::Thread& thread = report.summary.per_thread[index(t)];
    list.push_back({{"thread", names.display(ObjectKind::thread, index(t))},
                    {"events", thread.events},
                    {"first", thread.first},
                    {"last", thread.last}});
  }
  return list;
}

Json scan_of(const StatReport::Scan& scan, const NamesFrom& from) {
  Json locks = Json::array(), variables = Json::array(), sites = Json::array();
  for (const analysis::LockUse& lock : scan.locks) {
    locks.push_back({{"lock", object_text(ObjectKind::lock, index(lock.lock), kAtTheEnd, from)},
                     {"acquires", lock.acquires},
                     {"contended", lock.contended},
                     {"shared", lock.shared},
                     {"reentries", lock.reentries},
                     {"threads", lock.threads}});
  }
  for (const analysis::VariableUse& x : scan.variables) {
    variables.push_back({{"variable", object_text(ObjectKind::variable, index(x.variable), kAtTheEnd, from)},
                         {"threads", x.threads},
                         {"accesses", x.accesses},
                         {"writes", x.writes}});
  }
  for (const analysis::SiteUse& site : scan.sites) {
    sites.push_back({{"site", place_of(site.site, from.names, from.symbols).text}, {"events", site.events}});
  }
  return {{"runs", scan.runs},
          {"longest_run", scan.longest_run},
          {"variables_accessed", scan.variables_used},
          {"variables_shared", scan.variables_shared},
          {"sites_used", scan.sites_used},
          {"most_contended_locks", std::move(locks)},
          {"most_shared_variables", std::move(variables)},
          {"busiest_sites", std::move(sites)}};
}

}  // namespace

std::string as_json(const StatReport& report, const NamesFrom& from) {
  Json json = {{"version", 1}, {"trace", report.trace}, {"incomplete", report.is_incomplete}};
  json["bytes"] = report.bytes == 0 ? Json() : Json(report.bytes);
  json.update(counts(report.summary));
  json["busiest_threads"] = threads(report, from.names);
  json["scan"] = report.scan ? scan_of(*report.scan, from) : Json();
  // Names are bytes of any kind; what is not UTF-8 is replaced, because JSON cannot hold it.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace deadheat::report
