// Looks for a schedule that shows each race, and has it checked: what is proved then, and what is not.
// First the schedules that keep the order of locks, of all races in one pass over the trace.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/findings.h"
#include "witness/witness.h"

namespace deadheat::analysis {

struct Proof {
  model::RacePair pair;  // the instance that it is of
  witness::Witness witness;
  std::string_view how;  // the schedule was found
};

struct Proofs {
  std::vector<std::optional<Proof>> of;  // by finding
  // Schedules that were made and did not pass the check: each is a bug in what made it.
  std::uint64_t rejected = 0;
};

struct ProveOptions {
  ReadOptions read;
  bool progress = true;  // shown on a terminal
};

// The trace must be the one the findings are of, and one that can be read again.
Result<Proofs> prove(const std::string& path, std::span<const Finding> findings, const ProveOptions& options);

}  // namespace deadheat::analysis
