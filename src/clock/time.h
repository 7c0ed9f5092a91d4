// Logical time. An event's time is its number in the trace plus one; 0 is before everything. So time passes
// with every event, a clock never has to be ticked, and an epoch says exactly which access it stands for.
#pragma once

#include <cstdint>

#include "deadheat/event.h"

namespace deadheat::clock {

using Time = std::uint64_t;
constexpr Time time_of(std::uint64_t event) { return event + 1; }

// One event: who and when, in a word. 2^24 threads, 2^40 events: a trace of terabytes.
class Epoch {
 public:
  constexpr Epoch() = default;
  constexpr Epoch(ThreadId t, Time time) : bits_(std::uint64_t{index(t)} << kTimeBits | time) {}

  constexpr ThreadId thread() const { return ThreadId{static_cast<std::uint32_t>(bits_ >> kTimeBits)}; }
  constexpr Time time() const { return bits_ & kMaxTime; }
  constexpr std::uint64_t event() const { return time() - 1; }  // of an epoch that is not none()
  constexpr bool none() const { return bits_ == 0; }
  // As a word, and back.
  constexpr std::uint64_t bits() const { return bits_; }
  static constexpr Epoch of_bits(std::uint64_t bits) {
    Epoch e;
    e.bits_ = bits;
    return e;
  }

  friend constexpr bool operator==(Epoch, Epoch) = default;

  static constexpr unsigned kTimeBits = 40;
  static constexpr Time kMaxTime = (Time{1} << kTimeBits) - 1;
  static constexpr std::uint32_t kMaxThreads = std::uint32_t{1} << (64 - kTimeBits);

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace deadheat::clock
