// Clocks that count their changes, so that most acquires are decided by two numbers, and releases leave a
// reference: the clock is copied when its thread has to change it (freestanding: see test/freestanding).
//
// With OrderedList: SO, algorithm 4 of "Efficient Timestamping for Sampling-Based Race Detection" (see
// docs/engines.md). With TimeVector: PACER's version epochs and shallow copies (Bond, Coons & McKinley, PLDI
// 2010, section 3.2).
// The thread's own entry C_t(t) is beside its clock (the paper's local-epoch optimisation), so that to flush
// it changes no clock, needs no copy, and is not counted: an acquire compares the releaser's entry by itself.
// Departs: objects that several threads released to are a sum, and joined in full (appendix A.2). Freshness
// counts of others, U_t(u), belong to the clock and go where it goes, so that who joins it need not look at
// what it was joined with; they are lower bounds.
//
// Memory: void* get(std::size_t bytes), void put(void*, std::size_t bytes).
#pragma once

#include <cstddef>
#include <cstdint>

#include "clock/sampled_time.h"
#include "clock/time.h"

namespace deadheat::clock {

template <class Body, class Memory>
class VersionedClocks {
 public:
  struct Own {
    Body* body = nullptr;       // what the thread knows of others; shared with messages
    std::uint64_t version = 0;  // U_t(t): changes of the body
    SampledTime time;
  };
  struct Message {
    Body* body = nullptr;       // null as long as it says nothing
    std::uint64_t version = 0;  // U_l: of the body, when it was released
    Time flushed = 0;           // the releaser's own entry
    ThreadId releaser{};        // LR_l
    bool sum = false;           // of several: the three above mean nothing
  };

  explicit VersionedClocks(std::uint32_t /*slots*/) {}
  VersionedClocks(const VersionedClocks&) = delete;
  VersionedClocks& operator=(const VersionedClocks&) = delete;

  void begin(std::uint32_t /*slot*/) {}
  bool reserve(std::uint32_t threads) {
    if (threads > threads_) threads_ = threads;
    if (threads <= width_) return false;
    width_ = threads > 2 * width_ ? (threads + kStep - 1) / kStep * kStep : 2 * width_;
    return true;
  }
  void start(Own& own, ThreadId) {
    own.time = {};
    own.version = 0;
    widen(own);
  }
  void widen(Own& own) { own.body = own.body == nullptr ? fresh() : replaced(own.body); }
  void bury(Own& own) {
    drop(own.body);
    own = {};
  }

  static Time get(const Own& own, ThreadId t) { return own.body->get(index(t)); }

  // [acquire] own := own |_| message, for thread t.
  void join(Own& own, ThreadId t, Time /*now*/, const Message& message) {
    if (message.body != nullptr) join_said(own, t, message);
  }
  // [release] message := what thread t, at `time`, knows.
  void assign(Message& message, Own& own, ThreadId t, Time time) {
    ++work_.releases;
    work_.flushes += own.time.flush(time) ? 1 : 0;  // lines 18-23
    leave(message, own, t);
  }
  // The same by one who acquired what the message said before.
  void release(Message& message, Own& own, ThreadId t, Time time) { assign(message, own, t, time); }
  // message := message |_| what thread t, at `time`, knows.
  void add(Message& message, Own& own, ThreadId t, Time time) {
    ++work_.releases;
    work_.flushes += own.time.flush(time) ? 1 : 0;
    if (message.body == nullptr || knows(own, t, message)) return leave(message, own, t);
    make_sum(message);
    raise_all(*message.body, *own.body);
    raise(*message.body, index(t), own.time.flushed);
  }
  void add(Message& message, const Message& other) {
    if (other.body == nullptr) return;
    if (message.body == nullptr) return assign(message, other);
    if (message.body == other.body && message.sum == other.sum &&
        (message.sum || (message.version == other.version && message.flushed == other.flushed))) {
      return;
    }
    make_sum(message);
    raise_all(*message.body, *other.body);
    if (!other.sum) raise(*message.body, index(other.releaser), other.flushed);
  }
  void assign(Message& message, const Message& other) {
    if (other.body != nullptr) ++other.body->references;
    drop(message.body);
    message = other;
  }
  void clear(Message& message) {
    if (message.body == nullptr) return;
    drop(message.body);
    message = {};
  }

  const ClockWork& work() const { return work_; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  static constexpr std::uint32_t kStep = 8;
  static constexpr std::uint64_t kAll = UINT64_MAX;

  void join_said(Own& own, ThreadId t, const Message& message) {
    ++work_.acquires;
    if (message.sum) return join_news(own, t, message.body, kAll);
    const std::uint32_t u = index(message.releaser);
    const bool flushed = u != index(t) && message.flushed > own.body->get(u);
    const std::uint64_t seen = u != index(t) ? seen_of(own.body)[u] : message.version;
    if (!flushed && message.version <= seen) {  // line 7
      ++work_.acquires_skipped;
      return;
    }
    if (flushed) {
      ++work_.walked;
      learn(own, t, u, message.flushed);
    }
    if (message.version <= seen) {
      work_.saved += threads_ - 1;
      return;
    }
    join_news(own, t, message.body, message.version - seen);  // lines 8, 10-16
    seen_of(own.body)[u] = message.version;                   // line 9
  }

  // Whether all that the message says is known, without a look at clocks.
  static bool knows(const Own& own, ThreadId t, const Message& message) {
    if (message.sum) return false;
    const std::uint32_t u = index(message.releaser);
    return message.releaser == t ||
           (message.flushed <= own.body->get(u) && message.version <= seen_of(own.body)[u]);
  }
  void leave(Message& message, Own& own, ThreadId t) {  // lines 24-27
    if (message.body != own.body) {
      ++own.body->references;
      drop(message.body);
      message.body = own.body;
    }
    message.version = own.version;
    message.flushed = own.time.flushed;
    message.releaser = t;
    message.sum = false;
  }
  [[gnu::noinline]] void join_news(Own& own, ThreadId t, const Body* from, std::uint64_t news) {
    const std::uint64_t walked = news < from->count() ? news : from->count();
    work_.walked += walked;
    work_.saved += walked < threads_ ? threads_ - walked : 0;
    // Learning may make another body of its own; in this one nothing changes that is still to be compared.
    from->walk(news, *own.body, [&](std::uint32_t u, Time time) {
      if (u != index(t) && time > own.body->get(u)) learn(own, t, u, time);
    });
    join_times(seen_of(own.body), seen_of(own.body), seen_of(from), from->width);
  }
  void learn(Own& own, ThreadId t, std::uint32_t u, Time time) {
    if (own.body->references > 1) {  // lines 12-14
      ++work_.copies;
      own.body = replaced(own.body);
    }
    // What others know of this thread is not to look like news to it: so much is true of every message that
    // will refer to this body.
    own.body->set_unlisted(index(t), own.time.flushed);
    own.body->set(u, time);
    ++own.version;
  }

  static void raise(Body& body, std::uint32_t u, Time time) {
    if (time > body.get(u)) body.set(u, time);
  }
  static void raise_all(Body& body, const Body& from) {
    from.for_each([&](std::uint32_t u, Time time) { raise(body, u, time); });
  }
  // A sum of what the message says, to which only the message refers.
  void make_sum(Message& message) {
    ++work_.sums;
    if (!message.sum || message.body->references > 1 || message.body->width < width_) {
      message.body = replaced(message.body);
    }
    // The releaser's own entry is news now, even if it has this time already.
    if (!message.sum && message.flushed > 0) message.body->set(index(message.releaser), message.flushed);
    message.sum = true;
  }

  // U: by thread, which of its clock's versions the body holds all of. Behind the body, and true of it
  // whoever refers to it, so that it may rise in a body that is shared.
  static std::uint64_t* seen_of(Body* body) {
    return reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(body) + Body::bytes_of(body->width));
  }
  static const std::uint64_t* seen_of(const Body* body) { return seen_of(const_cast<Body*>(body)); }
  static std::size_t bytes_of(std::uint32_t width) {
    return Body::bytes_of(width) + width * sizeof(std::uint64_t);
  }
  Body* room() { return static_cast<Body*>(memory_.get(bytes_of(width_))); }
  Body* fresh() {
    Body* const body = room();
    body->start(width_);
    for (std::uint32_t u = 0; u < width_; ++u) seen_of(body)[u] = 0;
    return body;
  }
  // A copy of one's own, with room for all threads, for a reference.
  Body* replaced(Body* old) {
    Body* const body = room();
    body->copy(*old, width_);
    for (std::uint32_t u = 0; u < width_; ++u) seen_of(body)[u] = u < old->width ? seen_of(old)[u] : 0;
    drop(old);
    return body;
  }
  void drop(Body* body) {
    if (body != nullptr && --body->references == 0) memory_.put(body, bytes_of(body->width));
  }

  Memory memory_;
  std::uint32_t width_ = kStep;
  std::uint32_t threads_ = 0;
  ClockWork work_;
};

}  // namespace deadheat::clock
