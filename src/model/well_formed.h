// Whether a trace keeps the rules that every engine relies on.
//
// Fed block by block, in order. Plain accesses cost next to nothing: only synchronisation and the first event
// of each run of one thread are looked at. Memory grows with the numbers of threads, locks, channels and
// barriers, never with the length of the trace.
//
// After a violation the check goes on as described beside each rule, so that one fault (an event lost or
// written twice) is one violation or two, not one for every event behind it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deadheat/event.h"
#include "deadheat/names.h"
#include "model/pair_table.h"
#include "model/table.h"

namespace deadheat::model {

enum class Rule : std::uint8_t {
  // An exclusive acquire while another thread holds the lock, in either mode; a shared one while another
  // thread holds it exclusively. Goes on: the lock changes hands, and the robbed thread's release is let
  // pass.
  lock_held,
  // An exclusive acquire by a thread that holds the lock shared. Goes on: it holds both.
  lock_upgrade,
  // A release of a lock that nobody holds. Goes on: ignored.
  release_free,
  // A release by a thread that does not hold the lock in that mode, while somebody holds it (another thread,
  // or the thread itself in the other mode). Goes on: ignored.
  release_other,
  // A fork of itself. Goes on: ignored.
  fork_self,
  // A fork of a thread that was forked, has acted, or was joined before. Goes on: it starts anew.
  fork_twice,
  // The same fork once more, as the very next event. Goes on: ignored.
  fork_repeated,
  fork_late,
  fork_joined,
  // A join of itself. Goes on: ignored.
  join_self,
  // An event of a thread that was joined, or has ended. Goes on: it lives again.
  after_join,
  after_end,
  // A begin that is not the thread's first event: the second one, or one behind other events. Goes on:
  // ignored.
  begin_twice,
  begin_late,
  // A receive without an earlier send on the channel. Goes on: ignored.
  recv_unsent,
  // An enter by a thread that is still inside. Goes on: it is inside the new generation only.
  barrier_inside,
  // An enter of an older generation than the thread's last one. Goes on: taken as it is.
  barrier_back,
  // An enter of a generation while it, or a later one, was already left by somebody. Goes on: the barrier is
  // back at this generation.
  barrier_closed,
  // An exit by a thread that is not inside that generation. Goes on: the thread is outside.
  barrier_exit,
  // A memory order that the operation cannot have: a load that releases, a store that acquires.
  order,
  // A value out of range: offset, order, kind, size.
  attribute,
  // An attribute on an event of a kind that has none: a memory order on a plain read, a site's offset on a
  // lock.
  stray,
};
inline constexpr std::size_t kRules = 22;

std::string_view name_of(Rule rule);     // "lock-held": stable, for scripts
std::string_view meaning_of(Rule rule);  // a short sentence

struct NumberedEvent {
  std::uint64_t number = 0;
  Event event;
};

struct Violation {
  Rule rule{};
  NumberedEvent at;
  std::optional<NumberedEvent> other;  // the earlier event that makes this one wrong, where there is one
};

// For a person, with names: "T1 acquires L0 while T0 holds it".
std::string describe(const Violation& violation, const Names& names);

class WellFormed {
 public:
  explicit WellFormed(std::size_t keep = 100) : keep_(keep) {}

  void feed(const BlockView& block);
  // The same, quicker, for who knows which events of the block are not plain reads and writes.
  void feed(const BlockView& block, std::span<const std::uint16_t> others);

  bool ok() const { return total_ == 0; }
  std::uint64_t total() const { return total_; }
  std::uint64_t total(Rule rule) const { return by_rule_[static_cast<std::size_t>(rule)]; }
  // The first `keep` of them, in order of events.
  std::span<const Violation> kept() const { return kept_; }

  // All violations of the block fed last: where, and what.
  struct Fault {
    std::uint32_t place;
    Rule rule;
  };
  std::span<const Fault> faults() const { return faults_; }
  // Of the block fed last: the acquires of locks that the thread held already, and their releases.
  std::span<const std::uint32_t> inner() const { return inner_; }
  // The last `end` of the thread that was followed by more of its events.
  std::optional<std::uint64_t> premature_end(ThreadId t) const;

 private:
  struct Hold {
    std::uint32_t depth = 0;
    std::uint32_t era = 0;  // of the lock when taken; older than the lock's: taken away since
    NumberedEvent taken;
  };
  struct Lock {
    std::uint64_t writer = 0;   // and how often it took it: held(). 0: there is none
    std::uint32_t readers = 0;  // threads
    std::uint32_t era = 0;      // rises when readers lose the lock to a violation
    std::uint64_t number = 0;   // of the event by which the writer took it,
    SiteId site{};              // and where that was
    StackId stack{};

    static constexpr std::uint64_t kOnce = std::uint64_t{1} << 32;
    static constexpr std::uint64_t held(std::uint32_t t) { return kOnce | t; }  // by a writer, once
    std::uint32_t depth() const { return static_cast<std::uint32_t>(writer >> 32); }
    bool is_written_by(std::uint32_t t) const {
      return writer != 0 && static_cast<std::uint32_t>(writer) == t;
    }
    // Whether the writer holds it no longer.
    bool leave() {
      writer -= kOnce;
      if (depth() > 0) return false;
      writer = 0;
      return true;
    }
    NumberedEvent taken(std::uint32_t l) const {
      return {number,
              {ThreadId{static_cast<std::uint32_t>(writer)},
               {.kind = EventKind::acquire, .site = site, .stack = stack},
               l}};
    }
  };
  struct Thread {
    std::optional<NumberedEvent> first, forked, joined, ended;
    std::optional<std::uint64_t> premature_end;
    bool begun = false;
  };
  struct Barrier {
    std::optional<NumberedEvent> left;  // the first exit of the latest generation that was left
  };
  struct Visit {  // of a thread to a barrier
    bool inside = false;
    bool been = false;
    NumberedEvent entered;  // last
  };

  // with_care: the operation alone has a fault, or may have one with its object.
  enum class Look : std::uint8_t { acquire, release, no, yes, with_care };

  static Look how_to_look(const Op& op);
  void classify(std::span<const Op> ops);
  bool all_usual(const BlockView& block);
  void feed_marked(const BlockView& block);
  void note_inner(const NumberedEvent& e) { inner_.push_back(static_cast<std::uint32_t>(e.number - first_)); }
  void find_marks(const BlockView& block);
  struct NumberedOp {
    std::uint64_t number;
    const Op& op;
  };
  bool change_hands(Lock& lock, std::uint32_t t, Look how, const NumberedOp& by);
  void look_at(const BlockView& block, std::uint32_t i);
  void look(const BlockView& block, std::uint32_t i);
  void look_for_faults(const NumberedEvent& e);
  void acts(const BlockView& block, std::uint32_t i);
  void acquire(const NumberedEvent& e);
  void acquire_shared(const NumberedEvent& e);
  void release(const NumberedEvent& e);
  void release_shared(const NumberedEvent& e);
  void fork(const NumberedEvent& e);
  void join(const NumberedEvent& e);
  void enter(const NumberedEvent& e);
  void exit(const NumberedEvent& e);
  void report_release(const NumberedEvent& e, const Lock& lock);
  bool holds_shared(std::uint32_t t, std::uint32_t l, const Lock& lock);
  std::optional<NumberedEvent> earliest_reader(std::uint32_t l, const Lock& lock, std::uint32_t but) const;
  void rob_writer(std::uint32_t l, Lock& lock);
  void note(Rule rule, const NumberedEvent& e, const std::optional<NumberedEvent>& other = {});
  bool room() const { return kept_.size() < keep_; }

  std::size_t keep_;
  std::uint64_t total_ = 0;
  std::array<std::uint64_t, kRules> by_rule_{};
  std::vector<Violation> kept_;
  std::vector<Fault> faults_;
  std::vector<std::uint32_t> inner_;

  Table<Thread> threads_;
  Table<Lock> locks_;
  Table<Barrier> barriers_;
  Table<bool, 12> sent_;             // by channel
  PairTable<Hold> shared_;           // (lock, thread)
  PairTable<std::uint32_t> robbed_;  // (lock, thread): depth of an exclusive hold taken away
  PairTable<Visit> visits_;          // (barrier, thread)

  std::uint64_t first_ = 0;           // of the block in hand
  std::vector<Look> look_at_;         // by operation
  bool only_locks_ = false;           // no operation but plain accesses without fault, atomics and locks
  std::vector<std::uint8_t> usual_;   // by thread: it has begun, and neither ended nor was joined
  std::vector<std::uint32_t> marks_;  // the events to look at, as many as
  std::size_t marked_ = 0;
};

}  // namespace deadheat::model
