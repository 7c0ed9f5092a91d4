// Optimistic sync-reversal races: pairs that a reordering makes meet in which a section that is left open
// comes after sections of its lock that the trace has later. Shi, Mathur & Pavlogiannis, "Optimistic
// Prediction of Synchronization-Reversal Data Races" (ICSE 2024).
//
// Of a pair (e, f), e the earlier one, in the trace up to f:
//   - the hard order is program order, fork and join, messages, barriers, atomics that synchronise, values
//     read and memory allocated: what a correct reordering keeps whichever thread gets a lock first;
//   - the optimistic closure is the least set that has what comes just before e and before f in their
//     threads, all that is before its events in the hard order, and the release of every section that begins
//     in it, unless e or f is before that release in the hard order;
//   - a section that begins in the set and whose release is not in it is open; so are sections that are not
//     over when f comes;
//   - in the set, the order of the trace is kept by what the hard order orders, by accesses that have a byte
//     in common and are not both reads, and by a release and later acquires of its lock by other threads, not
//     both by readers; an open acquire comes after all releases of its lock by other threads, not both by
//     readers.
// The pair is told if e is not in the set (f never is), no lock has two open sections by two threads that are
// not both readers', and what is kept has no cycle. Then any order of the set that keeps it is a correct
// reordering, and leaves both accesses next: every pair told can be made to meet (co-enabled).
//
// Departs: the paper orders mutexes; reader-writer locks, and all else, are ours. Sections that end after f
// are open, as in the authors' program: so a pair is decided when f comes, in one pass. Departs: the closure
// ends every section it can, and what that brings in can be in the way (a section that it need not have ended
// has a value from one that it cannot end): some sync-preserving pairs are not told by the test above
// (sync-preserving-not-optimistic.std). So these are told first, as in syncp.h; the test is made of the
// others only. Time: as syncp, and O(L T) for each round of a closure, L locks, T threads, and O(T^2 log N)
// for each acquire that has to wait. A pair that cannot meet now may later: so tries in vain are limited, for
// each two places in two threads and a variable, and those beyond are counted. Memory: as syncp, and
// kept_order.h's.
#pragma once

#include <memory>
#include <vector>

#include "engine/meeting.h"
#include "engine/pair_detector.h"
#include "engine/registry.h"
#include "engine/syncp.h"
#include "order/critical_sections.h"
#include "order/ideal.h"
#include "order/kept_order.h"

namespace deadheat::engine {

class Optimistic {
 public:
  using Message = SyncPreserving::Message;

  explicit Optimistic(Shape shape) : preserving_(shape), kept_(shape.many_cells) {}

  // As of SyncPreserving.
  bool begin_block(std::uint32_t slot, std::uint32_t threads) {
    kept_.reserve_threads(threads);
    return preserving_.begin_block(slot, threads);
  }
  bool reserve_threads(std::uint32_t threads) {
    kept_.reserve_threads(threads);
    return preserving_.reserve_threads(threads);
  }
  void reserve(std::uint64_t variables) {
    kept_.reserve(variables);
    preserving_.reserve(variables);
  }
  bool knows(ThreadId t, clock::Epoch end) { return preserving_.knows(t, end); }
  bool has_ended(ThreadId u) const { return preserving_.has_ended(u); }
  struct Ended {
    Message known;
    order::KeptOrder::Ended kept;
  };
  Ended take_ended(ThreadId u) { return {preserving_.take_ended(u), kept_.take_ended(u)}; }
  void fork(ThreadId t, ThreadId u, clock::Time time) {
    kept_.fork(t, u, time, order().moment(t).times);
    preserving_.fork(t, u, time);
  }
  void join(ThreadId t, ThreadId u, clock::Time time) {
    kept_.join(t, u, time, order().moment(t).times);
    preserving_.join(t, u, time);
  }
  void join_ended(ThreadId t, Ended& ended, clock::Time time) {
    kept_.join_ended(t, ended.kept, time, order().moment(t).times);
    preserving_.join_ended(t, ended.known, time);
  }

  void synchronise(ThreadId t, const Op& op, std::uint32_t object, clock::Time time) {
    kept_.synchronise(t, op, object, time, order().moment(t).times);
    preserving_.synchronise(t, op, object, time);
  }
  void access(ThreadId t, const Op& op, VarId x, clock::Time time) {
    kept_.access(t, op, x, time, order().moment(t).times);
    preserving_.access(t, op, x, time);
  }
  void pass(ThreadId t, clock::Time time) {
    preserving_.pass(t, time);
    kept_.pass(t, time);
  }

  Verdict can_meet(const Message& before, clock::Time time, Later& later);
  bool drop_old(const order::Ideal& events, std::size_t few) { return preserving_.drop_old(events, few); }

  SyncPreserving::Order& order() { return preserving_.order(); }
  clock::Time last(ThreadId t) const { return preserving_.last(t); }
  const std::vector<clock::Time>& last() const { return preserving_.last(); }

  std::vector<Counter> counters() const;
  std::uint64_t bytes() const { return preserving_.bytes() + kept_.bytes(); }

 private:
  SyncPreserving preserving_;
  order::KeptOrder kept_;
  order::Ideal set_;
  std::vector<order::Waiting> waiting_;
  std::uint64_t closures_ = 0, reversals_ = 0, told_ = 0;
};

using Osr = PairDetector<Optimistic>;

inline constexpr Option kOsrOptions[] = {
    {"limit", "N|unlimited", "pairs told of two places in two threads and a variable", "100"},
    {"tries", "N|unlimited", "tries in vain for two places in two threads and a variable", "1000"},
};
Result<std::unique_ptr<Engine>> make_osr(const Settings& settings, Shape shape);

}  // namespace deadheat::engine
