// The search for an order by a solver: the only user of Z3.
#pragma once

#include <chrono>
#include <cstdint>

#include "solve/saturation.h"

namespace deadheat::solve {

struct Search {
  enum class End : std::uint8_t { found, none, time_is_up, gave_up };
  End end;
  Order order;                // if found
  std::uint64_t checks = 0;   // of the solver
  std::uint64_t clauses = 0;  // of the rules that leave a choice, as far as they were needed
};

// Exact, unless the time ends it, or the number of the solver's steps (0: any). Of the rules that leave a
// choice, so many are told at once.
Search search(const Rules& rules, const Goal& goal, const Saturation& forced, std::uint64_t clauses,
              std::chrono::steady_clock::time_point until, unsigned steps = 0);

}  // namespace deadheat::solve
