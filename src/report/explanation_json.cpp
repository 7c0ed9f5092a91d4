#include <nlohmann/json.hpp>

#include "report/explanation.h"
#include "report/witness_file.h"
#include "report/words.h"

namespace deadheat::report {

namespace {

using Json = nlohmann::ordered_json;

Json side_json(const Access& access) {
  return {{"event", access.event},
          {"thread", access.thread},
          {"access", noun_of(access.kind)},
          {"site", access.place.known() ? Json(access.place.text) : Json()}};
}

}  // namespace

std::string as_json(const Explanation& x, std::string_view tool_version) {
  Json links = Json::array(), steps = Json::array(), stops = Json::array();
  for (const Explanation::Link& link : x.links) {
    links.push_back(
        {{"signal", {{"event", link.signal.event}, {"text", what_it_did(link.signal.thread, link.signal)}}},
         {"wait", {{"event", link.wait.event}, {"text", what_it_did(link.waiter, link.wait)}}},
         {"from", link.signal.thread},
         {"to", link.waiter}});
  }
  for (const Explanation::Step& step : x.steps) {
    steps.push_back({{"event", step.event},
                     {"thread", x.threads[step.thread]},
                     {"what", step.what},
                     {"site", step.place.known() ? Json(step.place.text) : Json()},
                     {"locks_held", step.depth},
                     {"folded_before", step.folded}});
  }
  for (const Explanation::Stop& stop : x.stops) {
    stops.push_back({{"thread", stop.thread}, {"events", stop.events}, {"first", stop.next}});
  }
  const Json json = {
      {"version", 1},
      {"tool", {{"name", "deadheat"}, {"version", tool_version}}},
      {"trace", x.trace},
      {"incomplete", x.is_incomplete},
      {"fingerprint", x.race.fingerprint.text()},
      {"kind", kind_of(x.race)},
      {"variable", x.race.variable},
      {"state", name_of(x.state)},
      {"conclusion", x.conclusion},
      {"grade", is_no_race(x) ? Json() : Json(name_of(x.race.grade))},
      {"earlier", side_json(x.race.earlier)},
      {"later", side_json(x.race.later)},
      {"ordered", x.ordered},
      {"links", std::move(links)},
      {"schedule", !x.race.proof ? Json()
                                 : Json{{"witness", Json::parse(as_json(x.race.proof->witness))},
                                        {"how", x.race.proof->how},
                                        {"as_in_trace", x.as_in_trace},
                                        {"steps", std::move(steps)},
                                        {"stops", std::move(stops)}}}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace deadheat::report
