// Checks witnesses against their trace, all of them in one pass.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "deadheat/trace.h"
#include "witness/checker.h"

namespace deadheat::witness {

// A verdict for each. The trace must be well formed; it is read as far as it is needed.
Result<std::vector<Verdict>> check_witnesses(const std::string& path, const ReadOptions& options,
                                             std::span<const Witness> witnesses);

}  // namespace deadheat::witness
