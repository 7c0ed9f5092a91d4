// What engines found in a trace: races, grouped by the two places in the program.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deadheat/trace.h"
#include "engine/registry.h"
#include "filter/registry.h"
#include "filter/windows.h"
#include "model/race.h"
#include "witness/witness.h"

namespace deadheat::analysis {

// A schedule that shows a race, and that passed its check.
struct Proof {
  model::RacePair pair;  // the instance that it is of
  witness::Witness witness;
  std::string_view how;  // it was found
  // Proved, or no more than predicted: nobody knows whether the trace is complete.
  engine::Grade grade = engine::Grade::predicted;
};

// All races between one unordered pair of sites. Where a site is not known, the variable takes its place.
struct Finding {
  // Of the instances that engines told, those of the best grade first: the least later event, then earlier
  // event. Of a race that is no more than suspected and can be proved: the one that is proved.
  model::RacePair first;
  std::vector<std::uint64_t> instances;  // by engine: how many pairs it told
  std::uint64_t variables = 0;           // distinct ones among the instances; exact up to kVariablesCounted
  std::vector<VarId> on = {};            // these, up to kVariablesCounted of them
  // More instances, of other events: one that can be proved will do for all.
  std::vector<model::RacePair> others = {};
  std::optional<Proof> proof = {};
  // Of all its instances it is known that no order of the events of the trace brings them together. A
  // suspicion is then void; what was observed is there because of another race that came before.
  bool refuted = false;
};
inline constexpr std::uint64_t kVariablesCounted = 16;
inline constexpr std::size_t kInstancesKept = 8;  // the first among them

struct EngineRun {
  std::string name;  // as chosen
  const engine::Row* row;
  std::uint64_t pairs = 0;  // told, of all findings together
  std::vector<engine::Counter> counters;
  std::uint64_t bytes = 0;   // of its tables at the end
  bool is_complete = false;  // the trace is said to have all accesses, or gaps for them

  // What an engine proves holds for the events of the trace; for the program only if these are all.
  engine::Grade grade() const {
    return row->grade == engine::Grade::proved && !is_complete ? engine::Grade::candidate : row->grade;
  }
};

// How sure it is: the best that any engine which tells it, or a proof, makes it.
inline engine::Grade grade_of(const Finding& finding, std::span<const EngineRun> engines) {
  engine::Grade grade = finding.proof ? finding.proof->grade : engine::Grade::candidate;
  for (std::size_t i = 0; i < engines.size(); ++i) {
    if (finding.instances[i] > 0) grade = std::max(grade, engines[i].grade());
  }
  return grade;
}

struct FilterRun {
  std::string name;  // as chosen
  const filter::Row* row;
  std::uint64_t seen = 0, kept = 0;  // accesses and frees
  std::vector<engine::Counter> counters;
  std::uint64_t bytes = 0;  // of its tables at the end
};

// What a sampler of windows looked at.
struct WindowsRun {
  std::string name;  // as chosen
  filter::WindowPlan plan;
  std::uint64_t seed = 0;
  bool whole = false;     // the trace was so short that all of it was looked at
  bool one_pass = false;  // its length was not known before its end
  std::uint64_t kept =
      0;  // windows that the promise rests on: as many as planned, but maybe fewer in one pass
  std::uint64_t windows = 0;                     // after those that overlap were made one
  std::uint64_t events = 0;                      // in them
  std::uint64_t bytes_read = 0, file_bytes = 0;  // 0: not known
  std::uint64_t steps =
      0;                   // of those that lower eps until time is up; the plan is that of the last whole one
  bool cut_short = false;  // time was up before even the first step was whole
  std::vector<filter::Window> places;  // of the windows, in order
};

// What came of looking for proofs.
struct ProvingRun {
  std::uint64_t proved = 0;
  std::uint64_t refuted = 0;       // suspicions: no order of the events of the trace brings them together
  std::uint64_t consequences = 0;  // observed, and no such order
  std::uint64_t not_found = 0;     // within the windows that were looked at, none does
  std::uint64_t too_far = 0;       // the two accesses are too far apart to look at all between them
  std::uint64_t time_is_up = 0;
  // Not looked for: they differ only by their lines from races on the same variable, of which enough were.
  std::uint64_t grouped = 0;
  std::uint64_t not_kept = 0;  // a schedule was made, which does not keep to gaps or failed attempts
  // Schedules that were made and did not pass the check: each is a bug in what made it.
  std::uint64_t rejected = 0;
};

// Why two accesses can never race, whatever the schedule.
enum class NoRace : std::uint8_t {
  same_event,
  same_thread,
  no_common_bytes,
  no_write,
  both_atomic,
};

struct Findings {
  std::vector<FilterRun> filters;
  std::optional<WindowsRun> windows;
  std::vector<EngineRun> engines;
  std::vector<Finding> races;  // by first.later.event, then first.earlier.event, then variable
  // Pairs of accesses that are in no race below: there was no room for more races (--memory).
  std::uint64_t pairs_not_kept = 0;
  std::optional<ProvingRun> proving;  // none: no proof was looked for
  std::uint64_t events = 0;
  Completeness completeness;
  std::vector<Warning> warnings;
  std::shared_ptr<Source> read_once;  // of a trace that cannot be read again: has the names
  std::optional<NoRace> no_race;      // of findings_of_pair(): nothing remains to be proved
};

// What is known, or said by the user, of the trace.
inline void declare(Findings& findings, const Completeness& completeness) {
  findings.completeness = completeness;
  for (EngineRun& run : findings.engines) run.is_complete = completeness.declared;
}

}  // namespace deadheat::analysis
