// A vector of times in memory that is handed in. Freestanding: see test/freestanding.
#pragma once

#include <cstddef>
#include <cstdint>

#include "clock/time.h"

namespace deadheat::clock {

class TimeVector {
 public:
  std::uint32_t references;
  std::uint32_t width;

  static std::size_t bytes_of(std::uint32_t width) { return sizeof(TimeVector) + width * sizeof(Time); }
  static constexpr std::size_t bytes_of_entry() { return sizeof(Time); }

  Time* times() { return reinterpret_cast<Time*>(this + 1); }
  const Time* times() const { return reinterpret_cast<const Time*>(this + 1); }

  Time get(std::uint32_t u) const { return times()[u]; }
  void set(std::uint32_t u, Time time) { times()[u] = time; }
  // f(thread, time) for the entries, of which at most `news` have changed since who asks looked last: here
  // nobody can tell which. Returns how many it looked at.
  template <class F>
  std::uint64_t walk(std::uint64_t /*news*/, F&& f) const {
    for (std::uint32_t u = 0; u < width; ++u) f(u, get(u));
    return width;
  }

  // In memory of bytes_of(width).
  void start(std::uint32_t entries) {
    references = 1;
    width = entries;
    for (std::uint32_t u = 0; u < width; ++u) times()[u] = 0;
  }
  // The same as another that is not wider.
  void copy(const TimeVector& from, std::uint32_t entries) {
    references = 1;
    width = entries;
    __builtin_memcpy(times(), from.times(), from.width * sizeof(Time));
    for (std::uint32_t u = from.width; u < width; ++u) times()[u] = 0;
  }
};

}  // namespace deadheat::clock
