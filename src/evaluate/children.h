// Work in child processes, each with a limit on its time and memory: what takes too much is stopped, and
// takes nobody with it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace deadheat::evaluate {

struct Limits {
  std::chrono::milliseconds cpu{120'000};
  std::uint64_t bytes = std::uint64_t{4} << 30;  // resident at one time
};

enum class End : std::uint8_t { done, out_of_time, out_of_memory, failed };

struct Outcome {
  End end = End::failed;
  std::string said;  // by the task, if it is done
  std::string why;   // it failed
  double cpu_s = 0;
  std::uint64_t peak_bytes = 0;
};

// Done in a child, so what it changes is gone; what it returns is said.
using Task = std::function<std::string()>;

// So many jobs at a time. To be called while there is one thread. What comes out does not depend on the
// number of jobs, apart from times and memory. `watch` is told how many are done, again and again.
std::vector<Outcome> run_children(std::span<const Task> tasks, unsigned jobs, const Limits& limits,
                                  const std::function<void(std::size_t)>& watch = {});

}  // namespace deadheat::evaluate
