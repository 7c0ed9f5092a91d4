// The loops over vectors of times. Lengths are multiples of kStep, so that they are whole SIMD steps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "clock/time.h"

namespace deadheat::clock {

inline constexpr std::size_t kStep = 8;  // a cache line of times

constexpr std::size_t whole_steps(std::size_t n) { return (n + kStep - 1) / kStep * kStep; }

// to := max(a, b), entry by entry. `to` may be a or b.
void join_times(Time* to, const Time* a, const Time* b, std::size_t n);
// The same in place; how many entries rose.
std::size_t raise_times(Time* to, const Time* from, std::size_t n);
// to := max(a, b), and whether that is a, or b, and its hash. `to` is neither of them.
struct JoinedTimes {
  bool like_a, like_b;
  std::uint64_t hash;
};
JoinedTimes join_and_compare(Time* to, const Time* a, const Time* b, std::size_t n);
// The hash of the same.
std::uint64_t hash_times(const Time* times, std::size_t n);
// Whether some entry of a is later than that of b.
bool any_later(const Time* a, const Time* b, std::size_t n);
// The first step from `at` on in which some entry of a is later than that of b; n if there is none.
std::size_t next_later(const Time* a, const Time* b, std::size_t at, std::size_t n);

// f(i, a[i]) for the entries of a that are later than those of b. Mostly there is none.
template <class F>
void each_later(const Time* a, const Time* b, std::size_t n, F&& f) {
  if (!any_later(a, b, n)) [[likely]]
    return;
  for (std::size_t at = next_later(a, b, 0, n); at < n; at = next_later(a, b, at + kStep, n)) {
    for (std::size_t i = at; i < at + kStep; ++i) {
      if (a[i] > b[i]) f(static_cast<std::uint32_t>(i), a[i]);
    }
  }
}

}  // namespace deadheat::clock
