// The search for an order by cases: where what is forced leaves a choice that matters, both are tried, and
// each forces more. Exact, and mostly short: few choices matter.
#pragma once

#include <chrono>
#include <cstdint>

#include "solve/saturation.h"

namespace deadheat::solve {

struct Cases {
  enum class End : std::uint8_t { found, none, too_many, time_is_up };
  End end;
  Order order = {};         // if found
  std::uint64_t tried = 0;  // cases
};

// Gives up after `most` cases.
Cases search_cases(const Rules& rules, const Saturation& forced, std::uint64_t most,
                   std::chrono::steady_clock::time_point until);

}  // namespace deadheat::solve
