// Looks for a schedule that shows each race, and has it checked: what is proved then, and what is not.
// First the schedules that keep the order of locks, of all races in one pass over the trace.
#pragma once

#include <string>

#include "analysis/findings.h"

namespace deadheat::analysis {

struct ProveOptions {
  ReadOptions read;
  bool progress = true;  // shown on a terminal
};

// The trace must be the one the findings are of, and one that can be read again.
Status prove(const std::string& path, Findings& findings, const ProveOptions& options);

}  // namespace deadheat::analysis
