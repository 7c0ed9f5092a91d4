// What is told about races, with all names in it: writers need nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/circumstances.h"
#include "deadheat/event.h"
#include "engine/registry.h"
#include "model/held_locks.h"
#include "report/fingerprint.h"
#include "report/place.h"
#include "witness/witness.h"

namespace deadheat::report {

struct HeldLock {
  std::string name;
  model::HeldLocks::Mode mode{};
  std::uint64_t event = 0;  // of its outermost acquire
  Place acquired;
};

// A synchronisation of a thread: its own event, or its fork or join by another thread.
struct Sync {
  std::uint64_t event = 0;
  EventKind kind{};
  MemoryOrder order = MemoryOrder::relaxed;
  std::string thread;  // who did it
  std::string object;  // lock, thread, channel, barrier or variable; "" for fences
  Place place;
};

// What made a thread or a block of memory.
struct Made {
  std::uint64_t event = 0;
  std::string by;            // thread
  std::vector<Place> stack;  // innermost first; empty where the trace knows none
};

// One side of a race.
struct Access {
  std::uint64_t event = 0;
  std::string thread;
  EventKind kind{};                          // an access, or free
  MemoryOrder order = MemoryOrder::relaxed;  // of atomics
  Place place;
  std::vector<Place> stack;  // innermost first, that is the place itself; empty where the trace knows none
  std::uint64_t size = 0;    // bytes; 0: not known
  std::uint64_t offset = 0;  // in the variable
  std::vector<HeldLock> locks;
  std::optional<Sync> last_sync;  // before it
  std::optional<Made> created;    // the thread
};

// The memory that is raced for, as far as it is known: an allocated block, a global variable, or on a stack.
struct Memory {
  std::optional<std::uint64_t> address;  // of the first byte that both accesses touch

  struct Block {
    std::uint64_t size = 0;    // bytes; 0: not known
    std::uint64_t offset = 0;  // of the address in it
    Made allocated;
  };
  std::optional<Block> block;

  struct Global {
    std::string name;
    std::uint64_t offset = 0;  // of the address in it
    Place declared;
    std::string module;  // path
  };
  std::optional<Global> global;

  std::string stack_of;  // thread; "": it is on none, or the trace does not tell
};

// A schedule that shows the race: events of the trace in another order, checked.
struct Proof {
  witness::Witness witness;
  std::string how;                                 // it was found
  engine::Grade grade = engine::Grade::predicted;  // proved, or predicted
};

struct ToldBy {
  std::string engine;
  std::uint64_t instances = 0;
};

// All races between one unordered pair of places; the accesses are those of the first instance.
struct Race {
  std::string variable;
  VarId on{};  // in the trace
  Memory memory;
  Access earlier, later;
  engine::Grade grade{};  // the best of the engines that tell it
  std::optional<Proof> proof;
  bool consequence = false;  // no order of the events of the trace brings them together, yet it was observed
  std::optional<analysis::NoRace> no_race;  // of two events that were asked about
  std::string why;                          // nothing orders them, in sentences
  std::vector<ToldBy> engines;              // that tell it
  std::uint64_t variables = 0;              // on which it was seen; exact up to analysis::kVariablesCounted
  Fingerprint fingerprint;
  analysis::Around around = analysis::Around::trace;  // what is known of what went on around it
};

// "write-read", "atomic write-free": in the order of the trace.
std::string kind_of(const Race& race);

struct EngineReport {
  std::string name;
  engine::Notion notion{};
  engine::Grade grade{};
  std::uint64_t instances = 0;  // pairs that it told, shown or not
  std::vector<engine::Counter> counters;
  std::uint64_t bytes = 0;
};

struct FilterReport {
  std::string name;
  std::uint64_t seen = 0, kept = 0;  // accesses and frees
  std::vector<engine::Counter> counters;
  std::uint64_t bytes = 0;
};

// What a sampler of windows looked at.
struct WindowsReport {
  std::string name;
  double eps = 0, delta = 0;
  std::uint64_t seed = 0, m = 0;
  std::uint64_t length = 0, drawn = 0, kept = 0;  // windows as planned, and those that the promise rests on
  std::uint64_t windows = 0;                      // after those that overlap were made one
  std::uint64_t events = 0;                       // in them
  std::uint64_t bytes_read = 0, file_bytes = 0;   // 0: not known
  std::uint64_t steps = 0;
  bool whole = false, one_pass = false, cut_short = false;
  // Of a trace from which `edits` events or more must be changed to be free of races: how likely it is at
  // least that it shows one. 0: nothing is promised.
  std::uint64_t edits = 0;
  double probability = 0;
};

struct SuppressionUse {
  std::string file;
  std::uint64_t line = 0;
  std::string text;
  std::uint64_t races = 0;
};

inline constexpr std::size_t kGrades = 4;

struct Report {
  std::string trace;
  std::uint64_t events = 0;
  bool is_incomplete = false;  // the trace ends before its end
  Completeness completeness = {};
  std::vector<FilterReport> filters;  // in their order
  std::optional<WindowsReport> windows;
  std::vector<EngineReport> engines;
  std::optional<analysis::ProvingRun> proving;    // none: no proof was looked for
  std::uint64_t pairs_not_kept = 0;               // of races beyond those that there was room for (--memory)
  std::vector<Race> races;                        // that are shown, in trace order
  std::array<std::uint64_t, kGrades> by_grade{};  // all that count: those shown and those beyond the limit
  std::uint64_t suppressed = 0;                   // by suppressions
  std::uint64_t passed_over = 0;                  // by --only and --ignore
  std::uint64_t limit = UINT64_MAX;               // how many are shown at most
  std::vector<SuppressionUse> suppressions;       // those that hit
  std::uint64_t found() const { return by_grade[0] + by_grade[1] + by_grade[2] + by_grade[3]; }
  std::uint64_t not_shown() const { return found() - races.size(); }
};

}  // namespace deadheat::report
