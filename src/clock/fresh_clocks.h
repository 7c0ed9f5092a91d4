// Clocks with freshness: how often each clock has changed tells what need not be joined or copied
// (freestanding: see test/freestanding).
// SU, algorithm 3 of the paper on sampling timestamps (see docs/engines.md). The copy at a release is left
// out only where the releaser acquired what the object said last, as of a mutex (appendix A.2). An object
// that several threads released to is a sum: joined in full, and no number of a thread is fresher for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "clock/sampled_time.h"
#include "clock/time_vectors.h"
#include "clock/times.h"

namespace deadheat::clock {

template <class Memory>
class FreshClocks {
 public:
  struct Own {
    TimeVector* clock = nullptr;  // C_t
    TimeVector* fresh = nullptr;  // U_t
    SampledTime time;
  };
  struct Message {
    TimeVector* clock = nullptr;  // C_l; null as long as it says nothing
    TimeVector* fresh = nullptr;  // U_l; of a sum it means nothing
    ThreadId releaser{};          // LR_l
    bool sum = false;
  };

  explicit FreshClocks(std::uint32_t /*slots*/) {}
  FreshClocks(const FreshClocks&) = delete;
  FreshClocks& operator=(const FreshClocks&) = delete;

  void begin(std::uint32_t /*slot*/) {}
  bool reserve(std::uint32_t threads) { return vectors_.reserve(threads); }
  void start(Own& own, ThreadId) {
    own.time = {};
    widen(own);
  }
  void widen(Own& own) {
    own.clock = vectors_.wide(own.clock);
    own.fresh = vectors_.wide(own.fresh);
  }
  void bury(Own& own) {
    vectors_.drop(own.clock);
    vectors_.drop(own.fresh);
    own = {};
  }
  static Time get(const Own& own, ThreadId t) { return own.clock->get(index(t)); }

  // [acquire]
  void join(Own& own, ThreadId t, Time /*now*/, const Message& message) {
    if (message.clock == nullptr) return;
    ++work_.acquires;
    if (knows(own, t, message)) {  // line 7
      ++work_.acquires_skipped;
      return;
    }
    work_.walked += message.clock->width;
    if (!message.sum) raise(*own.fresh, *message.fresh);                // line 8
    own.fresh->times()[index(t)] += raise(*own.clock, *message.clock);  // lines 9-12
  }
  // [release] by one who acquired what the message said before.
  void release(Message& message, Own& own, ThreadId t, Time time) {
    ++work_.releases;
    flush(own, t, time);
    if (message.clock != nullptr && !message.sum && index(t) < message.fresh->width &&
        message.fresh->get(index(t)) == own.fresh->get(index(t))) {  // line 19
      message.releaser = t;                                          // line 14
      return;
    }
    leave(message, own, t);  // lines 20-21
  }
  // By anyone.
  void assign(Message& message, Own& own, ThreadId t, Time time) {
    ++work_.releases;
    flush(own, t, time);
    leave(message, own, t);
  }
  void add(Message& message, Own& own, ThreadId t, Time time) {
    ++work_.releases;
    flush(own, t, time);
    if (message.clock == nullptr || knows(own, t, message)) return leave(message, own, t);
    add_clock(message, *own.clock);
  }
  void add(Message& message, const Message& other) {
    if (other.clock == nullptr) return;
    if (message.clock == nullptr) return assign(message, other);
    add_clock(message, *other.clock);
  }
  void assign(Message& message, const Message& other) {
    if (other.clock == nullptr) return clear(message);
    ++work_.moved;
    vectors_.copy(message.clock, *other.clock);
    vectors_.copy(message.fresh, *other.fresh);
    message.releaser = other.releaser;
    message.sum = other.sum;
  }
  void clear(Message& message) {
    vectors_.drop(message.clock);
    vectors_.drop(message.fresh);
    message = {};
  }

  const ClockWork& work() const { return work_; }
  std::size_t bytes() const { return vectors_.bytes(); }

 private:
  // Whether all that the message says is known: the releaser has not changed since.
  static bool knows(const Own& own, ThreadId t, const Message& message) {
    if (message.sum) return false;
    const std::uint32_t u = index(message.releaser);
    return message.releaser == t || message.fresh->get(u) <= own.fresh->get(u);
  }
  void flush(Own& own, ThreadId t, Time time) {  // lines 15-18
    if (!own.time.flush(time)) return;
    ++work_.flushes;
    own.clock->set(index(t), own.time.flushed);
    ++own.fresh->times()[index(t)];
  }
  void leave(Message& message, const Own& own, ThreadId t) {
    ++work_.copies;
    vectors_.copy(message.clock, *own.clock);
    vectors_.copy(message.fresh, *own.fresh);
    message.releaser = t;
    message.sum = false;
  }
  void add_clock(Message& message, const TimeVector& clock) {
    ++work_.sums;
    message.clock = vectors_.wide(message.clock);
    raise(*message.clock, clock);
    message.sum = true;
  }

  static std::uint64_t raise(TimeVector& to, const TimeVector& from) {
    return raise_times(to.times(), from.times(), from.width);
  }

  TimeVectors<Memory> vectors_;
  ClockWork work_;
};

}  // namespace deadheat::clock
