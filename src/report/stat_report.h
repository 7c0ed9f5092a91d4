// What `stat` found out about a trace, and how it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics.h"
#include "deadheat/trace.h"
#include "report/resolve.h"

namespace deadheat::report {

struct StatReport {
  std::string trace;
  std::uint64_t bytes = 0;  // of the file, as it is on the disk; 0: not known
  Summary summary;
  bool is_incomplete = false;  // the trace ends before its end

  // What only a scan of all events tells.
  struct Scan {
    std::uint64_t runs = 0, longest_run = 0;
    std::uint64_t sites_used = 0, variables_used = 0, variables_shared = 0;
    std::vector<analysis::LockUse> locks;
    std::vector<analysis::VariableUse> variables;
    std::vector<analysis::SiteUse> sites;
  };
  std::optional<Scan> scan;
  std::size_t top = 0;  // length of the lists
};

std::string as_text(const StatReport& report, const NamesFrom& from);
std::string as_json(const StatReport& report, const NamesFrom& from);  // "version": 1

// Threads with the most events, in that order.
std::vector<ThreadId> busiest_threads(const Summary& summary, std::size_t n);

}  // namespace deadheat::report
