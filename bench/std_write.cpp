// How fast blocks are written as STD text, to /dev/null.
//   bench_std_write [EVENTS [RUNS [FOLDER]]]      (default: 10 million events, 5 runs, /tmp)
// The loads and the columns are those of bench_std_parse; reading is not counted.
#include <algorithm>
#include <filesystem>

#include "bench/std_loads.h"
#include "trace/byte_input.h"
#include "trace/import/std_reader.h"
#include "trace/text_writer.h"

namespace {

using namespace deadheat;
using namespace deadheat::bench;

double seconds_to_write(const std::string& path, std::uint64_t expected) {
  auto input = trace::open_input(path);
  auto source = trace::open_std(std::move(*input), path, "", {});
  auto writer = trace::TextWriter::create("/dev/null", {});
  std::uint64_t events = 0;
  double seconds = 0;
  while (true) {
    auto block = (*source)->next();
    if (!block || *block == nullptr) break;
    events += (*block)->size();
    const double start = cpu_seconds();
    if (Status put = (*writer)->append(**block, (*source)->names()); !put) break;
    seconds += cpu_seconds() - start;
  }
  if (events != expected || !(*writer)->finish()) {
    fmt::print(stderr, "{}: {} events written of {}\n", path, events, expected);
    std::exit(3);
  }
  return seconds;
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
    for (double& s : seconds) s = seconds_to_write(path, events);
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[seconds.size() / 2], n = static_cast<double>(events);
    fmt::print("{:28} {:12.1f} {:12.1f} {:>22} {:10.0f}\n", load.name, bytes / n, n / median / 1e6,
               fmt::format("{:.1f}..{:.1f}", n / seconds.back() / 1e6, n / seconds.front() / 1e6),
               bytes / median / 1e6);
    std::fflush(stdout);
  }
  std::filesystem::remove(path);
}
