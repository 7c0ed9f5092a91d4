#include "clock/times.h"

#include <array>

#include "base/clones.h"

namespace deadheat::clock {

namespace {

using Step = std::array<std::uint64_t, kStep>;

inline std::uint64_t rotated(std::uint64_t x) { return x << 7 | x >> 57; }

inline std::uint64_t any_of(const Step& step) {
  std::uint64_t any = 0;
  for (const std::uint64_t x : step) any |= x;
  return any;
}
// By multiplication only here, once: vectors of 64 bits have none.
inline std::uint64_t mixed(const Step& step) {
  std::uint64_t hash = 0;
  for (const std::uint64_t x : step) hash = (hash ^ x) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

}  // namespace

DEADHEAT_CLONES
void join_times(Time* to, const Time* a, const Time* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] > b[i] ? a[i] : b[i];
}

DEADHEAT_CLONES
std::size_t raise_times(Time* to, const Time* from, std::size_t n) {
  std::size_t rose = 0;
  for (std::size_t i = 0; i < n; ++i) {
    rose += from[i] > to[i] ? 1 : 0;
    to[i] = from[i] > to[i] ? from[i] : to[i];
  }
  return rose;
}

DEADHEAT_CLONES
JoinedTimes join_and_compare(Time* __restrict to, const Time* a, const Time* b, std::size_t n) {
  Step beyond_a{}, beyond_b{}, hash{};
  for (std::size_t at = 0; at < n; at += kStep) {
    for (std::size_t i = 0; i < kStep; ++i) {
      const Time x = a[at + i], y = b[at + i], z = x > y ? x : y;
      to[at + i] = z;
      beyond_a[i] |= z ^ x;
      beyond_b[i] |= z ^ y;
      hash[i] = rotated(hash[i]) ^ z;
    }
  }
  return {any_of(beyond_a) == 0, any_of(beyond_b) == 0, mixed(hash)};
}

DEADHEAT_CLONES
std::uint64_t hash_times(const Time* times, std::size_t n) {
  Step hash{};
  for (std::size_t at = 0; at < n; at += kStep) {
    for (std::size_t i = 0; i < kStep; ++i) hash[i] = rotated(hash[i]) ^ times[at + i];
  }
  return mixed(hash);
}

// Times are far below 2^63: b - a has its highest bit if and only if a is later. So it is subtracted and not
// compared, which compilers make vectors of.
DEADHEAT_CLONES
bool any_later(const Time* a, const Time* b, std::size_t n) {
  Step later{};
  for (std::size_t at = 0; at < n; at += kStep) {
    for (std::size_t i = 0; i < kStep; ++i) later[i] |= b[at + i] - a[at + i];
  }
  return any_of(later) >> 63 != 0;
}

DEADHEAT_CLONES
std::size_t next_later(const Time* a, const Time* b, std::size_t at, std::size_t n) {
  for (; at < n; at += kStep) {
    std::uint64_t later = 0;
    for (std::size_t i = at; i < at + kStep; ++i) later |= b[i] - a[i];
    if (later >> 63 != 0) return at;
  }
  return n;
}

}  // namespace deadheat::clock
