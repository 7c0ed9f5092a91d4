// What `deadheat doctor` found out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace deadheat::report {

struct Finding {
  enum class Level : std::uint8_t { ok, note, problem };
  Level level = Level::ok;
  std::string topic;     // "kernel", "runtime": a word or two
  std::string text;      // what is there
  std::string advice{};  // what to do, where there is something to do
};

struct DoctorReport {
  std::vector<Finding> machine;
  std::string binary{};  // "": none was asked about
  std::vector<Finding> of_binary{};

  bool has_problem() const;
};

std::string as_text(const DoctorReport& report);
std::string as_json(const DoctorReport& report);

}  // namespace deadheat::report
