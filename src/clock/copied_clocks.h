// Clocks that are copied at every release and joined at every acquire (freestanding: see test/freestanding).
// ST, algorithm 2 of the paper on sampling timestamps (see docs/engines.md): what the others are measured by.
// Departs: the thread's own entry C_t(t) is beside its clock, and put in where a clock is copied; time
// compared is that of the access (the paper's e_t), so a thread never races with itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "clock/sampled_time.h"
#include "clock/time_vectors.h"
#include "clock/times.h"

namespace deadheat::clock {

template <class Memory>
class CopiedClocks {
 public:
  struct Own {
    TimeVector* clock = nullptr;  // C_t, but for its own entry
    SampledTime time;
  };
  struct Message {
    TimeVector* clock = nullptr;  // null as long as it says nothing
  };

  explicit CopiedClocks(std::uint32_t /*slots*/) {}
  CopiedClocks(const CopiedClocks&) = delete;
  CopiedClocks& operator=(const CopiedClocks&) = delete;

  void begin(std::uint32_t /*slot*/) {}
  bool reserve(std::uint32_t threads) { return vectors_.reserve(threads); }
  void start(Own& own, ThreadId) {
    own.time = {};
    widen(own);
  }
  void widen(Own& own) { own.clock = vectors_.wide(own.clock); }
  void bury(Own& own) {
    vectors_.drop(own.clock);
    own = {};
  }
  static Time get(const Own& own, ThreadId t) { return own.clock->get(index(t)); }

  // [acquire]
  void join(Own& own, ThreadId, Time /*now*/, const Message& message) {
    if (message.clock == nullptr) return;
    ++work_.acquires;
    work_.walked += message.clock->width;
    raise(*own.clock, *message.clock);  // line 17
  }
  // [release]
  void assign(Message& message, Own& own, ThreadId t, Time time) {
    ++work_.releases;
    work_.flushes += own.time.flush(time) ? 1 : 0;  // lines 19-21
    ++work_.copies;
    vectors_.copy(message.clock, *own.clock);  // line 22
    message.clock->set(index(t), own.time.flushed);
  }
  void release(Message& message, Own& own, ThreadId t, Time time) { assign(message, own, t, time); }
  void add(Message& message, Own& own, ThreadId t, Time time) {
    if (message.clock == nullptr) return assign(message, own, t, time);
    ++work_.releases;
    ++work_.sums;
    work_.flushes += own.time.flush(time) ? 1 : 0;
    message.clock = vectors_.wide(message.clock);
    raise(*message.clock, *own.clock);
    Time& mine = message.clock->times()[index(t)];
    if (own.time.flushed > mine) mine = own.time.flushed;
  }
  void add(Message& message, const Message& other) {
    if (other.clock == nullptr) return;
    if (message.clock == nullptr) return assign(message, other);
    ++work_.sums;
    message.clock = vectors_.wide(message.clock);
    raise(*message.clock, *other.clock);
  }
  void assign(Message& message, const Message& other) {
    if (other.clock == nullptr) return clear(message);
    ++work_.moved;
    vectors_.copy(message.clock, *other.clock);
  }
  void clear(Message& message) {
    vectors_.drop(message.clock);
    message = {};
  }

  const ClockWork& work() const { return work_; }
  std::size_t bytes() const { return vectors_.bytes(); }

 private:
  static void raise(TimeVector& to, const TimeVector& from) {
    join_times(to.times(), to.times(), from.times(), from.width);
  }

  TimeVectors<Memory> vectors_;
  ClockWork work_;
};

}  // namespace deadheat::clock
