// Runs engines over a trace: one decode pass feeds them all.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "analysis/findings.h"
#include "engine/registry.h"
#include "filter/registry.h"

namespace deadheat::analysis {

struct AnalyzeOptions {
  std::vector<engine::Choice> engines;
  std::vector<filter::Choice> filters = {};  // in their order
  unsigned jobs = 1;                         // threads at work; the findings do not depend on it
  // Of the tables of an engine, and of the time of one that only suspects: beyond, it is shown no more.
  std::uint64_t most_bytes = UINT64_MAX;
  std::uint64_t most_threads = UINT64_MAX;  // a trace of more is refused
  std::uint64_t most_races = UINT64_MAX;    // of each engine; the pairs of further ones are counted
  std::chrono::steady_clock::time_point suspect_until = std::chrono::steady_clock::time_point::max();
  ReadOptions read;
  bool progress = true;  // shown on a terminal
  // Told of every pair besides, as engines tell them: for one job, and no windows.
  engine::RaceSink* also = nullptr;
};

// Whether each filter may stand before each engine; a usage error says why not.
Status check_filters(const AnalyzeOptions& options);

// A trace that is not well formed is an error that names the event; so is a filter that may not stand before
// one of the engines.
Result<Findings> analyze(const std::string& path, const AnalyzeOptions& options);

}  // namespace deadheat::analysis
