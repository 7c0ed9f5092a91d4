// What was going on around the accesses of races: locks held, who synchronised when, who made the threads and
// the memory. Found in a pass of
// its own over the trace, so that engines need not carry it for every access; the pass ends with the last
// event that is needed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/findings.h"
#include "deadheat/trace.h"
#include "model/held_locks.h"
#include "model/well_formed.h"

namespace deadheat::analysis {

struct LockHeld {
  LockId lock{};
  model::HeldLocks::Mode mode{};
  std::uint64_t event = 0;  // of the outermost acquire
  SiteId site = SiteId::none;
  StackId stack = StackId::none;
};

// Around one access.
struct Circumstance {
  Event event;
  std::vector<LockHeld> held;  // in the order of their acquires
  // The thread's last synchronisation before the access: its own event, or its fork by another thread.
  std::optional<model::NumberedEvent> last_sync;
  // The last of them in which it may have waited for others: acquire, join, recv, barrier exit, atomic
  // load...
  std::optional<model::NumberedEvent> last_wait;
  // Of the earlier access: the first synchronisation behind it, and before the later access, for which others
  // may have waited: release, fork, send, barrier enter, atomic store..., or its join by another thread.
  std::optional<model::NumberedEvent> next_signal;
  // That made the thread.
  std::optional<model::NumberedEvent> fork;
};

struct CircumstancesOfRace {
  Circumstance earlier, later;
  // The alloc that made the variable, the last one before the later access; none if the memory was given back
  // before the earlier access.
  std::optional<model::NumberedEvent> alloc;
};

// What circumstances are taken from.
enum class Around : std::uint8_t {
  trace,   // all that came before
  window,  // what windows show: what was before them is not known
  pair,    // the race alone: the trace could not be read again
};

struct Circumstances {
  std::vector<CircumstancesOfRace> races;  // as many as findings, of the first instance of each
  std::shared_ptr<const Source> source;    // as far as it was read; has the names
  Around around = Around::trace;

  const Names& names() const { return source->names(); }
};

// The trace must be the one the findings are of, and one that can be read again.
Result<Circumstances> circumstances_of(const std::string& path, const ReadOptions& options,
                                       std::span<const Finding> findings);
// The same as far as the windows show it in which the races were found: no more is read.
Result<Circumstances> circumstances_in_windows(const std::string& path, const ReadOptions& options,
                                               const Findings& findings);

}  // namespace deadheat::analysis
