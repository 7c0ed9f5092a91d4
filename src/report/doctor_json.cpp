#include <nlohmann/json.hpp>

#include "report/doctor_report.h"

namespace deadheat::report {

namespace {

using Json = nlohmann::ordered_json;

Json list_of(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& f : findings) {
    const char* const level = f.level == Finding::Level::ok     ? "ok"
                              : f.level == Finding::Level::note ? "note"
                                                                : "problem";
    Json one = {{"level", level}, {"topic", f.topic}, {"text", f.text}};
    if (!f.advice.empty()) one["advice"] = f.advice;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

std::string as_json(const DoctorReport& report) {
  Json out = {{"version", 1}, {"problem", report.has_problem()}, {"machine", list_of(report.machine)}};
  if (!report.binary.empty()) {
    out["binary"] = {{"path", report.binary}, {"findings", list_of(report.of_binary)}};
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace deadheat::report
