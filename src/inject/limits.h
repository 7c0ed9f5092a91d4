// Limits that do not depend on the clock: the same seed makes the same trace.
#pragma once

#include <cstdint>

namespace deadheat::inject {

inline constexpr unsigned kSolverSteps = 2'000'000;  // for one question
// Events times threads of what is looked at as a whole: so many numbers are kept, some times over.
inline constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 26;

}  // namespace deadheat::inject
