// What holds of every engine, whatever it promises: the registry says which there are.
#include <algorithm>
#include <cctype>
#include <numeric>
#include <random>

#include "engines/promises.h"

namespace deadheat::test {
namespace {

class Conformance : public testing::TestWithParam<std::string> {
 public:
  static constexpr std::uint64_t kFew = 400;

  // property(trace, numbers): from a random trace; the numbers are random too.
  template <class F>
  void for_traces(F property) {
    using oracle::SmallTraceOptions;
    for (const auto& options :
         {SmallTraceOptions::basic(), SmallTraceOptions::all(), SmallTraceOptions::generations()}) {
      for (std::uint64_t seed = 0; seed < oracle::traces_to_try(kFew); ++seed) {
        const auto trace = oracle::small_trace(seed, options);
        std::mt19937_64 random(seed);
        ASSERT_TRUE(property(trace, random)) << "seed " << seed << "\n" << oracle::as_text(trace);
      }
    }
  }
  // Accesses that meet in several parts of a cell are told once a part; into how many parts earlier accesses,
  // allocs and frees have divided the cell is not of interest.
  std::vector<model::RacePair> run(Trace trace, const Cut& cut) const {
    auto pairs = run_engine(GetParam(), trace, cut).pairs;
    const auto repeated = std::ranges::unique(pairs);
    pairs.erase(repeated.begin(), repeated.end());
    return pairs;
  }
  std::vector<model::RacePair> run(Trace trace) const { return run(trace, any_cut(trace)); }
};

INSTANTIATE_TEST_SUITE_P(Engines, Conformance, testing::ValuesIn(all_detectors()), as_test_name);

TEST_P(Conformance, IsDeterministic) {
  for_traces([this](Trace trace, auto&) { return run(trace) == run(trace); });
}

TEST_P(Conformance, DoesNotDependOnBlocksShardsAndSlots) {
  for_traces([this](Trace trace, auto& random) {
    const Cut cut{1 + random() % 30, static_cast<std::uint32_t>(random() % 3),
                  1 + static_cast<std::uint32_t>(random() % 5)};
    // Neighbours that are of different shards.
    std::vector<Event> moved(trace.begin(), trace.end());
    for (Event& e : moved) e.object += is_of_memory(e.op.kind) ? 6 : 0;
    return run(moved, {100, 0, 1}) == run(moved, cut);
  });
}

// Ids of threads and locks are permuted, variables moved as a whole: which are neighbours matters.
TEST_P(Conformance, DoesNotDependOnIds) {
  for_traces([this](Trace trace, auto& random) {
    std::vector<std::uint32_t> ids(20);
    std::iota(ids.begin(), ids.end(), 0);
    std::ranges::shuffle(ids, random);
    const auto variables = static_cast<std::uint32_t>(random() % 1000);
    std::vector<Event> renamed(trace.begin(), trace.end());
    for (Event& e : renamed) {
      e.thread = ThreadId{ids[index(e.thread)]};
      const ObjectKind kind = object_kind(e.op.kind);
      if (kind == ObjectKind::variable) {
        e.object += variables;
      } else if (kind != ObjectKind::none) {
        e.object = ids[e.object];
      }
    }
    auto expected = run(trace);
    for (model::RacePair& pair : expected) {
      pair.variable = VarId{index(pair.variable) + variables};
      for (model::Side* side : {&pair.earlier, &pair.later})
        side->thread = ThreadId{ids[index(side->thread)]};
    }
    return expected == run(renamed);
  });
}

// Accesses to variables, and sections of locks, that are one thread's own.
TEST_P(Conformance, DoesNotDependOnWhatThreadsDoByThemselves) {
  for_traces([this](Trace trace, auto& random) {
    std::vector<Event> noisy;
    std::vector<std::uint64_t> number;  // of each event of the trace, among the noise
    std::set<ThreadId> begun, ended;
    for (const Event& e : trace) {
      const std::uint32_t own = 1000 + index(e.thread);
      const auto noise = [&](EventKind kind) { noisy.push_back({e.thread, {.kind = kind}, own}); };
      const bool lives =
          begun.contains(e.thread) && !ended.contains(e.thread) && e.op.kind != EventKind::begin;
      if (lives && random() % 2 == 0) {
        noise(EventKind::acquire);
        noise(random() % 2 == 0 ? EventKind::read : EventKind::write);
        noise(EventKind::release);
      }
      if (lives && random() % 3 == 0) noise(random() % 2 == 0 ? EventKind::read : EventKind::write);
      begun.insert(e.thread);
      if (e.op.kind == EventKind::end) ended.insert(e.thread);
      number.push_back(noisy.size());
      noisy.push_back(e);
    }
    auto expected = run(trace);
    for (model::RacePair& pair : expected) {
      for (model::Side* side : {&pair.earlier, &pair.later}) side->event = number[side->event];
    }
    return expected == run(noisy);
  });
}

TEST_P(Conformance, TellsTrulyWhoDidWhatWhere) {
  for_traces([](Trace trace, auto&) { return told_truly(run_engine(GetParam(), trace), trace); });
}

TEST_P(Conformance, SaysNothingOfNothing) { EXPECT_TRUE(run({}).empty()); }

}  // namespace
}  // namespace deadheat::test
