// Threads that write into a session while it is read: the trace is their programs, merged.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "record/transcriber.h"
#include "support/kept_trace.h"
#include "support/session_writer.h"

namespace deadheat::record {
namespace {

using runtime::Kind;

struct Step {
  Kind kind;
  std::uint64_t object;
  friend bool operator==(const Step&, const Step&) = default;
};

constexpr unsigned kLocks = 3;

// Notes what it does beside the records.
class Worker {
 public:
  Worker(SharedSession& session, std::uint32_t number, unsigned seed, std::array<std::mutex, kLocks>& locks)
      : stream_(std::make_unique<test::LiveStream>(session, number)), random_(seed), locks_(locks) {}

  void run(int steps) {
    event(Kind::begin, 0);
    for (int i = 0; i < steps; ++i) {
      const unsigned choice = random_() % 16;
      if (choice < 2) {
        const unsigned l = random_() % kLocks;
        const std::lock_guard hold(locks_[l]);
        event(Kind::acquire, 0x50 + 8 * l);
        for (unsigned k = random_() % 4; k > 0; --k) access();
        event(Kind::release, 0x50 + 8 * l);
      } else if (choice == 2) {
        for (unsigned k = random_() % 3000; k > 0; --k) access();
      } else {
        access();
      }
    }
    event(Kind::end, 0);
    stream_.reset();
  }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  void event(Kind kind, std::uint64_t object) {
    steps_.push_back({kind, object});
    stream_->event(kind, object);
  }
  void access() {
    const std::uint64_t address = 0x10000 + 8 * (random_() % 64);
    const Kind kind = random_() % 2 == 0 ? Kind::read : Kind::write;
    steps_.push_back({kind, address});
    stream_->access(kind, address, 8);
  }

  std::unique_ptr<test::LiveStream> stream_;
  std::mt19937 random_;
  std::array<std::mutex, kLocks>& locks_;
  std::vector<Step> steps_;
};

// In front of a transcriber: what each thread did, and that stamps rise.
struct Watch {
  Transcriber& transcriber;
  std::vector<std::vector<Step>> steps;
  std::uint64_t last_stamp = 0;
  bool stamps_rise = true;

  void note(const Stream& stream, const runtime::Record& record) {
    if (stream.thread >= steps.size()) steps.resize(stream.thread + std::size_t{1});
    steps[stream.thread].push_back({record.kind(), record.object()});
  }
  void access(const Stream& stream, const runtime::Record& record) {
    note(stream, record);
    transcriber.access(stream, record);
  }
  void event(const Stream& stream, const runtime::Record& record, std::uint64_t operand,
             std::uint64_t second) {
    note(stream, record);
    stamps_rise = stamps_rise && stream.position > last_stamp;
    last_stamp = stream.position;
    transcriber.event(stream, record, operand, second);
  }
};

void run_and_compare(unsigned seed, unsigned threads, std::uint64_t chunks) {
  auto session = SharedSession::create({.memory_bytes = chunks * runtime::kChunkBytes, .most_chunks = 1024});
  ASSERT_TRUE(session.has_value());
  test::KeptTrace trace;
  Transcriber transcriber(**session, trace);
  Merger merger(*session);
  Watch watch{.transcriber = transcriber, .steps = {}};

  std::array<std::mutex, kLocks> locks;
  std::vector<std::vector<Step>> done(threads);
  std::atomic<unsigned> running = threads;
  std::vector<std::jthread> all;
  for (unsigned i = 0; i < threads; ++i) {
    all.emplace_back([&, i] {
      Worker worker(*session, i, 1000 * seed + i, locks);
      worker.run(2000);
      done[i] = worker.steps();
      --running;
    });
  }
  while (running > 0) {
    if (!merger.round(watch)) std::this_thread::yield();
    merger.relieve();
  }
  all.clear();
  merger.finish(watch);
  transcriber.flush();

  EXPECT_TRUE(watch.stamps_rise);
  EXPECT_EQ(trace.faults(), "");
  EXPECT_TRUE(transcriber.losses().warnings().empty());
  ASSERT_EQ(watch.steps.size(), threads);
  for (unsigned i = 0; i < threads; ++i) EXPECT_TRUE(watch.steps[i] == done[i]) << "thread " << i;
  std::size_t steps = 0;
  for (const auto& one : done) steps += one.size();
  EXPECT_EQ(trace.events().size(), steps);
}

TEST(Live, TraceIsWhatTheThreadsDid) {
  for (unsigned seed = 0; seed < 6; ++seed) run_and_compare(seed, 2 + seed % 4, 200);
}

TEST(Live, TraceIsWhatTheThreadsDidThoughTheyWaitForMemory) {
  for (unsigned seed = 0; seed < 4; ++seed) run_and_compare(seed, 6, 8);
}

}  // namespace
}  // namespace deadheat::record
