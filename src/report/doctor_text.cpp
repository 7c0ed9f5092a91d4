#include <fmt/format.h>

#include <algorithm>

#include "report/doctor_report.h"

namespace deadheat::report {

namespace {

std::string_view word_of(Finding::Level level) {
  switch (level) {
    case Finding::Level::ok:
      return "ok";
    case Finding::Level::note:
      return "note";
    case Finding::Level::problem:
      return "PROBLEM";
  }
  return "";
}

std::string lines_of(const std::vector<Finding>& findings) {
  constexpr int kLevel = 9, kTopic = 14;
  std::string out;
  for (const Finding& f : findings) {
    out += fmt::format("  {:<{}}{:<{}}{}\n", word_of(f.level), kLevel, f.topic, kTopic, f.text);
    if (!f.advice.empty()) out += fmt::format("  {:<{}}{}\n", "", kLevel + kTopic, f.advice);
  }
  return out;
}

}  // namespace

bool DoctorReport::has_problem() const {
  const auto is_problem = [](const Finding& f) { return f.level == Finding::Level::problem; };
  return std::ranges::any_of(machine, is_problem) || std::ranges::any_of(of_binary, is_problem);
}

std::string as_text(const DoctorReport& report) {
  std::string out = "This machine\n" + lines_of(report.machine);
  if (!report.binary.empty()) out += fmt::format("\n{}\n{}", report.binary, lines_of(report.of_binary));
  return out;
}

}  // namespace deadheat::report
