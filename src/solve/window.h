// A stretch of a trace, and what is asked about it: can these two accesses be made to meet?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deadheat/event.h"
#include "model/held_locks.h"

namespace deadheat::solve {

// Consecutive events of a trace. Those before them are done, in the order of the trace: the messages are
// sent, the threads forked, the values written, and some locks are held.
struct Window {
  struct Held {
    ThreadId thread;
    LockId lock;
    model::HeldLocks::Mode mode;
    std::uint32_t depth;
  };
  std::uint64_t first = 0;  // number of the first event
  std::span<const Event> events;
  std::vector<Held> held;  // at its start
  // Where it is not known whether the trace is complete: a plain write may hide a read of the same bytes.
  bool writes_read = false;
  // Gaps and failed attempts are kept, by rules that are stricter than they have to be: a yes can be shown, a
  // no means nothing. Else they are passed over, and a no is a no.
  bool keeps_gaps = true;
};

// What it means that a pair meets. semantics: after some of the events of the window, in an order that is a
// correct reordering of the trace,
enum class Notion : std::uint8_t {
  co_enabled,  // both accesses are next in their threads
  adjacent,    // the earlier one can be done next, and the later one right after it
};

// Two conflicting accesses of a window, by their numbers in the trace.
struct Question {
  std::uint64_t earlier = 0, later = 0;
  Notion notion = Notion::co_enabled;
};

}  // namespace deadheat::solve
