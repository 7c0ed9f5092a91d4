// What clocks of sampling engines did, for reports.
#pragma once

#include <vector>

#include "clock/sampled_time.h"
#include "engine/engine.h"

namespace deadheat::engine {

std::vector<Counter> counters_of(const clock::ClockWork& work);

}  // namespace deadheat::engine
