#include "base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace deadheat::base {

namespace {

// Three digits and the unit: the largest one that leaves at least 1.
std::string scaled(double value, double step, std::span<const std::string_view> units) {
  std::size_t unit = 0;
  // 999.95 would be shown as 1000: go on to the next unit as soon as rounding gets there.
  while (unit + 1 < units.size() && std::round(value * 10) / 10 >= (unit == 0 ? step : 1000.0)) {
    value /= step;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f}{}", value, units[0]);
  return fmt::format("{:.{}f} {}", value, value < 99.95 ? 1 : 0, units[unit]);
}

}  // namespace

std::string grouped(std::uint64_t count) {
  std::string out = std::to_string(count);
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, 1, ',');
  return out;
}

std::string short_count(double count) {
  constexpr std::string_view kUnits[] = {"", "k", "M", "G", "T", "P", "E"};
  return scaled(std::max(count, 0.0), 1000, kUnits);
}

std::string byte_count(std::uint64_t bytes) {
  constexpr std::string_view kUnits[] = {" bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  return bytes == 1 ? "1 byte" : scaled(static_cast<double>(bytes), 1024, kUnits);
}

std::string minutes(std::chrono::nanoseconds time) {
  const auto whole = std::chrono::round<std::chrono::seconds>(std::max(time, std::chrono::nanoseconds(0)));
  const auto seconds = whole.count();
  if (seconds < 3600) return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

}  // namespace deadheat::base
