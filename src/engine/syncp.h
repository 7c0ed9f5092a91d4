// Exactly the pairs that some sync-preserving correct reordering makes meet: one that keeps, of each lock,
// the order of the acquires that it has.
// Mathur, Pavlogiannis & Viswanathan, "Optimal Prediction of Synchronization-Preserving Races" (POPL 2021).
// A pair (e, f) is one if the closure of what comes before e and before f in their threads, under program
// order, fork and join, messages, barriers, values read and critical sections, has neither e nor f.
// Departs: all accesses are kept, by locks held, since all pairs are told. Pairs with a common lock, and
// those ordered without locks, are known without a closure. Accesses and sections that all threads are after
// without locks are dropped: no thread that is forked from now on can meet them. (A thread that nobody forks
// could. So nothing is dropped before a forked thread acts, nor once there were two others; one that comes
// later nevertheless is counted.)
#pragma once

#include <memory>
#include <vector>

#include "clock/flat_clocks.h"
#include "engine/engine.h"
#include "engine/registry.h"
#include "model/cells.h"
#include "order/critical_sections.h"
#include "order/ideal.h"
#include "order/locksets.h"
#include "order/reads_from.h"
#include "order/with_locksets.h"

namespace deadheat::engine {

class SyncP final : public Engine {
 public:
  static constexpr std::size_t kFew = 16;

  // At most so many pairs are told of two places in two threads and a variable. Lists with fewer accesses
  // than `few` are not searched for what can be dropped.
  SyncP(std::uint64_t limit, Shape shape, std::size_t few = kFew)
      : limit_(limit), many_cells_(shape.many_cells), few_(few) {}
  SyncP(const SyncP&) = delete;
  SyncP& operator=(const SyncP&) = delete;
  ~SyncP() override;

  void order(const SortedBlock& block, RaceSink& races) override;
  std::vector<Counter> counters() const override;
  std::uint64_t bytes() const override;

 private:
  // What is ordered whichever thread gets a lock first: fork and join, messages, barriers, values.
  using Order =
      order::Knowing<order::WithLocksets<order::ReadsFrom<order::Synchronisation<clock::FlatClocks>>>>;
  using Message = Order::Message;

  struct Entry {
    clock::Time time;
    Message before;  // what its thread knew, with its own events before
    SiteId site;
    EventKind kind;
    ThreadId thread() const { return before.last.thread(); }
  };
  // Accesses at one place that may still race with a thread, in order.
  struct Place {
    ThreadId thread;
    SiteId site;
    EventKind kind;
    std::vector<Entry> alive;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> told;  // (the later one's site and kind, how often)

    std::uint64_t& told_to(SiteId later, EventKind what);
  };
  // What a thread found out about a list, as far as it has asked.
  struct Asked {
    ThreadId by;
    std::size_t looked_at = 0;  // the first so many entries
    std::vector<Place> places;
  };
  // Accesses with the same locks held, in order.
  struct List {
    std::vector<Entry> entries;
    std::vector<Asked> asked;
    std::size_t enough = 0;  // when there are so many, some may be dropped

    Asked& asked_by(ThreadId t);
  };
  struct Accesses {
    std::vector<order::LocksetId> held;
    std::vector<List> lists;    // of each of these
    order::LocksetId always{};  // locks that are held in all of them
    ThreadId owner{};           // the only thread, unless there are several
    bool shared = false;
    std::vector<std::uint32_t> places;  // a hash table, if there are many: numbers of lists and one

    List* find(order::LocksetId set);
    List& add(order::LocksetId set, order::Locksets& sets);
    Accesses* clone() const;

   private:
    std::uint32_t& place(order::LocksetId set);
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
  void look_at(State& s, std::uint32_t cell, Later& later);
  void meet(Accesses& accesses, Later& later);
  void meet(List& list, Later& later);
  void meet(Place& place, Later& later);
  bool can_meet(const Entry& entry, Later& later);
  void remember(Accesses& accesses, const Later& later);
  void tell(const Later& later, RaceSink& races);
  void drop(Accesses* accesses);
  void drop_old(List& list);
  void find_old();
  static bool conflict(EventKind a, EventKind b);

  std::uint64_t limit_, many_cells_;
  std::size_t few_;
  Order order_{1};
  order::CriticalSections<Message> sections_;
  model::Cells<State> cells_;
  std::vector<clock::Time> last_;     // by thread: its last event
  std::vector<order::Ideal> closed_;  // by thread: of what came before its last access that asked
  order::Ideal set_;
  std::vector<Found> found_;      // of one access
  std::vector<clock::Time> old_;  // by thread: all others are after its events up to then
  std::uint64_t asked_for_old_ = 0;
  std::vector<bool> forked_, joined_;                  // threads
  std::uint32_t came_forked_ = 0, came_unforked_ = 0;  // threads
  std::uint64_t late_ = 0;                             // of these, when something was dropped already
  bool dropped_ = false;
  std::uint64_t kept_ = 0, closures_ = 0, not_looked_at_ = 0;
};

inline constexpr Option kSyncPOptions[] = {
    {"limit", "N|unlimited", "pairs told of two places in two threads and a variable", "100"},
};
Result<std::unique_ptr<Engine>> make_syncp(const Settings& settings, Shape shape);

}  // namespace deadheat::engine
