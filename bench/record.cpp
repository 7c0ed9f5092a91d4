// How fast a session is merged, transcribed and written, on one core, in CPU time:  bench_record [repeats]
// Each pass fills 64 MiB of chunks as the threads of a program would, not timed, and drains them into a file
// on /dev/shm. Threads synchronise every so many accesses, call and return, and touch some MiB each.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "bench/cpu_time.h"
#include "record/merger.h"
#include "record/transcriber.h"

namespace {

using namespace deadheat;
using runtime::Kind;

constexpr std::uint32_t kChunks = 2048;

struct Load {
  const char* name;
  unsigned threads;
  unsigned accesses_between;  // two synchronisations of a thread
  unsigned accesses_a_call;
};

template <class T>
T or_die(Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "bench_record: {}\n", result.error().message);
  std::exit(3);
}

// The streams of all threads, filled in turns so that their positions interleave.
class Filler {
 public:
  Filler(record::SharedSession& session, const Load& load) : session_(session), load_(load), random_(7) {
    for (std::uint32_t i = 1; i <= 64; ++i)
      session->nodes[i] = {.code = 0x401000 + 16 * i, .caller = i / 2, .next = 0};
    session->nodes_used = 65;
  }

  // Returns how many events there are.
  std::uint64_t fill() {
    std::vector<Place> places(load_.threads);
    for (std::uint32_t t = 0; t < load_.threads; ++t) {
      places[t].chunk = take();
      runtime::Slot& slot = session_->slots[t];
      slot.thread = t;
      slot.first_chunk = places[t].chunk;
      slot.state = runtime::Slot::open;
    }
    session_->slots_used = load_.threads;
    std::uint64_t events = 0;
    for (std::uint32_t used = load_.threads; used + load_.threads < kChunks;) {
      for (Place& place : places) {
        if (place.at + 3 * load_.accesses_between + 8 > runtime::Chunk::kRecords) {
          const std::uint32_t next = take();
          session_.chunk(place.chunk)->next = next;
          place.chunk = next;
          place.at = 0;
          ++used;
        }
        events += section(place, static_cast<std::uint32_t>(&place - places.data()));
      }
    }
    for (std::uint32_t t = 0; t < load_.threads; ++t) session_->slots[t].state = runtime::Slot::closed;
    return events;
  }

 private:
  struct Place {
    std::uint32_t chunk = 0, at = 0;
  };

  std::uint32_t take() {
    const auto head = static_cast<std::uint32_t>(session_->free_chunks);
    if (head == 0) return session_->chunks_used++;
    session_->free_chunks = session_.chunk(head)->next;
    session_.chunk(head)->next = 0;
    return head;
  }
  void put(Place& place, std::uint64_t what, std::uint64_t code) {
    session_.chunk(place.chunk)->records[place.at++] = {what, code};
  }
  std::uint64_t section(Place& place, std::uint32_t t) {
    const auto sync = [&](Kind kind) {
      put(place, what_word(Kind::position, session_->stamp++), runtime::code_word(0));
      put(place, what_word(kind, 0x500000 + 64 * t), runtime::code_word(0x400100));
    };
    sync(Kind::acquire);
    // A function has sites of its own, and works on an object: some of its fields, in order.
    std::uint64_t function = 0, object = 0;
    for (unsigned i = 0; i < load_.accesses_between; ++i) {
      const unsigned step = i % load_.accesses_a_call;
      if (step == 0) {
        function = 1 + random_() % 64;
        object = random_() % 16 == 0 ? random_() % (1u << 16) : random_() % 256;
        put(place, what_word(Kind::stack, function), runtime::code_word(0));
      }
      const std::uint64_t address = 0x7f0000000000 + (std::uint64_t{t} << 24) + 64 * object + 8 * (step % 8);
      const std::uint64_t site = 0x400000 + 256 * function + 8 * step;
      put(place, runtime::what_word(step % 3 == 0 ? Kind::write : Kind::read, address, 8),
          runtime::code_word(site));
    }
    sync(Kind::release);
    return load_.accesses_between + 2;
  }

  record::SharedSession& session_;
  const Load& load_;
  std::minstd_rand random_;
};

void measure(const Load& load, int repeats) {
  auto session =
      or_die(record::SharedSession::create({.memory_bytes = std::uint64_t{kChunks} * runtime::kChunkBytes}));
  const std::string path = fmt::format("/dev/shm/bench_record.{}.dht", getpid());
  auto writer = or_die(TraceWriter::create(path));
  record::Transcriber transcriber(*session, *writer);
  Filler filler(session, load);
  std::vector<double> rates;
  for (int i = 0; i < repeats; ++i) {
    const std::uint64_t events = filler.fill();
    record::Merger merger(session);
    const double start = bench::cpu_seconds();
    merger.finish(transcriber);
    transcriber.flush();
    rates.push_back(static_cast<double>(events) / (bench::cpu_seconds() - start) / 1e6);
  }
  std::sort(rates.begin(), rates.end());
  fmt::print("  {:<34} {:6.1f} M events/s  ({:.1f} to {:.1f})  {:.2f} bytes an event\n", load.name,
             rates[rates.size() / 2], rates.front(), rates.back(),
             static_cast<double>(writer->bytes_written()) / static_cast<double>(transcriber.events()));
  std::filesystem::remove(path);
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  for (const Load& load :
       {Load{"1 thread, calls every 8 accesses", 1, 600, 8}, Load{"4 threads, a lock every 100", 4, 100, 8},
        Load{"8 threads, a lock every 4", 8, 4, 4}, Load{"64 threads, a lock every 20", 64, 20, 8}}) {
    measure(load, repeats);
  }
}
