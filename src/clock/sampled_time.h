// The times of one thread, as others can know them, where only some accesses count: the sample S.
// "Sampling-based race detection" counts local epochs, which pass at the first release behind an access of S.
// Here such a release's own time stands for the epoch: accesses up to it have smaller times, later ones
// larger.
#pragma once

#include <cstddef>
#include <cstdint>

#include "clock/time.h"

namespace deadheat::clock {

struct SampledTime {
  Time sampled = 0;  // of the last access in S
  Time flushed = 0;  // C_t(t): of the first release behind the last access in S that others can know of

  // At a release. True if others have something new to know.
  bool flush(Time now) {
    if (sampled <= flushed) return false;
    flushed = now;
    return true;
  }
};

// What clocks did, and what they were spared.
struct ClockWork {
  std::uint64_t acquires = 0;          // of something that was released
  std::uint64_t acquires_skipped = 0;  // of these, known to bring nothing without a look at a clock
  std::uint64_t releases = 0;
  std::uint64_t flushes = 0;  // of these, the first behind an access in S
  std::uint64_t copies = 0;   // of whole clocks: at releases, or later if these left a reference
  std::uint64_t sums = 0;     // of what several threads released
  std::uint64_t moved = 0;    // clocks copied from object to object, as atomics do
  std::uint64_t walked = 0;   // entries that may be news, in acquires that were not skipped
  std::uint64_t saved = 0;    // the other entries in these
  std::uint64_t operations() const { return acquires - acquires_skipped + copies + sums + moved; }
};

}  // namespace deadheat::clock
