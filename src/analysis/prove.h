// Looks for a schedule that shows each race, and has it checked: what is proved then, and what is not.
// First the schedules that keep the order of locks, of all races in one pass over the trace; then, for the
// races that are left, a decision procedure is asked about windows around them that grow. All of it as long
// as there is time, the check included: what it has not come to is not proved.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/findings.h"

namespace deadheat::analysis {

struct ProveOptions {
  ReadOptions read;
  std::chrono::milliseconds time{60'000};
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // for the search and the check
  unsigned jobs = 1;
  bool progress = true;  // shown on a terminal
  // By finding: whether it is asked for; the others are left as they are. Empty: all are.
  std::vector<bool> wanted = {};
  std::size_t shown_first = 0;  // so many, in the order of reports, come before all others
};

// The trace must be the one the findings are of, and one that can be read again.
Status prove(const std::string& path, Findings& findings, const ProveOptions& options);

// Two accesses as the finding of no engine, with the reason if they can never race. Events that are not
// there, or no accesses, are an error.
Result<Findings> findings_of_pair(const std::string& path, const ReadOptions& read, std::uint64_t earlier,
                                  std::uint64_t later);

}  // namespace deadheat::analysis
