// Exactly the pairs that some sync-preserving correct reordering makes meet: one that keeps, of each lock,
// the order of the acquires that it has.
// Mathur, Pavlogiannis & Viswanathan, "Optimal Prediction of Synchronization-Preserving Races" (POPL 2021).
// A pair (e, f) is one if the closure of what comes before e and before f in their threads, under program
// order, fork and join, messages, barriers, values read and critical sections, has neither e nor f.
// Departs: all accesses are kept, by place in the program and locks held, since all pairs are told. Pairs
// with a common lock, and those ordered without locks, are known without a closure.
#pragma once

#include <memory>
#include <vector>

#include "clock/flat_clocks.h"
#include "engine/engine.h"
#include "engine/registry.h"
#include "model/cells.h"
#include "order/critical_sections.h"
#include "order/locksets.h"
#include "order/reads_from.h"
#include "order/with_locksets.h"

namespace deadheat::engine {

class SyncP final : public Engine {
 public:
  // At most so many pairs are told of two places in two threads and a variable.
  explicit SyncP(std::uint64_t limit) : limit_(limit) {}
  SyncP(const SyncP&) = delete;
  SyncP& operator=(const SyncP&) = delete;
  ~SyncP() override;

  void order(const SortedBlock& block, RaceSink& races) override;
  std::vector<Counter> counters() const override;
  std::uint64_t bytes() const override;

 private:
  // What is ordered whichever thread gets a lock first: fork and join, messages, barriers, values.
  class Order : public order::WithLocksets<order::ReadsFrom<order::Synchronisation<clock::FlatClocks>>> {
   public:
    using WithLocksets::WithLocksets;
    // All that thread t knows, with its own events up to `time`.
    Message knows(ThreadId t, Time time) {
      Message message;
      clocks_.assign(message, living(t).clock, t, time);
      return message;
    }
    void forget(Message& message) { clocks_.clear(message); }
  };
  using Message = Order::Message;

  struct Entry {
    clock::Time time;
    Message before;  // what its thread knew, with its own events before
  };
  // Which accesses of a group may still race with a thread, as far as it has asked.
  struct Asked {
    ThreadId by;
    std::uint32_t looked_at = 0;                                // the first so many entries
    std::vector<std::uint32_t> alive;                           // of these
    std::vector<std::pair<std::uint64_t, std::uint64_t>> told;  // (site and kind, how often)
  };
  // Accesses of one thread at one place with the same locks, in order.
  struct Group {
    EventKind kind;
    SiteId site;
    order::LocksetId held;
    std::vector<Entry> entries;
    std::vector<Asked> asked;

    Asked& asked_by(ThreadId t);
  };
  struct OfThread {
    ThreadId thread;
    std::vector<Group> groups;
  };
  struct Accesses {
    std::vector<OfThread> threads;
    Group& group(ThreadId t, EventKind kind, SiteId site, order::LocksetId held);
    Accesses* clone() const;
  };
  struct State {
    Accesses* accesses;
    std::uint32_t next;
    model::ByteMask mask;
    State clone() const;
  };
  struct Found {
    std::uint64_t event;
    std::uint32_t cell;
    ThreadId thread;
    SiteId site;
    EventKind kind;
  };
  // The access that is looked at.
  struct Later {
    ThreadId thread;
    clock::Time time;
    std::uint32_t cell;
    EventKind kind;
    SiteId site;
    order::Moment before;
    bool closed = false;  // whether closed_[thread] is up to date
  };

  void access(const SortedBlock& block, std::uint32_t i, RaceSink& races);
  void meet(Accesses& accesses, Later& later);
  void meet(ThreadId t, Group& group, Later& later);
  bool can_meet(ThreadId t, const Entry& entry, Later& later);
  void remember(Accesses& accesses, const Later& later);
  void tell(const Later& later, RaceSink& races);
  void drop(Accesses* accesses);
  static bool conflict(EventKind a, EventKind b);
  static void join(order::Ideal& set, const Message& message);

  std::uint64_t limit_;
  Order order_{1};
  order::CriticalSections<Message> sections_;
  model::Cells<State> cells_;
  std::vector<clock::Time> last_;     // by thread: its last event
  std::vector<order::Ideal> closed_;  // by thread: of what came before its last access that asked
  order::Ideal set_;
  std::vector<Found> found_;  // of one access
  std::uint64_t kept_ = 0, closures_ = 0, not_looked_at_ = 0;
};

inline constexpr Option kSyncPOptions[] = {
    {"limit", "N|unlimited", "pairs told of two places in two threads and a variable", "100"},
};
Result<std::unique_ptr<Engine>> make_syncp(const Settings& settings, Shape shape);

}  // namespace deadheat::engine
