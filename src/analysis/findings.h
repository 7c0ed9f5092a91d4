// What engines found in a trace: races, grouped by the two places in the program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "deadheat/trace.h"
#include "engine/registry.h"
#include "filter/registry.h"
#include "model/race.h"

namespace deadheat::analysis {

// All races between one unordered pair of sites. Where a site is not known, the variable takes its place.
struct Finding {
  model::RacePair first;  // of the instances that any engine told: the least later event, then earlier event
  std::vector<std::uint64_t> instances;  // by engine: how many pairs it told
  std::uint64_t variables = 0;           // distinct ones among the instances; exact up to kVariablesCounted
  std::vector<VarId> on = {};            // these, up to kVariablesCounted of them
};
inline constexpr std::uint64_t kVariablesCounted = 16;

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

struct Findings {
  std::vector<FilterRun> filters;
  std::vector<EngineRun> engines;
  std::vector<Finding> races;  // by first.later.event, then first.earlier.event, then variable
  std::uint64_t events = 0;
  std::vector<Warning> warnings;
};

}  // namespace deadheat::analysis
