// What a thread knows between two of its events that change it: all that a history may ask of the present.
#pragma once

#include <cstdint>

#include "clock/time.h"

namespace deadheat::order {

// A set of held locks, by number. 0 is the empty one; odd ones have a lock that is held exclusively.
enum class LocksetId : std::uint32_t { empty = 0 };

inline constexpr std::uint32_t kEraUnknown = UINT32_MAX;

struct Moment {
  const clock::Time* times = nullptr;
  LocksetId held = LocksetId::empty;
  // How often the thread has told others something, of orders that count it; its slot, where threads share
  // slots. One word for both: checks go through arrays of these.
  std::uint32_t era = 0;

  friend bool operator==(const Moment&, const Moment&) = default;

  // Whether an earlier event is ordered before all that thread t does from here on.
  bool covers(ThreadId t, clock::Epoch e) const {
    // Without a branch, that would often be mispredicted.
    return static_cast<unsigned>(e.thread() == t) |
           static_cast<unsigned>(e.time() <= times[index(e.thread())]);
  }
};

}  // namespace deadheat::order
