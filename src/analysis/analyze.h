// Runs engines over a trace: one decode pass feeds them all.
#pragma once

#include <string>
#include <vector>

#include "analysis/findings.h"
#include "engine/registry.h"

namespace deadheat::analysis {

struct AnalyzeOptions {
  std::vector<engine::Choice> engines;
  unsigned jobs = 1;  // threads at work; the findings do not depend on it
  ReadOptions read;
  bool progress = true;  // shown on a terminal
};

// A trace that is not well formed is an error that names the event.
Result<Findings> analyze(const std::string& path, const AnalyzeOptions& options);

}  // namespace deadheat::analysis
