// Plants races: pairs of accesses to a variable of their own, by two threads, at least one a write, that are
// unordered by happens-before.
//
// How that is made sure: from the first access on, whatever it happens before is marked: its thread; what
// that thread releases, sends to, stores to or forks; whoever acquires, receives, loads or joins that; and so
// on. Each of up to 64 open pairs has a bit for it, so a step of synchronisation is an `or`. The marks are
// never fewer than happens-before (atomics mark whatever their order is). The second access is done by a
// thread without the mark: nothing leads to it from the first. If the last thread without the mark is about
// to get it, or to end, it does its access right before, however near that is: no pair is left half planted.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "generate/chances.h"
#include "generate/emitter.h"
#include "generate/parameters.h"

namespace deadheat::generate {

// One line of the truth.
struct PlantedRace {
  std::uint64_t event1 = 0, event2 = 0;
  ThreadId thread1{}, thread2{};
  VarId variable{};
  EventKind kind1{}, kind2{};
  SiteId site1{}, site2{};
};
using Truth = std::function<void(const PlantedRace&)>;

class Races {
 public:
  Races(Emitter& out, Random& random, const Parameters& parameters, std::uint32_t first_variable,
        std::uint32_t first_place, Truth truth);

  // Open pairs there are, or none: then nothing need be marked.
  bool watching() const { return open_ != 0; }
  bool due_to_plant(std::uint64_t now) const { return now >= next_at_; }
  std::uint64_t left_to_plant() const { return count_ - planted_; }
  // Events that are still to come for the pairs asked for.
  std::uint64_t reserve() const { return 2 * count_ - done_; }

  // The thread's first access of a new pair, if there is somebody for the second. False: not now.
  bool plant(std::uint32_t t);
  // The thread is on: second accesses that are far enough from their first.
  void take_turn(std::uint32_t t);
  // Everything that is left, at once. `alive` are at least two threads if anything is left.
  void settle(const std::vector<std::uint32_t>& alive);

  void born(std::uint32_t t);
  void forked(std::uint32_t parent, std::uint32_t child);
  void ends(std::uint32_t t);

  // What an object was marked with. The caller keeps one for each, and hands it in.
  struct Mark {
    std::uint64_t bits = 0;
    std::uint32_t sweep = 0;  // bits of an older sweep mean nothing
  };
  // Before t is ordered after what left the mark.
  void meet(std::uint32_t t, const Mark& mark) {
    if (open_ != 0) learn(t, bits_of(mark));
  }
  void meet_thread(std::uint32_t t, std::uint32_t other) {
    if (open_ != 0) learn(t, threads_[other]);
  }
  // t leaves its mark.
  void leave(std::uint32_t t, Mark& mark) {
    if (open_ != 0) mark = {bits_of(mark) | threads_[t], sweep_};
  }

 private:
  struct Pair {
    std::uint64_t event1, due, number;
    std::uint32_t thread1, unmarked;  // living threads without the mark
    EventKind kind1, kind2;
  };

  std::uint64_t bits_of(const Mark& mark) const { return mark.sweep == sweep_ ? mark.bits : 0; }
  void learn(std::uint32_t t, std::uint64_t bits);
  void loses_one(unsigned bit, std::uint32_t t);
  void finish(unsigned bit, std::uint32_t t);
  std::uint32_t op_of(std::uint64_t number, unsigned side, EventKind kind) const;
  void schedule_next();

  Emitter& out_;
  Random& random_;
  Truth truth_;
  std::uint64_t count_, distance_, events_;
  std::uint32_t first_variable_;
  std::uint32_t first_op_ = 0;
  std::uint32_t pool_;  // pairs of sites; pairs beyond reuse them
  std::uint64_t planted_ = 0, done_ = 0, next_at_ = UINT64_MAX;
  std::uint32_t living_ = 0;
  std::uint64_t open_ = 0;   // bits in use
  std::uint64_t spent_ = 0;  // bits that were used since the last sweep
  std::uint32_t sweep_ = 0;
  std::array<Pair, 64> pairs_{};
  std::vector<std::uint64_t> threads_;  // marks
  std::vector<bool> alive_;
};

}  // namespace deadheat::generate
