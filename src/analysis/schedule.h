// A witness as it is shown: its steps, of which those that matter are told and the others counted.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "analysis/chain.h"
#include "deadheat/trace.h"
#include "model/held_locks.h"
#include "witness/witness.h"

namespace deadheat::analysis {

struct Step {
  model::NumberedEvent e;
  std::uint64_t folded = 0;  // steps of any thread before this one that are not told
};

struct Schedule {
  std::vector<Step> steps;
  std::uint64_t folded = 0;       // behind the last of them
  std::uint64_t as_in_trace = 0;  // before the first step: so many events, in the order of the trace
  model::NumberedEvent earlier, later;
  // Threads that stop although they did more before the later access in the trace: the first that is left
  // out, and how many are.
  struct Stop {
    model::NumberedEvent next;
    std::uint64_t events = 0;
  };
  std::vector<Stop> stops;
  // Locks held at the first step and still held, by thread, as they were taken.
  std::vector<std::pair<ThreadId, LockId>> held;
  Chain chain{0, 0};                     // of the trace
  std::shared_ptr<const Source> source;  // as far as it was read; has the names
};

struct ScheduleOptions {
  ReadOptions read;
  bool full = false;      // every step is told
  std::size_t most = 60;  // steps that are told, the last ones, unless all are
};

// The variable: on which the two accesses meet.
Result<Schedule> schedule_of(const std::string& path, const witness::Witness& witness, VarId variable,
                             const ScheduleOptions& options);

}  // namespace deadheat::analysis
