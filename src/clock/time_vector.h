// A vector of times in memory that is handed in. Freestanding: see test/freestanding.
#pragma once

#include <cstddef>
#include <cstdint>

#include "clock/time.h"
#include "clock/times.h"

namespace deadheat::clock {

class TimeVector {
 public:
  std::uint32_t references;
  std::uint32_t width;

  static std::size_t bytes_of(std::uint32_t width) { return sizeof(TimeVector) + width * sizeof(Time); }

  Time* times() { return reinterpret_cast<Time*>(this + 1); }
  const Time* times() const { return reinterpret_cast<const Time*>(this + 1); }

  Time get(std::uint32_t u) const { return times()[u]; }
  void set(std::uint32_t u, Time time) { times()[u] = time; }
  void set_unlisted(std::uint32_t u, Time time) { set(u, time); }
  std::uint64_t count() const { return width; }
  // f(thread, time) for the entries of which that of `than`, which is not narrower, is smaller. (How many
  // have changed since who asks looked last does not tell which.)
  template <class F>
  void walk(std::uint64_t /*news*/, const TimeVector& than, F&& f) const {
    each_later(times(), than.times(), width, f);
  }
  template <class F>
  void for_each(F&& f) const {
    for (std::uint32_t u = 0; u < width; ++u) f(u, get(u));
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
