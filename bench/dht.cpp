// How fast a .dht is read and written, on one core, in CPU time:  bench_dht TRACE [repeats|read]
// With "read" it only reads the trace once, for counting instructions.
// read: every block of the file, checksums verified, decoded into columns (file in the page cache).
// write: its first blocks, held in memory as columns, encoded, summarised and written to a file on /dev/shm.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/cpu_time.h"
#include "deadheat/trace.h"

namespace {

using namespace deadheat;
using bench::cpu_seconds;

template <class T>
T or_die(Result<T> result) {
  if (result) {
    if constexpr (std::is_void_v<T>) {
      return;
    } else {
      return std::move(*result);
    }
  }
  fmt::print(stderr, "bench_dht: {}\n", result.error().message);
  std::exit(3);
}

struct Spread {
  double median, least, most;
};

template <class Work>
Spread rates(int repeats, double events, Work work) {
  std::vector<double> all;
  for (int i = 0; i < repeats; ++i) {
    const double start = cpu_seconds();
    work();
    all.push_back(events / (cpu_seconds() - start) / 1e6);
  }
  std::sort(all.begin(), all.end());
  return {all[all.size() / 2], all.front(), all.back()};
}

std::uint64_t read_all(const std::string& path) {
  auto reader = or_die(TraceReader::open(path));
  std::uint64_t sum = 0;
  while (const BlockView* block = or_die(reader->next())) sum += block->object[0] + block->size();
  return sum;
}

// Blocks in memory, as a recorder or a converter hands them to the writer.
struct Kept {
  std::vector<std::uint32_t> thread, object;
  std::vector<std::uint16_t> op;
  std::vector<Op> ops;
  BlockView view() const { return {.first = 0, .thread = thread, .op = op, .object = object, .ops = ops}; }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_dht TRACE [repeats|read]\n");
    return 2;
  }
  const std::string path = argv[1];
  if (argc > 2 && std::string(argv[2]) == "read") return read_all(path) == 0 ? 3 : 0;
  const int repeats = argc > 2 ? std::max(1, std::atoi(argv[2])) : 5;
  const auto reader = or_die(TraceReader::open(path));
  const auto events = static_cast<double>(reader->events());
  read_all(path);  // into the page cache
  const Spread read = rates(repeats, events, [&] { read_all(path); });

  std::vector<Kept> blocks;
  double kept = 0;
  while (const BlockView* b = or_die(reader->next())) {
    blocks.push_back({{b->thread.begin(), b->thread.end()},
                      {b->object.begin(), b->object.end()},
                      {b->op.begin(), b->op.end()},
                      {b->ops.begin(), b->ops.end()}});
    kept += static_cast<double>(b->size());
    if (kept > 2e7) break;
  }
  const std::string out = fmt::format("/dev/shm/bench_dht.{}.dht", getpid());
  const auto write = [&](bool by_event) {
    auto writer = or_die(TraceWriter::create(out));
    const Names none;
    for (const Kept& block : blocks) {
      const BlockView view = block.view();
      if (!by_event) {
        or_die(writer->append(view, none));
        continue;
      }
      for (std::size_t i = 0; i < view.size(); ++i) or_die(writer->append(view[i]));
    }
    or_die(writer->finish());
  };
  const Spread by_block = rates(repeats, kept, [&] { write(false); });
  const Spread by_event = rates(repeats, kept, [&] { write(true); });
  std::filesystem::remove(out);

  fmt::print("{}: {:.0f} events, {:.2f} bytes an event\n", path, events,
             static_cast<double>(reader->file_bytes()) / events);
  const auto line = [](const char* what, const Spread& s) {
    fmt::print("  {:<16} {:7.1f} M events/s  ({:.1f} to {:.1f})\n", what, s.median, s.least, s.most);
  };
  line("read", read);
  line("write by block", by_block);
  line("write by event", by_event);
}
