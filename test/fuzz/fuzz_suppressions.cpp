// A file of suppressions, tried on a race.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "report/suppressions.h"

using namespace deadheat::report;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Suppressions suppressions;
  if (!suppressions.parse({reinterpret_cast<const char*>(data), size}, "file")) return 0;
  Race race;
  race.variable = "balance";
  race.earlier.place = {
      .text = "bank.c:32 (charge_fee)", .file = "bank.c", .function = "charge_fee", .line = 32};
  race.earlier.stack = {race.earlier.place, {.text = "aaaaaaab", .file = {}, .function = {}}};
  static_cast<void>(suppressions.hit(race));
  static_cast<void>(suppressions.used());
  return 0;
}
