// Events a second of engines over a trace, decoding included:  bench_engines TRACE RUNS JOBS ENGINE...
// An engine may have filters and samplers before it: fasttrack@rex, so@events:rate=0.003. Engines take turns,
// run by run. CPU time, which other work on the machine disturbs less; wall time if there are several jobs,
// or for JOBS -1. Median and spread of RUNS.
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
  std::uint64_t seen, kept;  // accesses, by the filter
};

// An engine with its filters.
struct Setup {
  std::string text;
  analysis::AnalyzeOptions options;
  std::vector<double> rates = {};
  Figure figure = {};
};

Result<filter::Choice> filter_of(std::string_view wanted) {
  auto filter = filter::choose(wanted, filter::Role::redundancy);
  return filter ? filter : filter::choose(wanted, filter::Role::sample);
}

Result<Setup> setup_of(const std::string& text, unsigned jobs) {
  const std::size_t at = text.find('@');
  const auto engine = engine::choose(text.substr(0, at));
  if (!engine) return fail(engine.error());
  Setup setup{text, {.engines = {*engine}, .jobs = jobs, .read = {}, .progress = false}};
  for (std::size_t from = at; from != std::string::npos;) {
    const std::size_t to = text.find('@', from + 1);
    const auto filter = filter_of(text.substr(from + 1, to == std::string::npos ? to : to - from - 1));
    if (!filter) return fail(filter.error());
    setup.options.filters.push_back(*filter);
    from = to;
  }
  return setup;
}

Figure measure(const std::string& trace, const analysis::AnalyzeOptions& options, bool wall) {
  const double start = wall ? wall_seconds() : bench::cpu_seconds();
  const auto findings = analysis::analyze(trace, options);
  const double end = wall ? wall_seconds() : bench::cpu_seconds();
  if (!findings) {
    std::fprintf(stderr, "%s\n", findings.error().message.c_str());
    std::exit(3);
  }
  Figure figure{end - start, findings->events, findings->engines[0].pairs, findings->engines[0].bytes, 0, 0};
  for (const analysis::FilterRun& run : findings->filters) {
    figure.bytes += run.bytes;
    figure.seen = run.seen;
    figure.kept = run.kept;
  }
  return figure;
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
    auto setup = setup_of(argv[i], jobs);
    if (!setup) {
      std::fprintf(stderr, "%s\n", setup.error().message.c_str());
      return 2;
    }
    setups.push_back(std::move(*setup));
  }
  for (int run = 0; run < runs; ++run) {
    for (Setup& setup : setups) {
      setup.figure = measure(argv[1], setup.options, wall);
      setup.rates.push_back(static_cast<double>(setup.figure.events) / setup.figure.seconds / 1e6);
    }
  }
  for (Setup& setup : setups) {
    const Figure& figure = setup.figure;
    std::ranges::sort(setup.rates);
    std::printf("  %-16s %u %s  %7.1f M events/s (%.1f to %.1f)  %8llu pairs  %6.1f MiB of tables",
                setup.text.c_str(), jobs, wall ? "wall" : "cpu ", setup.rates[setup.rates.size() / 2],
                setup.rates.front(), setup.rates.back(), static_cast<unsigned long long>(figure.races),
                static_cast<double>(figure.bytes) / (1 << 20));
    if (figure.seen > 0) {
      std::printf("  %4.1f %% left out",
                  100 - 100.0 * static_cast<double>(figure.kept) / static_cast<double>(figure.seen));
    }
    std::printf("\n");
  }
  return 0;
}
