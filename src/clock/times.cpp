#include "clock/times.h"

#include <array>

#include "base/clones.h"

namespace deadheat::clock {

DEADHEAT_CLONES
void join_times(Time* to, const Time* a, const Time* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] > b[i] ? a[i] : b[i];
}

DEADHEAT_CLONES
std::size_t raise_times(Time* to, const Time* from, std::size_t n) {
  std::size_t rose = 0;
  for (std::size_t i = 0; i < n; ++i) {
    rose += from[i] > to[i] ? 1 : 0;
    to[i] = from[i] > to[i] ? from[i] : to[i];
  }
  return rose;
}

// Times are far below 2^63: b - a has its highest bit if and only if a is later. So it is subtracted and not
// compared, which compilers make vectors of.
DEADHEAT_CLONES
bool any_later(const Time* a, const Time* b, std::size_t n) {
  std::array<std::uint64_t, kStep> later{};
  for (std::size_t at = 0; at < n; at += kStep) {
    for (std::size_t i = 0; i < kStep; ++i) later[i] |= b[at + i] - a[at + i];
  }
  std::uint64_t any = 0;
  for (const std::uint64_t step : later) any |= step;
  return any >> 63 != 0;
}

DEADHEAT_CLONES
std::size_t next_later(const Time* a, const Time* b, std::size_t at, std::size_t n) {
  for (; at < n; at += kStep) {
    std::uint64_t later = 0;
    for (std::size_t i = at; i < at + kStep; ++i) later |= b[i] - a[i];
    if (later >> 63 != 0) return at;
  }
  return n;
}

}  // namespace deadheat::clock
