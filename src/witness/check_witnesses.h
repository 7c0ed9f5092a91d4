// Checks witnesses against their trace, all of them in one pass.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deadheat/trace.h"
#include "witness/checker.h"

namespace deadheat::witness {

// A verdict for each, doubts settled (which takes another pass over the whole trace); of those that need more
// of the trace than was read until then, none. The trace must be well formed; it is read as far as it is
// needed.
Result<std::vector<std::optional<Verdict>>> check_witnesses(
    const std::string& path, const ReadOptions& options, std::span<const Witness> witnesses,
    const Demands& demands = {},
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());

}  // namespace deadheat::witness
