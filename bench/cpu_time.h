// The clock of the benchmarks.
#pragma once

#include <ctime>

namespace deadheat::bench {

// Of the processor: other work on the machine does not count.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace deadheat::bench
