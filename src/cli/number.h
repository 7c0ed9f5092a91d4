// Numbers as people type them: 1000, 1e6, 2.5M, 16Ki.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace deadheat::cli {

inline constexpr std::string_view kNumberExamples = "1000, 1e6, 4M or 16Ki";

enum class NumberFault : std::uint8_t { none, not_a_number, not_whole, too_large };
struct Number {
  std::uint64_t value = 0;
  NumberFault fault = NumberFault::none;
};

// Digits with an optional fraction, an exponent, and one of k M G T (thousands) or Ki Mi Gi Ti (1024s).
// Exact: a number that is not whole or does not fit 64 bits is a fault, never rounded.
Number parse_number(std::string_view text);

// A decimal number, or nothing; not-a-number and infinities are none.
std::optional<double> parse_real(std::string_view text);

// Seconds, or with one of ms s m h behind it what these stand for; in seconds.
std::optional<double> parse_seconds(std::string_view text);

}  // namespace deadheat::cli
