// How fast STD text is read into blocks, from a file in the page cache.
//   bench_std_parse [EVENTS [RUNS [FOLDER]]]      (default: 10 million events, 5 runs, /tmp)
// Writes a file per load, reads it RUNS times, prints one line per load with the median and the spread.
// The time is the processor's, reading the file included: other work on the machine does not count.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "trace/byte_input.h"
#include "trace/import/std_reader.h"

namespace {

using namespace deadheat;

struct Load {
  const char* name;
  std::uint32_t variables;
  std::string (*variable)(std::uint32_t);
  std::string (*location)(std::uint32_t);
};

std::string number_location(std::uint32_t site) { return std::to_string(site); }
std::string numbered(std::uint32_t v) { return fmt::format("V{}", v); }
std::string address(std::uint32_t v) { return std::to_string(10'428'180'597'117u + v * std::uint64_t{48}); }
// 20 to 31 characters, the difference at the end or in the middle.
std::string field(std::uint32_t v) {
  const std::uint32_t scrambled = v * 2654435761u;
  return fmt::format("app.Cache@{:x}.slot[{:d}].next", scrambled, v % 977);
}

constexpr Load kLoads[] = {
    {"numeric, 2200 variables", 2200, numbered, number_location},
    {"numeric, 1e6 variables", 1'000'000, numbered, number_location},
    {"addresses, 1e6 variables", 1'000'000, address, number_location},
    {"arbitrary, 1e6 variables", 1'000'000, field, number_location},
};

// 8 threads, 32 locks, 2000 sites; a lock is held for 8 accesses, which makes 20 % lock operations.
std::uint64_t generate(const Load& load, std::uint64_t events, const std::string& path) {
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

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double seconds_to_read(const std::string& path, std::uint64_t expected) {
  const double start = cpu_seconds();
  auto input = trace::open_input(path);
  auto source = trace::open_std(std::move(*input), path, "", {});
  std::uint64_t events = 0;
  while (true) {
    auto block = (*source)->next();
    if (!block) {
      fmt::print(stderr, "{}\n", block.error().message);
      std::exit(3);
    }
    if (*block == nullptr) break;
    events += (*block)->size();
  }
  if (events != expected) {
    fmt::print(stderr, "{}: {} events read, {} written\n", path, events, expected);
    std::exit(3);
  }
  return cpu_seconds() - start;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const int runs = argc > 2 ? std::max(1, std::atoi(argv[2])) : 5;
  const std::string path = std::string(argc > 3 ? argv[3] : "/tmp") + "/deadheat_bench.std";
  fmt::print("{:28} {:>12} {:>12} {:>22} {:>10}\n", "load", "bytes/event", "M events/s", "slowest..fastest",
             "MB/s");
  for (const Load& load : kLoads) {
    const std::uint64_t events = generate(load, wanted, path);
    const auto bytes = static_cast<double>(std::filesystem::file_size(path));
    std::vector<double> seconds(static_cast<std::size_t>(runs));
    for (double& s : seconds) s = seconds_to_read(path, events);
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[seconds.size() / 2], n = static_cast<double>(events);
    fmt::print("{:28} {:12.1f} {:12.1f} {:>22} {:10.0f}\n", load.name, bytes / n, n / median / 1e6,
               fmt::format("{:.1f}..{:.1f}", n / seconds.back() / 1e6, n / seconds.front() / 1e6),
               bytes / median / 1e6);
    std::fflush(stdout);
  }
  std::filesystem::remove(path);
}
