// What a reordering keeps if it reverses nothing but critical sections: program order, forks and joins,
// messages, barriers; of two accesses of a byte that are not both reads, and of a release and a later acquire
// that are not both by readers, the order of the trace. And whether acquires can wait, in a set of events,
// for releases that come later in the trace, with all that is kept.
//
// Of each event the next one that must follow it is kept, for each other thread: what follows it in a set
// that has of each thread all up to a time is a question about stretches of the threads' events (Shi, Mathur
// & Pavlogiannis, ICSE 2024). Sets must have, with each event, all that the hard order (engine/osr.h) has
// before it: so what a thread knew to be before it, when it came to an event, need not be kept again. Time
// O(1) an event and thread that must follow it; O(T^2 log N) an acquire that waits. Memory 8 bytes an event,
// 4 to 8 an access of a cell, 4 an event and thread in which some event must follow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "deadheat/event.h"
#include "model/bytes.h"
#include "model/cells.h"
#include "model/table.h"
#include "order/critical_sections.h"
#include "order/ideal.h"
#include "order/least_table.h"

namespace deadheat::order {

class KeptOrder {
 public:
  using Time = clock::Time;

  // Allocs and frees of more cells than this are not looked at cell by cell.
  explicit KeptOrder(std::uint64_t many_cells) : many_cells_(many_cells) {}
  KeptOrder(const KeptOrder&) = delete;
  KeptOrder& operator=(const KeptOrder&) = delete;
  ~KeptOrder();

  // Ids of threads are below this from now on, of variables too.
  void reserve_threads(std::uint32_t threads);
  void reserve(std::uint64_t variables);
  // Each event, in order. Of re-entrant acquires and their releases only that they are there. `known`: by
  // thread, what the hard order has before the events of t so far.
  void fork(ThreadId t, ThreadId u, Time time, const Time* known);
  void join(ThreadId t, ThreadId u, Time time, const Time* known);
  void synchronise(ThreadId t, const Op& op, std::uint32_t object, Time time, const Time* known);
  void access(ThreadId t, const Op& op, VarId x, Time time, const Time* known);
  void pass(ThreadId t, Time time) { number(t, time, nullptr); }

  // Where ids are of slots (slots.h), the events of a slot's owners are kept as those of a thread: the hard
  // order has the former owner's before the next one's, and so has every set. What follows the end of a
  // thread whose slot is to be another's:
  struct Ended;
  Ended take_ended(ThreadId u);
  void join_ended(ThreadId t, Ended& ended, Time time, const Time* known);

  // Whether the events of the set can be put in an order in which all that is kept is kept, and all that wait
  // have waited.
  bool allows(const Ideal& set, std::span<const Waiting> waiting);

  std::size_t bytes() const;

 private:
  // An event: the number it has in its thread.
  struct Event {
    ThreadId thread;
    std::uint32_t number;
    Time time;
    const Time* known;  // before it
  };
  // Events that others must follow, and up to when each thread has followed them already.
  struct Sources {
    struct OfThread {
      ThreadId thread;
      std::vector<std::uint32_t> numbers;
      Time last;
    };
    struct Followed {
      ThreadId by;
      Time until;
    };
    std::vector<OfThread> threads;  // by when they were here last
    std::vector<Followed> followed;
  };
  // What happened to some bytes, or to a lock: writes, or releases; reads, or releases by readers.
  struct Past {
    Sources writes, reads;
  };
  struct State {
    Past* past;
    std::uint32_t next;
    model::ByteMask mask;
    State clone() const { return {past == nullptr ? nullptr : new Past(*past), next, mask}; }
  };
  struct Generation {
    Sources enters;
    std::uint32_t inside = 0;
  };
  struct Key {
    std::uint32_t barrier;
    std::uint64_t generation;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      return static_cast<std::size_t>((k.generation * 0x9E3779B97F4A7C15u) ^
                                      (std::uint64_t{k.barrier} * 0xC2B2AE3D27D4EB4Fu));
    }
  };
  // By each event of a thread, the first one of another thread that must follow it.
  struct Followers {
    ThreadId thread;
    LeastTable first;
  };
  struct Thread {
    std::vector<Time> times;  // of its events
    std::vector<Followers> followers;
    Sources forks;  // of it
  };

  Event number(ThreadId t, Time time, const Time* known);
  void follow(Sources& sources, const Event& e);
  void follow(ThreadId t, std::uint32_t number, const Event& later);
  static void add(Sources& sources, const Event& e);
  void touch(State& state, const Event& e, bool sets);
  std::uint32_t number_of(clock::Epoch event) const;
  // By thread the first event that must follow, in the set; kNone: none.
  void find_followers(clock::Epoch event);

  static constexpr std::uint32_t kNone = LeastTable::kNone;

  std::uint64_t many_cells_;
  std::vector<Thread> threads_;
  model::Cells<State> cells_;
  model::Table<Past> locks_;
  model::Table<Sources> channels_;
  std::unordered_map<Key, Generation, Hash> generations_;
  std::vector<std::uint32_t> ends_;   // by thread: how many of its events are in the set
  std::vector<std::uint32_t> first_;  // by thread: see find_followers
  std::vector<bool> done_;
};

// Its forks, and its last event: the number that has in the slot, or that of one before it; none, if there is
// none.
struct KeptOrder::Ended {
  ThreadId slot;
  Sources forks;
  std::uint32_t last;
};

}  // namespace deadheat::order
