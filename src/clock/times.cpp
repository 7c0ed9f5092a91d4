#include "clock/times.h"

#include <algorithm>

namespace deadheat::clock {

// Compiled once for every machine and once for AVX2; the loader picks. (The loops are what compilers
// vectorise; baseline x86-64 has no comparison of 64-bit numbers, AVX2 has.)
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(DEADHEAT_NO_CLONES)
#define DEADHEAT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define DEADHEAT_CLONES
#endif

DEADHEAT_CLONES
void join_times(Time* a, const Time* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = a[i] > b[i] ? a[i] : b[i];
}

DEADHEAT_CLONES
bool any_later_but(const Time* a, const Time* b, std::size_t n, std::size_t self) {
  std::uint64_t later = 0;
  for (std::size_t i = 0; i < n; ++i) later += static_cast<std::uint64_t>(a[i] > b[i]);
  // One's own entry is mostly later than what one has published of it.
  if (self < n && a[self] > b[self]) --later;
  return later != 0;
}

}  // namespace deadheat::clock
