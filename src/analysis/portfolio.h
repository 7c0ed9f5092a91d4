// Whom to ask about a trace if nobody says it: one engine for what is seen, and one for what may happen
// besides; the latter is a suspicion until it is proved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "deadheat/trace.h"
#include "engine/registry.h"

namespace deadheat::analysis {

// Nobody asked for the second one, so it must not take all of the memory: with many thousands of threads it
// would.
inline constexpr std::uint64_t kPortfolioBytes = std::uint64_t{2} << 30;

// Traces for which all accesses can be kept (pwr-ee): so many events take some 400 MB. Clocks are as wide as
// there are threads, so of these there must not be too many.
inline constexpr std::uint64_t kSmallTraceEvents = 5'000'000;
inline constexpr std::uint64_t kSmallTraceNumbers = 1'000'000'000;  // events times threads

// fasttrack, and pwr-ee if the trace is small, else pwr-ee-l.
std::vector<engine::Choice> portfolio_for(const std::string& path, const ReadOptions& read);

}  // namespace deadheat::analysis
