// Clocks of which equal ones are one, and which remember what two of them joined make. Where few accesses are
// sampled there are few different clocks, however many threads, locks and atomics have them: to compare is to
// compare pointers, a release leaves a reference, and a join that was done before is looked up. That holds
// for every kind of synchronisation, also where several threads release to one object. Freestanding: see
// test/freestanding.
//
// Of sampled happens-before as versioned_clocks.h has it. Departs: the thread's own entry is in its clock, so
// that a thread and what it released to can have the same one.
// To find equals and results is a matter of speed only, so the tables that serve it have a fixed size, and
// what does not fit is forgotten.
//
// Memory: void* get(std::size_t bytes), void put(void*, std::size_t bytes).
#pragma once

#include <cstddef>
#include <cstdint>

#include "clock/sampled_time.h"
#include "clock/time.h"
#include "clock/times.h"

namespace deadheat::clock {

// Sizes of the tables: powers of two.
template <class Memory, std::size_t kClocks = 1024, std::size_t kJoins = 1024>
class InternedClocks {
 public:
  // Never changes but for the count.
  struct Clock {
    std::uint32_t references;
    std::uint32_t width;
    std::uint64_t number;  // never another's
    std::uint64_t hash;    // of the times

    Time* times() { return reinterpret_cast<Time*>(this + 1); }
    const Time* times() const { return reinterpret_cast<const Time*>(this + 1); }
  };
  struct Own {
    Clock* clock = nullptr;
    SampledTime time;
  };
  struct Message {
    Clock* clock = nullptr;  // null as long as it says nothing
  };

  explicit InternedClocks(std::uint32_t /*slots*/) {}
  InternedClocks(const InternedClocks&) = delete;
  InternedClocks& operator=(const InternedClocks&) = delete;

  void begin(std::uint32_t /*slot*/) {}
  bool reserve(std::uint32_t threads) {
    if (threads <= width_) return false;
    forget();
    width_ = static_cast<std::uint32_t>(whole_steps(threads > 2 * width_ ? threads : 2 * width_));
    while (joins_kept_ > 1 && joins_kept_ * bytes_of(width_) > kMostKept) joins_kept_ /= 2;
    return true;
  }
  void start(Own& own, ThreadId) {
    own.time = {};
    Clock* const zero = room();
    for (std::uint32_t u = 0; u < width_; ++u) zero->times()[u] = 0;
    own.clock = interned(zero, hash_times(zero->times(), width_));
  }
  void widen(Own& own) {
    if (own.clock == nullptr) return start(own, ThreadId{});
    Clock* const narrow = own.clock;
    own.clock = widened(narrow);
    drop(narrow);
  }
  void bury(Own& own) {
    drop(own.clock);
    own = {};
  }

  static Time get(const Own& own, ThreadId t) { return own.clock->times()[index(t)]; }

  // [acquire] own := own |_| message, for thread t.
  void join(Own& own, ThreadId, Time /*now*/, const Message& message) {
    if (message.clock == nullptr) return;
    ++work_.acquires;
    if (message.clock == own.clock) {
      ++work_.acquires_skipped;
    } else {
      work_.acquires_skipped += join_other(own.clock, message.clock) ? 1 : 0;
    }
  }
  // [release] message := what thread t, at `time`, knows.
  void assign(Message& message, Own& own, ThreadId t, Time time) {
    pass_time(own, t, time);
    refer(message.clock, own.clock);
  }
  void release(Message& message, Own& own, ThreadId t, Time time) { assign(message, own, t, time); }
  // message := message |_| what thread t, at `time`, knows.
  void add(Message& message, Own& own, ThreadId t, Time time) {
    pass_time(own, t, time);
    add_clock(message, own.clock);
  }
  void add(Message& message, const Message& other) {
    if (other.clock != nullptr) add_clock(message, other.clock);
  }
  void assign(Message& message, const Message& other) {
    if (other.clock == nullptr) return clear(message);
    refer(message.clock, other.clock);
  }
  void clear(Message& message) {
    drop(message.clock);
    message.clock = nullptr;
  }

  const ClockWork& work() const { return work_; }
  std::size_t bytes() const { return memory_.bytes() + sizeof *this; }

 private:
  static constexpr std::size_t kMostKept = std::size_t{4}
                                           << 20;  // bytes of clocks that only joins_ refers to

  struct Join {
    std::uint64_t smaller = 0, larger = 0;  // numbers; no clock has number 0
    Clock* result = nullptr;                // one reference
  };

  static std::size_t bytes_of(std::uint32_t width) { return sizeof(Clock) + width * sizeof(Time); }
  Clock* room() { return static_cast<Clock*>(memory_.get(bytes_of(width_))); }
  void drop(Clock* clock) {
    if (clock != nullptr && --clock->references == 0) destroy(clock);
  }
  [[gnu::noinline]] void destroy(Clock* clock) {
    Clock*& place = place_of(clock->hash);
    if (place == clock) place = nullptr;
    memory_.put(clock, bytes_of(clock->width));
  }
  void refer(Clock*& from, Clock* to) {
    if (from == to) return;
    ++to->references;
    drop(from);
    from = to;
  }

  // The first release behind an access in S tells others of a new time.
  void pass_time(Own& own, ThreadId t, Time time) {
    ++work_.releases;
    if (own.time.flush(time)) [[unlikely]]
      renew(own, t);
  }
  [[gnu::noinline]] void renew(Own& own, ThreadId t) {
    ++work_.flushes;
    ++work_.copies;
    Clock* const clock = copied(own.clock);
    clock->times()[index(t)] = own.time.flushed;
    drop(own.clock);
    own.clock = interned(clock, hash_times(clock->times(), width_));
  }
  void add_clock(Message& message, Clock* clock) {
    if (message.clock == nullptr) return refer(message.clock, clock);
    if (message.clock != clock && !join_other(message.clock, clock)) ++work_.sums;
  }

  // to := to |_| other. True if that was known already.
  [[gnu::noinline]] bool join_other(Clock*& to, Clock* other) {
    const bool in_order = to->number < other->number;
    const std::uint64_t smaller = in_order ? to->number : other->number;
    const std::uint64_t larger = in_order ? other->number : to->number;
    Join& join =
        joins_[(smaller * 0x9E3779B97F4A7C15u + larger * 0xC2B2AE3D27D4EB4Fu) >> 32 & (joins_kept_ - 1)];
    const bool known = join.smaller == smaller && join.larger == larger;
    if (!known) {
      Clock* const result = made_of(to, other);
      drop(join.result);
      join = {smaller, larger, result};
    }
    refer(to, join.result);
    return known;
  }
  // With a reference to it.
  Clock* made_of(Clock* a, Clock* b) {
    work_.walked += width_;
    // Those of a time when there were fewer threads.
    if (a->width < width_ || b->width < width_) {
      Clock *const wide_a = widened(a), *const wide_b = widened(b);
      Clock* const result = made_of_wide(wide_a, wide_b);
      drop(wide_a);
      drop(wide_b);
      return result;
    }
    return made_of_wide(a, b);
  }
  Clock* made_of_wide(Clock* a, Clock* b) {
    Clock* const result = room();
    const JoinedTimes joined = join_and_compare(result->times(), a->times(), b->times(), width_);
    if (!joined.like_a && !joined.like_b) {
      ++work_.copies;
      return interned(result, joined.hash);
    }
    memory_.put(result, bytes_of(width_));
    // Equals that were not found to be so: the older one is to stay.
    Clock* const same = joined.like_a && (!joined.like_b || a->number < b->number) ? a : b;
    ++same->references;
    return same;
  }

  Clock* copied(const Clock* from) {
    Clock* const clock = room();
    __builtin_memcpy(clock->times(), from->times(), from->width * sizeof(Time));
    for (std::uint32_t u = from->width; u < width_; ++u) clock->times()[u] = 0;
    return clock;
  }
  Clock* widened(Clock* clock) {
    if (clock->width == width_) {
      ++clock->references;
      return clock;
    }
    Clock* const wide = copied(clock);
    return interned(wide, hash_times(wide->times(), width_));
  }

  Clock*& place_of(std::uint64_t hash) { return clocks_[hash & (kClocks - 1)]; }
  // The clock that has these times already, or this one from now on; with a reference to it.
  Clock* interned(Clock* clock, std::uint64_t hash) {
    Clock*& place = place_of(hash);
    if (place != nullptr && place->hash == hash && place->width == width_ &&
        __builtin_memcmp(place->times(), clock->times(), width_ * sizeof(Time)) == 0) {
      memory_.put(clock, bytes_of(width_));
      ++place->references;
      return place;
    }
    clock->references = 1;
    clock->width = width_;
    clock->number = ++numbers_;
    clock->hash = hash;
    return place = clock;
  }
  void forget() {
    for (Join& join : joins_) {
      drop(join.result);
      join = {};
    }
  }

  Memory memory_;
  std::uint32_t width_ = kStep;
  std::uint64_t numbers_ = 0;
  std::size_t joins_kept_ = kJoins;
  Clock* clocks_[kClocks] = {};  // by hash, the last one made; no reference
  Join joins_[kJoins] = {};      // by numbers, the last one done
  ClockWork work_;
};

}  // namespace deadheat::clock
