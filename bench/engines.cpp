// Events a second of engines over a trace, decoding included:  bench_engines TRACE RUNS JOBS ENGINE...
// fasttrack@rex is an engine with a filter or sampler before it.
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
  std::uint64_t seen, kept;  // accesses, by the filter
};

Result<analysis::AnalyzeOptions> options_of(const std::string& wanted, unsigned jobs) {
  const std::size_t at = wanted.find('@');
  const auto engine = engine::choose(wanted.substr(0, at));
  if (!engine) return fail(engine.error());
  analysis::AnalyzeOptions options{.engines = {*engine}, .jobs = jobs, .read = {}, .progress = false};
  if (at == std::string::npos) return options;
  auto filter = filter::choose(wanted.substr(at + 1), filter::Role::redundancy);
  if (!filter) filter = filter::choose(wanted.substr(at + 1), filter::Role::sample);
  if (!filter) return fail(filter.error());
  options.filters.push_back(*filter);
  return options;
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
    std::fprintf(stderr, "usage: bench_engines TRACE RUNS JOBS ENGINE...\n");
    return 2;
  }
  const int runs = std::max(1, std::atoi(argv[2]));
  const int asked = std::atoi(argv[3]);
  const auto jobs = static_cast<unsigned>(std::max(1, std::abs(asked)));
  const bool wall = asked < 0 || asked > 1;
  for (int i = 4; i < argc; ++i) {
    const auto options = options_of(argv[i], jobs);
    if (!options) {
      std::fprintf(stderr, "%s\n", options.error().message.c_str());
      return 2;
    }
    std::vector<double> rates;
    Figure figure{};
    for (int run = 0; run < runs; ++run) {
      figure = measure(argv[1], *options, wall);
      rates.push_back(static_cast<double>(figure.events) / figure.seconds / 1e6);
    }
    std::ranges::sort(rates);
    std::printf("  %-16s %u %s  %7.1f M events/s (%.1f to %.1f)  %8llu pairs  %6.1f MiB of tables", argv[i],
                jobs, wall ? "wall" : "cpu ", rates[rates.size() / 2], rates.front(), rates.back(),
                static_cast<unsigned long long>(figure.races), static_cast<double>(figure.bytes) / (1 << 20));
    if (figure.seen > 0) {
      std::printf("  %4.1f %% left out",
                  100 - 100.0 * static_cast<double>(figure.kept) / static_cast<double>(figure.seen));
    }
    std::printf("\n");
  }
  return 0;
}
