// The text traces that the benchmarks of STD text read.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "bench/cpu_time.h"

namespace deadheat::bench {

struct Load {
  const char* name;
  std::uint32_t variables;
  std::string (*variable)(std::uint32_t);
  std::string (*location)(std::uint32_t);
};

inline std::string number_location(std::uint32_t site) { return std::to_string(site); }
inline std::string numbered(std::uint32_t v) { return fmt::format("V{}", v); }
inline std::string address(std::uint32_t v) {
  return std::to_string(10'428'180'597'117u + v * std::uint64_t{48});
}
// 20 to 31 characters, the difference at the end or in the middle.
inline std::string field(std::uint32_t v) {
  const std::uint32_t scrambled = v * 2654435761u;
  return fmt::format("app.Cache@{:x}.slot[{:d}].next", scrambled, v % 977);
}

inline constexpr Load kLoads[] = {
    {"numeric, 2200 variables", 2200, numbered, number_location},
    {"numeric, 1e6 variables", 1'000'000, numbered, number_location},
    {"addresses, 1e6 variables", 1'000'000, address, number_location},
    {"arbitrary, 1e6 variables", 1'000'000, field, number_location},
};

// 8 threads, 32 locks, 2000 sites; a lock is held for 8 accesses, which makes 20 % lock operations.
inline std::uint64_t generate(const Load& load, std::uint64_t events, const std::string& path) {
  std::mt19937_64 random(1);
  std::vector<std::string> variables(load.variables);
  for (std::uint32_t v = 0; v < load.variables; ++v) variables[v] = load.variable(v);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    std::perror(path.c_str());
    std::exit(3);
  }
  std::uint64_t written = 0;
  fmt::memory_buffer out;
  while (written < events) {
    const auto thread = random() % 8, lock = random() % 32, section = random() % 200;
    fmt::format_to(fmt::appender(out), "T{}|acq(L{})|{}\n", thread, lock, load.location(section * 10));
    for (std::uint32_t i = 1; i <= 8; ++i) {
      fmt::format_to(fmt::appender(out), "T{}|{}({})|{}\n", thread, i % 3 == 0 ? 'w' : 'r',
                     variables[random() % variables.size()], load.location(section * 10 + i));
    }
    fmt::format_to(fmt::appender(out), "T{}|rel(L{})|{}\n", thread, lock, load.location(section * 10 + 9));
    written += 10;
    if (out.size() > (1u << 20) || written >= events) {
      std::fwrite(out.data(), 1, out.size(), file);
      out.clear();
    }
  }
  std::fclose(file);
  return written;
}

}  // namespace deadheat::bench
