// Events a second of engines over a trace, decoding included:  bench_engines TRACE RUNS JOBS ENGINE...
// CPU time, which other work on the machine disturbs less; wall time if there are several jobs, or for JOBS
// -1. Median and spread of RUNS.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "analysis/analyze.h"
#include "bench/cpu_time.h"

using namespace deadheat;

namespace {

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Figure {
  double seconds;
  std::uint64_t events, races, bytes;
};

Figure measure(const std::string& trace, const engine::Choice& choice, unsigned jobs, bool wall) {
  const double start = wall ? wall_seconds() : bench::cpu_seconds();
  const auto findings =
      analysis::analyze(trace, {.engines = {choice}, .jobs = jobs, .read = {}, .progress = false});
  const double end = wall ? wall_seconds() : bench::cpu_seconds();
  if (!findings) {
    std::fprintf(stderr, "%s\n", findings.error().message.c_str());
    std::exit(3);
  }
  return {end - start, findings->events, findings->engines[0].pairs, findings->engines[0].bytes};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: bench_engines TRACE RUNS JOBS ENGINE...\n");
    return 2;
  }
  const int runs = std::max(1, std::atoi(argv[2]));
  const int asked = std::atoi(argv[3]);
  const auto jobs = static_cast<unsigned>(std::max(1, std::abs(asked)));
  const bool wall = asked < 0 || asked > 1;
  for (int i = 4; i < argc; ++i) {
    const auto choice = engine::choose(argv[i]);
    if (!choice) {
      std::fprintf(stderr, "%s\n", choice.error().message.c_str());
      return 2;
    }
    std::vector<double> rates;
    Figure figure{};
    for (int run = 0; run < runs; ++run) {
      figure = measure(argv[1], *choice, jobs, wall);
      rates.push_back(static_cast<double>(figure.events) / figure.seconds / 1e6);
    }
    std::ranges::sort(rates);
    std::printf("  %-16s %u %s  %7.1f M events/s (%.1f to %.1f)  %8llu pairs  %6.1f MiB of tables\n", argv[i],
                jobs, wall ? "wall" : "cpu ", rates[rates.size() / 2], rates.front(), rates.back(),
                static_cast<unsigned long long>(figure.races), static_cast<double>(figure.bytes) / (1 << 20));
  }
  return 0;
}
