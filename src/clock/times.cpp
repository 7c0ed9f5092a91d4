#include "clock/times.h"

namespace deadheat::clock {

// Compiled once for every machine and again for wider vectors; the loader picks. (Baseline x86-64 has no
// comparison of 64-bit numbers.) Sanitizers of threads run before the loader is done with such functions.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DEADHEAT_CLONES
#endif
#endif
#ifndef DEADHEAT_CLONES
#define DEADHEAT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#else
#define DEADHEAT_CLONES
#endif

DEADHEAT_CLONES
void join_times(Time* to, const Time* a, const Time* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] > b[i] ? a[i] : b[i];
}

DEADHEAT_CLONES
bool any_later(const Time* a, const Time* b, std::size_t n) {
  std::uint64_t later = 0;
  for (std::size_t i = 0; i < n; ++i) later |= static_cast<std::uint64_t>(a[i] > b[i]);
  return later != 0;
}

}  // namespace deadheat::clock
