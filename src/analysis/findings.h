// What engines found in a trace: races, grouped by the two places in the program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deadheat/trace.h"
#include "engine/registry.h"
#include "filter/registry.h"
#include "filter/windows.h"
#include "model/race.h"

namespace deadheat::analysis {

// All races between one unordered pair of sites. Where a site is not known, the variable takes its place.
struct Finding {
  model::RacePair first;  // of the instances that any engine told: the least later event, then earlier event
  std::vector<std::uint64_t> instances;  // by engine: how many pairs it told
  std::uint64_t variables = 0;           // distinct ones among the instances; exact up to kVariablesCounted
  std::vector<VarId> on = {};            // these, up to kVariablesCounted of them
  // More instances in the same order, of other events: one that can be proved will do for all.
  std::vector<model::RacePair> others = {};
};
inline constexpr std::uint64_t kVariablesCounted = 16;
inline constexpr std::size_t kInstancesKept = 8;  // the first among them

struct EngineRun {
  std::string name;  // as chosen
  const engine::Row* row;
  std::uint64_t pairs = 0;  // told, of all findings together
  std::vector<engine::Counter> counters;
  std::uint64_t bytes = 0;  // of its tables at the end
};

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

struct Findings {
  std::vector<FilterRun> filters;
  std::optional<WindowsRun> windows;
  std::vector<EngineRun> engines;
  std::vector<Finding> races;  // by first.later.event, then first.earlier.event, then variable
  std::uint64_t events = 0;
  std::vector<Warning> warnings;
  std::shared_ptr<Source> read_once;  // of a trace that cannot be read again: has the names
};

}  // namespace deadheat::analysis
