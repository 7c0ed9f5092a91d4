// Engines over windows of a trace that can be read only from its begin to its end, and whose length is not
// known: the windows are chosen as it goes by. What was looked at for a window that is given up later stays
// found: a race in it is one.
#pragma once

#include "analysis/analyze.h"
#include "deadheat/trace.h"

namespace deadheat::analysis {

Result<Findings> analyze_one_pass(Source& source, const AnalyzeOptions& options,
                                  const filter::WindowOptions& windows, WindowsRun& about);

}  // namespace deadheat::analysis
