// The order of the trace, where it does: the cheapest answer, and often one.
#pragma once

#include <optional>

#include "solve/saturation.h"

namespace deadheat::solve {

// Of the fewest events that keep the locks so. None: another order may do.
std::optional<Order> keeping_the_trace(const Rules& rules, const Goal& goal);

}  // namespace deadheat::solve
