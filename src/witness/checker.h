// The judge of witnesses: whether a schedule keeps the rules of a correct reordering, and ends before a race.
// It reads the trace once, in order, and shares nothing with what makes witnesses but the event model.
//
// A schedule is a correct reordering if of each thread it has a first part; every byte that is read has the
// same last write as in the trace; locks are held by one writer or by readers at a time; a thread runs after
// its fork; a join comes after all that the joined thread had done by then, a receive after all earlier sends
// of its channel, the exit of a barrier after all that entered the same generation, and memory is new only
// after what was done to the same bytes by earlier allocs and frees.
// Time O(events from the first that is left out on), memory O(bytes written among these).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "deadheat/event.h"
#include "witness/witness.h"

namespace deadheat::witness {

struct Verdict {
  std::string broken;                  // the rule; empty: all is well
  std::optional<std::uint64_t> event;  // at which
  bool ok() const { return broken.empty(); }
};

// Who holds which lock. Depths, since locks may be taken again by who holds them.
class LocksHeld {
 public:
  // What is wrong with it; "" if nothing is.
  std::string change(ThreadId t, EventKind kind, std::uint32_t lock);

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

// To be shown all events of the trace from witness.from up to witness.last(), in order.
class Checker {
 public:
  explicit Checker(const Witness& witness);

  void begin(const Before& before) { state_ = before; }
  void see(std::uint64_t number, const Event& event);
  Verdict verdict();  // after the last

 private:
  // Of a byte: which event wrote it, and when that was, as the schedule goes.
  struct Write {
    std::uint64_t tick = 0, event = 0;  // 0: before `from`; else the number and one
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
  };

  static Bytes bytes_of(const Event& event);
  static bool reads(EventKind kind);
  static bool changes(EventKind kind);

  static void writers_of(const Event& event, const Memory& memory, Writers& out);
  void perform(std::uint64_t number, const Event& event, const Writers& writers);
  std::string wrong_with(std::uint64_t number, const Event& event, const Writers& writers);
  bool finds(const Event& event, const Writers& writers) const;
  std::string missing(std::uint64_t number, const Event& event) const;
  void put_off(std::uint64_t number, const Event& event, const Writers& writers);
  void take_up(std::uint64_t number, const Event& event);
  bool is_next(std::uint64_t number, ThreadId t) const;
  std::string wrong_end() const;
  void fail(std::string broken, std::optional<std::uint64_t> event);

  const Witness& witness_;
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
};

}  // namespace deadheat::witness
