// Events a second of engines over a trace, decoding included:  bench_engines TRACE RUNS JOBS
// ENGINE[@SAMPLER]... With a sampler (so@events:rate=0.003) the engine looks at what that leaves. Engines
// take turns, run by run. CPU time, which other work on the machine disturbs less; wall time if there are
// several jobs, or for JOBS -1. Median and spread of RUNS.
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

// An engine behind a sampler, or alone.
struct Setup {
  std::string text;
  engine::Choice engine;
  std::vector<filter::Choice> filters;
  std::vector<double> rates = {};
  Figure figure = {};
};

Result<Setup> setup_of(const std::string& text) {
  const std::size_t at = text.find('@');
  const auto engine = engine::choose(text.substr(0, at));
  if (!engine) return fail(engine.error());
  Setup setup{text, *engine, {}};
  if (at != std::string::npos) {
    const auto sampler = filter::choose(text.substr(at + 1), filter::Role::sample);
    if (!sampler) return fail(sampler.error());
    setup.filters.push_back(*sampler);
  }
  return setup;
}

Figure measure(const std::string& trace, const Setup& setup, unsigned jobs, bool wall) {
  const double start = wall ? wall_seconds() : bench::cpu_seconds();
  const auto findings = analysis::analyze(
      trace,
      {.engines = {setup.engine}, .filters = setup.filters, .jobs = jobs, .read = {}, .progress = false});
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
    std::fprintf(stderr, "usage: bench_engines TRACE RUNS JOBS ENGINE[@SAMPLER]...\n");
    return 2;
  }
  const int runs = std::max(1, std::atoi(argv[2]));
  const int asked = std::atoi(argv[3]);
  const auto jobs = static_cast<unsigned>(std::max(1, std::abs(asked)));
  const bool wall = asked < 0 || asked > 1;
  std::vector<Setup> setups;
  for (int i = 4; i < argc; ++i) {
    auto setup = setup_of(argv[i]);
    if (!setup) {
      std::fprintf(stderr, "%s\n", setup.error().message.c_str());
      return 2;
    }
    setups.push_back(std::move(*setup));
  }
  for (int run = 0; run < runs; ++run) {
    for (Setup& setup : setups) {
      setup.figure = measure(argv[1], setup, jobs, wall);
      setup.rates.push_back(static_cast<double>(setup.figure.events) / setup.figure.seconds / 1e6);
    }
  }
  for (Setup& setup : setups) {
    std::ranges::sort(setup.rates);
    std::printf("  %-16s %u %s  %7.1f M events/s (%.1f to %.1f)  %8llu pairs  %6.1f MiB of tables\n",
                setup.text.c_str(), jobs, wall ? "wall" : "cpu ", setup.rates[setup.rates.size() / 2],
                setup.rates.front(), setup.rates.back(), static_cast<unsigned long long>(setup.figure.races),
                static_cast<double>(setup.figure.bytes) / (1 << 20));
  }
  return 0;
}
