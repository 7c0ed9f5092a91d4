// Exactly the pairs that some sync-preserving correct reordering makes meet: one that keeps, of each lock,
// the order of the acquires that it has.
// Mathur, Pavlogiannis & Viswanathan, "Optimal Prediction of Synchronization-Preserving Races" (POPL 2021).
// A pair (e, f) is one if the closure of what comes before e and before f in their threads, under program
// order, fork and join, messages, barriers, values read and critical sections, has neither e nor f.
// Departs: all accesses are kept, by locks held, since all pairs are told (pair_detector.h).
#pragma once

#include <memory>
#include <vector>

#include "clock/flat_clocks.h"
#include "engine/meeting.h"
#include "engine/pair_detector.h"
#include "engine/registry.h"
#include "order/critical_sections.h"
#include "order/ideal.h"
#include "order/reads_from.h"
#include "order/with_locksets.h"

namespace deadheat::engine {

class SyncPreserving {
 public:
  // What is ordered whichever thread gets a lock first: fork and join, messages, barriers, values.
  using Order =
      order::Knowing<order::WithLocksets<order::ReadsFrom<order::Synchronisation<clock::FlatClocks>>>>;
  using Message = Order::Message;
  using Sections = order::CriticalSections<Message>;

  explicit SyncPreserving(Shape /*shape*/) {}

  // Threads are known by slots, as in orders (order/slots.h, by_slots.h). With the events of a slot's owner a
  // set has all of the former owner's, so that by slots, too, it is told by times, and sections of a slot
  // come one after another. Unless the former owner never ended one: then its slot stays its own.
  bool begin_block(std::uint32_t slot, std::uint32_t threads);
  bool reserve_threads(std::uint32_t threads);
  void reserve(std::uint64_t variables) { order_.reserve(variables); }
  bool knows(ThreadId t, clock::Epoch end) {
    return order_.moment(end.thread()).held == order::LocksetId::empty && order_.knows(t, end);
  }
  bool has_ended(ThreadId u) const { return order_.has_ended(u); }
  Message take_ended(ThreadId u) { return order_.take_ended(u); }
  void fork(ThreadId t, ThreadId u, clock::Time time);
  void join(ThreadId t, ThreadId u, clock::Time time);
  void join_ended(ThreadId t, const Message& ended, clock::Time time);

  // What is neither a fork or join nor an access; acquires and releases only if they are not re-entrant.
  void synchronise(ThreadId t, const Op& op, std::uint32_t object, clock::Time time);
  void access(ThreadId t, const Op& op, VarId x, clock::Time time);
  // A re-entrant acquire, or its release.
  void pass(ThreadId t, clock::Time time) { last_[index(t)] = time; }

  // Whether the access of `before`'s thread at `time`, with that before it, can meet the later one.
  Verdict can_meet(const Message& before, clock::Time time, Later& later);
  // From now on all sets have these events. True if anything was dropped.
  bool drop_old(const order::Ideal& events, std::size_t few) {
    return sections_.drop_old(events, few, [this](Message& known) { order_.forget(known); });
  }

  Order& order() { return order_; }
  const Order& order() const { return order_; }
  const Sections& sections() const { return sections_; }
  clock::Time last(ThreadId t) const { return last_[index(t)]; }
  const std::vector<clock::Time>& last() const { return last_; }

  std::vector<Counter> counters() const { return {{"closures", closures_}}; }
  std::uint64_t bytes() const { return order_.bytes() + sections_.bytes(); }

 private:
  Order order_{1};
  Sections sections_;
  std::vector<clock::Time> last_;     // by thread: its last event
  std::vector<order::Ideal> closed_;  // by thread: of what came before its last access that asked
  order::Ideal set_;
  std::uint64_t closures_ = 0;
};

using SyncP = PairDetector<SyncPreserving>;

inline constexpr Option kSyncPOptions[] = {
    {"limit", "N|unlimited", "pairs told of two places in two threads and a variable", "100"},
};
Result<std::unique_ptr<Engine>> make_syncp(const Settings& settings, Shape shape);

}  // namespace deadheat::engine
