// Which of the races found are told.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/circumstances.h"
#include "report/pattern.h"
#include "report/race.h"
#include "report/suppressions.h"
#include "symbol/symbolizer.h"

namespace deadheat::report {

struct Selection {
  // Matched against the places of the two accesses and the variable; digits of a fingerprint match too.
  std::vector<Pattern> only, ignore;  // only: empty means all
  std::uint64_t limit = UINT64_MAX;   // shown at most; the others are counted
};

// By finding: whether it is to be told.
std::vector<bool> wanted(const analysis::Findings& findings, const analysis::Circumstances& circumstances,
                         const Selection& selection, symbol::Symbolizer* symbols = nullptr);

// The report of one trace. Code addresses are looked up in `symbols`, unless that is nullptr.
Report select(const std::string& trace, const analysis::Findings& findings,
              const analysis::Circumstances& circumstances, const Selection& selection,
              Suppressions& suppressions, symbol::Symbolizer* symbols = nullptr);

}  // namespace deadheat::report
