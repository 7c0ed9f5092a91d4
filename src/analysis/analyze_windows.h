// Engines over windows of a trace that can be entered anywhere: only the blocks that the windows touch are
// read.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "analysis/analyze.h"
#include "deadheat/trace.h"

namespace deadheat::analysis {

// The one choice that is of windows, if there is one; a usage error if there are several.
Result<const filter::Choice*> choice_of_windows(const AnalyzeOptions& options);

// `reader` is of the file `path`, and finished. Nothing if the trace is so short that it is to be looked at
// as a whole; `about` is filled in, in any case.
Result<std::optional<Findings>> analyze_windows(const std::string& path, TraceReader& reader,
                                                const AnalyzeOptions& options,
                                                const filter::WindowOptions& windows, WindowsRun& about);

// The same for windows that were drawn already.
Result<Findings> analyze_places(const std::string& path, TraceReader& reader, const AnalyzeOptions& options,
                                std::span<const filter::Window> places);

}  // namespace deadheat::analysis
