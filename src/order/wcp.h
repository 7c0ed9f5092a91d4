// Weak causal precedence: Kini, Mathur & Viswanathan, "Dynamic Race Prediction in Linear Time" (PLDI 2017),
// algorithm 1. For critical sections C before C' of one lock, not both of readers:
//   (a) e in C and e' in C' that conflict: rel(C) before e';
//   (b) e in C before e' in C': rel(C) before rel(C');
//   (c) closed under composition with happens-before on either side.
// Clocks of a thread, in the paper's words: H, what happens before; P, what is before by the rules above; C,
// what is before by these or by program order. Happens-before passes on H, with the event that passes it on,
// and P, without it.
// Departs: fork and join, messages, barriers and atomics, the hard order, pass on H, P and C. What the hard
// order says counts for (b) too, but for what one thread says to itself, and where it orders the releases:
// so C must come before C' if it forked in it who is in C'. The queues of (b), and L of (a), are other ones:
// section_queues.h, section_accesses.h. And (b) is asked of a thread's own sections too, as defined.
// Time O(T) a release, and an event that learns something. Memory O(T) for the sections that are the last to
// access something with their lock, and for those in which other locks were released, as long as some thread
// has not come to be after them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "clock/flat_clocks.h"
#include "clock/strict_clocks.h"
#include "order/happens_before.h"
#include "order/section_accesses.h"
#include "order/section_queues.h"
#include "order/synchronisation.h"

namespace deadheat::order {

class Wcp {
 public:
  using Time = clock::Time;
  using Message = clock::FlatClocks::Message;

  explicit Wcp(std::uint32_t slots) : c_(slots), accesses_(h_.clocks()) {}
  Wcp(const Wcp&) = delete;
  Wcp& operator=(const Wcp&) = delete;
  ~Wcp() {
    for (Thread& thread : threads_) {
      for (SectionAccesses::Held& held : thread.held) accesses_.abandon(held);
    }
  }

  bool begin_block(std::uint32_t slot, std::uint32_t threads) {
    make_room(threads);
    h_.begin_block(0, threads);
    if (p_.begin_block(0, threads)) forget_passed();
    return c_.begin_block(slot, threads);
  }
  Moment moment(ThreadId t) const { return c_.moment(t); }
  const Time* knows_nothing() const { return c_.knows_nothing(); }

  // Where ids are of slots (slots.h). C must know of the join, and so do H and P as far as it matters: what
  // is before an event of the next owner, by H, P or C, has all before it that the former one did, since that
  // happens before. In the queues of (b) the sections of a slot's owners are as those of a thread: the hard
  // order has the former's releases before all of the next one's, and says nothing there; and of what is
  // strictly before, by its time in the slot, an event of the next owner stands for all of the former's. But
  // (a) is of two threads: it goes by lives.
  bool reserve_threads(std::uint32_t threads) {
    make_room(threads);
    h_.reserve_threads(threads);
    if (p_.reserve_threads(threads)) forget_passed();
    return c_.reserve_threads(threads);
  }
  bool knows(ThreadId t, clock::Epoch e) { return c_.knows(t, e); }
  bool has_ended(ThreadId u) const { return c_.has_ended(u); }
  struct Ended {
    Message h, p, c;
    bool held;  // a lock
  };
  Ended take_ended(ThreadId u) {
    Thread& thread = threads_[index(u)];
    const bool held = !thread.held.empty();
    for (SectionAccesses::Held& section : thread.held) accesses_.abandon(section);
    thread = Thread{.life = new_life()};
    return {h_.take_ended(u), p_.take_ended(u), c_.take_ended(u), held};
  }
  void join_ended(ThreadId t, const Ended& ended, Time time) {
    across_ += threads_[index(t)].held.empty() && !ended.held ? 0 : 1;
    h_.join_ended(t, ended.h, time);
    p_.join_ended(t, ended.p, time);
    c_.join_ended(t, ended.c, time);
    pass_on(t, time);
  }

  // Whether it must be told of all accesses: after they are checked, before they are.
  static constexpr bool kFollowsValues = false;
  static constexpr bool kFollowsAccesses = true;
  void reserve(std::uint64_t variables) { accesses_.reserve(variables); }
  void prefetch(std::uint32_t variable) const { accesses_.prefetch(variable); }
  void prefetch_notes(std::uint32_t variable) const { accesses_.prefetch_notes(variable); }

  // A plain access within one cell. True if the thread has come to know more.
  bool narrow_access(ThreadId t, EventKind kind, std::uint32_t cell, model::ByteMask bytes, Time time) {
    Thread& thread = threads_[index(t)];
    if (thread.held.empty()) return false;
    bool news = false;
    accesses_.narrow_access(thread.life, thread.held, kind, cell, bytes,
                            [&](const Message& m) { news |= learn(t, m, time); });
    return news;
  }
  // Any other, an alloc or a free: before what it synchronises, since that passes on what it learns.
  void access(ThreadId t, VarId x, const Op& op, Time time) {
    if (op.kind == EventKind::alloc) return accesses_.alloc(x, op);
    Thread& thread = threads_[index(t)];
    if (thread.held.empty()) return;
    accesses_.access(thread.life, thread.held, x, op, [&](const Message& m) { learn(t, m, time); });
  }

  void acquire(ThreadId t, LockId l, Time time) { acquire(t, l, true, time); }
  void acquire_shared(ThreadId t, LockId l, Time time) { acquire(t, l, false, time); }
  void release(ThreadId t, LockId l, Time time) { release(t, l, true, time); }
  void release_shared(ThreadId t, LockId l, Time time) { release(t, l, false, time); }

  void fork(ThreadId t, ThreadId u, Time time) {
    across_ += threads_[index(t)].held.empty() ? 0 : 1;
    threads_[index(u)].forked = true;
    all([&](auto& order) { order.fork(t, u, time); });
    pass_on(u, time);
    tell(t, time);
  }
  void join(ThreadId t, ThreadId u, Time time) {
    across_ += threads_[index(t)].held.empty() && threads_[index(u)].held.empty() ? 0 : 1;
    threads_[index(u)].joined = true;
    all([&](auto& order) { order.join(t, u, time); });
    pass_on(t, time);
  }
  void send(ThreadId t, ChannelId c, Time time) {
    meet(t);
    all([&](auto& order) { order.send(t, c, time); });
    tell(t, time);
  }
  void recv(ThreadId t, ChannelId c, Time time) {
    meet(t);
    all([&](auto& order) { order.recv(t, c, time); });
    pass_on(t, time);
  }
  void barrier_enter(ThreadId t, BarrierId b, std::uint64_t generation, Time time) {
    meet(t);
    all([&](auto& order) { order.barrier_enter(t, b, generation, time); });
    tell(t, time);
  }
  void barrier_exit(ThreadId t, BarrierId b, std::uint64_t generation, Time time) {
    meet(t);
    all([&](auto& order) { order.barrier_exit(t, b, generation, time); });
    pass_on(t, time);
  }
  void fence(ThreadId t, MemoryOrder order, Time time) {
    meet(t);
    all([&](auto& o) { o.fence(t, order, time); });
    pass_on(t, time);
    tell(t, time);
  }
  void atomic(ThreadId t, VarId x, const Op& op, Time time) {
    meet(t);
    all([&](auto& order) { order.atomic(t, x, op, time); });
    pass_on(t, time);
    tell(t, time);
  }
  bool has_atomics() const { return c_.has_atomics(); }
  void plain_write(VarId x, const Op& op, Time time) {
    all([&](auto& order) { order.plain_write(x, op, time); });
  }
  void narrow_plain_write(std::uint32_t cell, model::ByteMask bytes, Time time) {
    all([&](auto& order) { order.narrow_plain_write(cell, bytes, time); });
  }

  // What the promise of its first race depends on, and what was dropped too early.
  std::array<std::pair<std::string_view, std::uint64_t>, 4> counted() const {
    return {{{"releases of a lock that was not taken last", not_nested_},
             {"forks and joins while holding a lock", across_},
             {"messages, barriers, fences and atomics while holding a lock", met_},
             {"threads that came without a fork, too late to be told of old sections", late_}}};
  }
  std::size_t bytes() const {
    return h_.bytes() + p_.bytes() + c_.bytes() + accesses_.bytes() + queues_.bytes();
  }

 private:
  // Three orders that differ in what passes them on.
  class Happens : public HappensBefore<clock::FlatClocks> {
   public:
    using HappensBefore::HappensBefore;
    clock::FlatClocks& clocks() { return clocks_; }
  };
  class Strict : public HappensBefore<clock::StrictClocks> {
   public:
    using HappensBefore::HappensBefore;
    bool learn(ThreadId t, const Message& message, Time time) {
      Own& own = living(t).clock;
      const Own before = own;
      clocks_.join(own, t, time, message);
      return own != before;
    }
  };
  class Known : public Synchronisation<clock::FlatClocks> {
   public:
    using Synchronisation::Synchronisation;
    bool learn(ThreadId t, const Own& strict, Time time) {
      Own& own = living(t).clock;
      const Own before = own;
      clocks_.join(own, t, time, Message{strict.vector, {}});
      return own != before;
    }
  };
  struct Thread {
    std::vector<SectionAccesses::Held> held = {};       // in the order in which they were acquired
    Time told = 0;                                      // the last event by which others may know of it
    const Time* passed = nullptr;                       // of P, what C knows
    bool forked = false, came = false, joined = false;  // came: and took a lock
    ThreadId life{};                                    // no other thread has this number
  };

  ThreadId new_life() { return ThreadId{lives_++}; }
  void make_room(std::uint32_t threads) {
    while (threads_.size() < threads) threads_.push_back(Thread{.life = new_life()});
  }
  // There are other vectors in their place.
  void forget_passed() {
    for (Thread& thread : threads_) thread.passed = nullptr;
  }

  template <class F>
  void all(F&& f) {
    f(h_);
    f(p_);
    f(c_);
  }
  void acquire(ThreadId t, LockId l, bool exclusive, Time time) {
    Thread& thread = threads_[index(t)];
    if (exclusive) {
      h_.acquire(t, l, time);
      p_.acquire(t, l, time);
    } else {
      h_.acquire_shared(t, l, time);
      p_.acquire_shared(t, l, time);
    }
    pass_on(t, time);
    thread.held.push_back({l, exclusive, time});
    if (!thread.came) [[unlikely]] {
      thread.came = true;
      ++(thread.forked ? came_forked_ : came_unforked_);
      late_ += dropped_ && !thread.forked ? 1 : 0;
    }
  }
  void release(ThreadId t, LockId l, bool exclusive, Time time) {
    Thread& thread = threads_[index(t)];
    const auto at = std::ranges::find_if(thread.held, [&](const SectionAccesses::Held& held) {
      return held.lock == l && held.exclusive == exclusive;
    });
    if (at == thread.held.end()) return;
    not_nested_ += std::next(at) == thread.held.end() ? 0 : 1;
    queues_.each_known_in_part(
        l, t, exclusive, at->acquired, [&](ThreadId u) { return p_.get(p_.clock_of(t), u); },
        [&](ThreadId u) { return c_.get(c_.clock_of(t), u); },
        [&](const SectionQueues::Section& section) { learn(t, section.known, time); });
    accesses_.release(*at, h_.clock_of(t), t, time);
    if (thread.told > at->acquired) add(t, *at, time);
    thread.held.erase(at);
    if (exclusive) {
      h_.release(t, l, time);
      p_.release(t, l, time);
    } else {
      h_.release_shared(t, l, time);
      p_.release_shared(t, l, time);
    }
    tell(t, time);
  }
  void add(ThreadId t, const SectionAccesses::Held& held, Time time) {
    SectionQueues::Section section{held.acquired, time, {}};
    h_.clocks().assign(section.known, h_.clock_of(t), t, time);
    const auto forget = [this](SectionQueues::Section& old) {
      h_.clocks().clear(old.known);
      dropped_ = true;
    };
    queues_.add(held.lock, t, held.exclusive, section, [&] { return known_to_all(t); }, forget);
  }
  // The last event of thread u that is strictly before all that any thread does from now on. A thread that
  // nobody forks knows nothing: if there were two such, or no other, there may be more.
  Time known_to_all(ThreadId u) const {
    if (came_forked_ == 0 || came_unforked_ > 1) return 0;
    Time least = UINT64_MAX;
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      if (!threads_[t].joined) least = std::min(least, p_.moment(ThreadId{t}).times[index(u)]);
    }
    return least;
  }

  bool learn(ThreadId t, const Message& message, Time time) {
    return p_.learn(t, message, time) && pass_on(t, time);
  }
  // What is in P is in C.
  bool pass_on(ThreadId t, Time time) {
    const auto& strict = p_.clock_of(t);
    if (threads_[index(t)].passed == strict.times()) return false;
    threads_[index(t)].passed = strict.times();
    return c_.learn(t, strict, time);
  }
  void tell(ThreadId t, Time time) { threads_[index(t)].told = time; }
  void meet(ThreadId t) { met_ += threads_[index(t)].held.empty() ? 0 : 1; }

  Happens h_{1};  // of these no check asks
  Strict p_{1};
  Known c_;
  std::vector<Thread> threads_;
  SectionAccesses accesses_;
  SectionQueues queues_;
  std::uint64_t not_nested_ = 0, across_ = 0, met_ = 0, late_ = 0;
  std::uint32_t lives_ = 0;
  std::uint32_t came_forked_ = 0, came_unforked_ = 0;  // threads, and took a lock
  bool dropped_ = false;                               // sections that such a thread might have to know of
};

}  // namespace deadheat::order
