// Slots of clocks, which threads use one after another: clocks are as wide as there are slots, not threads.
//
// At fork(u) by p, u gets the slot of a thread o that was joined, if p knows of the join. Then all that o did
// is ordered before all that u does, and comes before it in the trace. So, by slots instead of threads:
//   - Who knows an event of u knows all that o did and knew; who knows of o only knows a time that is before
//     all of u's. An entry of a clock says what it said.
//   - Of o's and u's accesses of one kind the later one is enough: whoever races with o's, and comes after
//     u's, is not ordered after u's either. So the same accesses are flagged; the other one that is told is
//     u's.
// Where more is kept than the last accesses (edges, critical sections, sets of events), the reasons are
// beside it; docs/decisions/0004-engines.md lists them. A thread that nobody forks, or that is forked by one
// that knows of no end, gets a slot of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "clock/time.h"
#include "deadheat/event.h"

namespace deadheat::order {

class Slots {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  // From when on a slot is of which thread.
  struct Owner {
    std::uint32_t slot;
    ThreadId thread;
    clock::Time from;
  };

  std::uint32_t count() const { return static_cast<std::uint32_t>(owners_.size()); }
  // Threads below this may be asked for.
  void reserve(std::uint32_t threads) {
    if (threads > slots_.size()) {
      without_ += threads - static_cast<std::uint32_t>(slots_.size());
      slots_.resize(threads, kNone);
    }
  }
  // Whether all threads that may be asked for have got a slot.
  bool all_there() const { return without_ == 0; }
  bool has(ThreadId t) const { return slots_[index(t)] != kNone; }
  // Of a thread that has one.
  ThreadId operator[](ThreadId t) const { return ThreadId{slots_[index(t)]}; }
  const std::uint32_t* by_thread() const { return slots_.data(); }
  // Whether no other thread has got the slot since.
  bool owns(ThreadId t) const { return has(t) && owners_[slots_[index(t)]] == t; }
  ThreadId owner(std::uint32_t slot) const { return owners_[slot]; }

  // A new slot for a thread that has none.
  Owner give_new(ThreadId t, clock::Time from) {
    owners_.push_back(t);
    return give(t, count() - 1, from);
  }
  // A slot for a thread that has none: one of which knows(epoch of its last owner's end) is true, the latest,
  // which does not depend on how slots are numbered; else a new one.
  template <class Knows>
  Owner give_any(ThreadId t, clock::Time from, Knows&& knows) {
    const std::size_t last = free_.size() > kLookedAt ? free_.size() - kLookedAt : 0;
    for (std::size_t i = free_.size(); i-- > last;) {
      const clock::Epoch end = free_[i];
      if (!knows(end)) continue;
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
      return give(t, index(end.thread()), from);
    }
    return give_new(t, from);
  }
  // The thread is joined, for the first time.
  void end(ThreadId t, clock::Time time) { free_.push_back(clock::Epoch(operator[](t), time)); }

  std::size_t bytes() const {
    return (slots_.capacity() + owners_.capacity()) * sizeof(std::uint32_t) +
           free_.capacity() * sizeof(clock::Epoch);
  }

 private:
  // So that threads whose ends are not known to those who fork cost no time.
  static constexpr std::size_t kLookedAt = 256;

  Owner give(ThreadId t, std::uint32_t slot, clock::Time from) {
    slots_[index(t)] = slot;
    owners_[slot] = t;
    --without_;
    return {slot, t, from};
  }

  std::vector<std::uint32_t> slots_;  // by thread
  std::vector<ThreadId> owners_;      // by slot: the last
  std::vector<clock::Epoch> free_;    // slots, with the ends of their owners, in order
  std::uint32_t without_ = 0;         // threads that have none
};

// Who had which slot when, for those who were told of every owner.
class Owners {
 public:
  void add(const Slots::Owner& owner) {
    if (owner.slot >= by_slot_.size()) by_slot_.resize(owner.slot + std::size_t{1});
    by_slot_[owner.slot].push_back(owner);
  }
  // Who did this; the epoch is of a slot.
  ThreadId of(clock::Epoch e) const { return span_of(e).thread; }
  // The same, and from when on it is another's.
  struct Span {
    ThreadId thread;
    clock::Time end;
  };
  Span span_of(clock::Epoch e) const {
    const auto& owners = by_slot_[index(e.thread())];
    const auto behind = std::ranges::upper_bound(owners, e.time(), {}, &Slots::Owner::from);
    return {std::prev(behind)->thread, behind == owners.end() ? clock::Epoch::kMaxTime + 1 : behind->from};
  }

 private:
  std::vector<std::vector<Slots::Owner>> by_slot_;  // in order of time
};

}  // namespace deadheat::order
