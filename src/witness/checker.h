// The judge of witnesses: whether a schedule keeps the rules of a correct reordering, and ends before a race.
// It reads the trace once, in order, and shares nothing with what makes witnesses but the event model.
//
// A schedule is a correct reordering if of each thread it has a first part; every byte that is read has the
// same last write as in the trace; locks are held by one writer or by readers at a time; a thread runs after
// its fork; a join comes after all that the joined thread had done by then, a receive after all earlier sends
// of its channel, the exit of a barrier after all that entered the same generation, and memory is new only
// after what was done to the same bytes by earlier allocs and frees.
//
// Failed attempts are kept: one to take a lock finds it held by a writer, or by readers if so it did in the
// trace; where it is free in the trace, nobody knows when it was held, and all is done before it that is in
// the trace, and nothing else. One to receive has the same sends and receives of its channel before it as in
// the trace. One to join comes before the end of the thread, unless it does not in the trace.
//
// Gaps are respected. At a gap the thread may have accessed memory of which the trace does not tell; not
// memory with which it would have raced: what it may have read are the bytes whose writes are all ordered
// with it by happens-before, what it may have written those whose accesses all are.
//   O1  A gap comes after all gaps that happen before it and may have touched the same bytes.
//   O2  Every byte that it may have read has the same last write as in the trace.
//   O3  Between a read of a byte and its last write are those gaps that may have written it and are there in
//       the trace, and no others.
// What may have been accessed depends on the whole trace. Where a rule is kept whatever it is, or broken by
// what the schedule's own part tells, that is not asked; else it is a doubt, which doubts.h settles.
//
// Time O(events from the first that is left out on), memory O(bytes written among these).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "deadheat/event.h"
#include "witness/doubts.h"
#include "witness/happens_before.h"
#include "witness/witness.h"

namespace deadheat::witness {

struct Verdict {
  std::string broken;                  // the rule; empty: all is well
  std::optional<std::uint64_t> event;  // at which
  bool by_gap = false;                 // a gap or a failed attempt is not kept; else it is a fault
  bool ok() const { return broken.empty(); }
};

// What a doubt that is confirmed makes of a schedule.
Verdict verdict_of(const Doubt& confirmed);

// Who holds which lock. Depths, since locks may be taken again by who holds them.
class LocksHeld {
 public:
  // What is wrong with it; "" if nothing is.
  std::string change(ThreadId t, EventKind kind, std::uint32_t lock);
  bool is_written(std::uint32_t lock) const;
  bool is_held(std::uint32_t lock) const;

 private:
  struct Hold {
    ThreadId thread;
    std::uint32_t exclusive = 0, shared = 0;
  };
  std::unordered_map<std::uint32_t, std::vector<Hold>> holds_;  // by lock
};

// What a schedule finds where it begins to differ from the trace.
struct Before {
  LocksHeld locks;
  std::set<std::uint32_t> forked;  // threads

  void see(const Event& event);
};

struct Demands {
  // Where it is not known whether the trace is complete, a plain write may hide a read of the same bytes.
  bool writes_read = false;
  bool gaps = true;  // false: the trace has none
};

// To be shown all events of the trace from witness.from up to witness.last(), in order.
class Checker {
 public:
  explicit Checker(const Witness& witness, const Demands& demands = {});

  void begin(const Before& before) {
    state_ = before;
    locks_in_trace_ = before.locks;
  }
  void see(std::uint64_t number, const Event& event);
  // After the last. Holds if no doubt is confirmed.
  Verdict verdict();
  const std::vector<Doubt>& doubts() const { return doubts_; }

 private:
  // Of a byte: which event wrote it, and when that was, as the schedule goes.
  struct Write {
    std::uint64_t tick = 0, event = 0;  // 0: before `from`; else the number and one
  };
  using PastOf = std::shared_ptr<const Past>;
  // A gap, or an event that changes memory, in the schedule's part of the trace.
  struct Put {
    std::uint64_t number;
    Event event;
    PastOf past;
  };
  // The last writes of all bytes, in the trace or in the schedule.
  class Memory {
   public:
    void write(const Event& event, std::uint64_t number);
    // f(number of a byte of the event, who wrote it last).
    template <class F>
    void each_byte(const Event& event, F&& f) const;

   private:
    struct Stretch {
      std::uint64_t begin, end;  // bytes
      Write write;
    };
    using Cell = std::array<Write, kCellBytes>;
    std::unordered_map<std::uint64_t, Cell> cells_;
    std::vector<Stretch> stretches_;  // of allocs and frees that are too large to be looked at by cells
    std::uint64_t tick_ = 0;
  };
  using Writers = std::vector<std::uint64_t>;  // byte by byte
  struct Bytes {
    std::uint64_t begin, end;
    bool overlap(const Bytes& other) const { return begin < other.end && other.begin < end; }
  };
  // An event of the trace that the schedule has not done.
  struct Pending {
    Event event;
    Writers writers;  // of what it reads, in the trace
    PastOf past;      // where there are gaps
  };

  static Bytes bytes_of(const Event& event);
  bool reads(EventKind kind) const;
  static bool changes(EventKind kind);

  static void writers_of(const Event& event, const Memory& memory, Writers& out);
  void perform(std::uint64_t number, const Event& event, const Writers& writers, const PastOf& past);
  std::string wrong_with(std::uint64_t number, const Event& event, const Writers& writers);
  bool fails(std::uint64_t number, const Event& event) const;
  bool all_done_before(std::uint64_t number) const;
  void note(std::uint64_t number, const Event& event, const PastOf& past, bool is_put_off);
  std::string wrong_gap(std::uint64_t number, const Event& event, const PastOf& past);
  static bool may_touch(const Event& gap, std::uint64_t byte);
  void doubt_put_off(std::uint64_t number, const Event& event, const PastOf& past);
  void doubt_values(std::uint64_t number, const Event& event, const PastOf& past);
  void doubt_gaps(std::uint64_t number, const Event& event, const Writers& writers, const PastOf& past);
  void doubt(std::uint64_t gap, ThreadId thread, std::uint64_t byte, Doubt::Of of);
  const Put* change(std::uint64_t number) const;
  const Put* last_change(std::uint64_t byte, std::uint64_t before) const;
  std::uint64_t next_change(std::uint64_t byte, std::uint64_t behind) const;
  bool is_renewed(std::uint64_t byte, std::uint64_t event, std::uint64_t change) const;
  static bool may_be_ordered(std::uint64_t gap, ThreadId thread, const Past& past, const Put& change);
  bool finds(const Event& event, const Writers& writers) const;
  std::string missing(std::uint64_t number, const Event& event) const;
  void put_off(std::uint64_t number, const Event& event, const Writers& writers);
  void take_up(std::uint64_t number, const Event& event);
  bool is_next(std::uint64_t number, ThreadId t) const;
  std::string wrong_end() const;
  void fail(std::string broken, std::optional<std::uint64_t> event);
  void fail_by_gap(std::string broken, std::uint64_t event);

  static constexpr std::size_t kMostDoubts = 65536;

  const Witness& witness_;
  Demands demands_;
  std::set<std::uint64_t> listed_;  // witness.then, and the two accesses
  Verdict verdict_;
  Before state_;
  Memory in_trace_, now_;
  Writers scratch_;
  std::map<std::uint64_t, Pending> listed_pending_;                       // those listed
  std::unordered_map<std::uint32_t, std::deque<std::uint64_t>> pending_;  // by thread
  std::unordered_map<std::uint32_t, std::uint64_t> forks_;                // by thread that they fork
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::set<std::uint64_t>>
      entries_;                                             // by barrier, generation
  std::map<std::uint32_t, std::set<std::uint64_t>> sends_;  // by channel
  std::map<std::uint64_t, Bytes> allocations_;              // allocs and frees
  std::vector<Bytes> renewed_;                              // by allocs between the two accesses

  // Failed attempts.
  LocksHeld locks_in_trace_;
  std::set<std::uint64_t> found_readers_, found_free_;           // attempts to take a lock
  std::uint64_t last_done_ = 0;                                  // and one
  std::map<std::uint32_t, std::set<std::uint64_t>> recvs_;       // put off, by channel
  std::map<std::uint32_t, std::uint64_t> last_message_, ended_;  // done, and one

  // Gaps.
  std::optional<HappensBefore> order_;  // from the first event on that is put off, or a gap
  bool has_gaps_ = false, is_in_order_ = true;
  std::map<std::uint32_t, std::deque<Put>> pending_gaps_, pending_changes_;  // by thread
  std::vector<Put> done_gaps_;  // where events are listed, which they may come before
  // Where events are listed: all changes from where order_ begins, in the order of the trace.
  std::vector<Put> changes_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> changes_of_;  // by cell
  std::vector<std::size_t> wide_changes_;
  std::vector<Doubt> doubts_;
  std::set<std::tuple<std::uint64_t, std::uint64_t, Doubt::Of>> doubted_;
};

}  // namespace deadheat::witness
