// Orders that are found without a search: often there is one.
#pragma once

#include <optional>
#include <vector>

#include "solve/saturation.h"

namespace deadheat::solve {

using Order = std::vector<Index>;  // events of the window

// The order of the trace, of the fewest events that keep the locks so. None: others may still do.
std::optional<Order> keeping_the_trace(const Rules& rules, const Goal& goal);

// Exactly what must be done, each time the first event of the trace that can be done without spoiling
// another. None: stuck.
std::optional<Order> step_by_step(const Rules& rules, const Goal& goal, const Saturation& forced);

// What must be done, and the ends of all critical sections that may end.
Cut with_ends(const Rules& rules, const Cut& must, const Cut& may);

}  // namespace deadheat::solve
