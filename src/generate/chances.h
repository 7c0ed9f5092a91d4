// What parameters of workloads mean in numbers.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/random.h"

namespace deadheat::generate {

using base::Random;

// A probability in 1/65536ths, to be compared with 16 random bits.
inline std::uint32_t sixteen_bits(double probability) {
  return static_cast<std::uint32_t>(std::lround(probability * 65536.0));
}

// The number of accesses among which `others` other events are the rest of the share.
inline std::uint32_t accesses_for(double access_share, double others) {
  return static_cast<std::uint32_t>(std::lround(others * access_share / (1 - access_share)));
}

}  // namespace deadheat::generate
