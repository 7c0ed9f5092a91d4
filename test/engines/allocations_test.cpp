// Allocs and frees of more memory than is looked at cell by cell: what is told does not depend on how it is
// looked at.
#include <string>

#include "engines/promises.h"

namespace deadheat::test {
namespace {

constexpr std::uint64_t kNever = UINT64_MAX;

class MuchMemory : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Engines, MuchMemory, testing::ValuesIn(all_detectors()), as_test_name);

// Of a cell of which parts were accessed the same pair may be told several times.
std::vector<model::RacePair> each_once(RaceList races) {
  races.pairs.erase(std::unique(races.pairs.begin(), races.pairs.end()), races.pairs.end());
  return races.pairs;
}

TEST_P(MuchMemory, IsToldOfAsIfItWereLookedAtCellByCell) {
  for (const auto& options : {oracle::SmallTraceOptions::memory(), oracle::SmallTraceOptions::all()}) {
    oracle::for_many_traces(options, kTraces, [](Trace trace) {
      Cut cut = any_cut(trace);
      // Neighbours that are of different shards.
      std::vector<Event> moved(trace.begin(), trace.end());
      for (Event& e : moved) e.object += is_of_memory(e.op.kind) ? 6 : 0;
      cut.many_cells = kNever;
      const auto all = each_once(run_engine(GetParam(), moved, cut));
      for (const std::uint64_t many : {0, 1, 2}) {
        cut.many_cells = many;
        if (each_once(run_engine(GetParam(), moved, cut)) != all) return Outcome::fails;
      }
      return oracle::promised(!all.empty(), true);
    });
  }
}

Event event_of(std::uint32_t t, EventKind kind, std::uint32_t x, std::uint64_t bytes) {
  return {ThreadId{t}, {.kind = kind, .value = bytes}, x};
}
constexpr std::uint64_t kBytes = 40'000;  // 5000 cells
const std::vector<Cut> kCuts = {{10, 0, 1}, {1, 2, 3}, {2, 1, 2}};

TEST_P(MuchMemory, ThatIsFreedUnaccessedRacesWithLaterAccesses) {
  for (const Cut& cut : kCuts) {
    for (const EventKind kind : {EventKind::read, EventKind::write, EventKind::atomic_load}) {
      if (is_atomic(kind) && GetParam() == "eraser") continue;  // it knows no atomics
      const std::vector<Event> trace = {event_of(1, EventKind::free, 3, kBytes), event_of(1, kind, 2000, 8),
                                        event_of(0, kind, 2001, 4), event_of(0, kind, 2, 8),
                                        event_of(0, kind, 5003, 8)};
      const bool eraser_waits = GetParam() == "eraser" && kind == EventKind::read;
      EXPECT_EQ(pairs_of(run_engine(GetParam(), trace, cut)), eraser_waits ? Pairs{} : (Pairs{{0, 2}}));
    }
  }
}

TEST_P(MuchMemory, ThatIsFreedTwiceIsToldWhicheverCellsWereAccessed) {
  for (const Cut& cut : kCuts) {
    const std::vector<Event> trace = {
        event_of(1, EventKind::free, 3, kBytes), event_of(1, EventKind::write, 3, 8),
        event_of(1, EventKind::write, 900, 8), event_of(0, EventKind::free, 0, kBytes)};
    const RaceList races = run_engine(GetParam(), trace, cut);
    const Pairs pairs = pairs_of(races);
    EXPECT_TRUE(pairs.contains({0, 3}));
    Cut cell_by_cell = cut;
    cell_by_cell.many_cells = kNever;
    EXPECT_TRUE(races.pairs == run_engine(GetParam(), trace, cell_by_cell).pairs);
  }
}

TEST_P(MuchMemory, ThatIsAllocatedAgainIsNew) {
  for (const std::uint64_t bytes : {std::uint64_t{8}, std::uint64_t{88}, kBytes}) {
    const auto end = static_cast<std::uint32_t>(1000 + bytes / 8);
    const std::vector<Event> trace = {
        event_of(1, EventKind::free, 3, 10 * kBytes), event_of(0, EventKind::alloc, 1000, bytes),
        event_of(0, EventKind::write, 1000, 8),       event_of(0, EventKind::write, end - 1, 8),
        event_of(2, EventKind::write, 999, 8),        event_of(2, EventKind::write, end, 8)};
    for (const Cut& cut : kCuts)
      EXPECT_EQ(pairs_of(run_engine(GetParam(), trace, cut)), (Pairs{{0, 4}, {0, 5}})) << bytes;
  }
}

// Two frees of gigabytes: told in the same places, however the variables are divided, and not in millions.
TEST_P(MuchMemory, OfGigabytesFreedTwiceIsToldForSomeOfItsCells) {
  constexpr std::uint64_t kGigabytes = std::uint64_t{8} << 30;
  const std::vector<Event> trace = {event_of(1, EventKind::free, 5, kGigabytes),
                                    event_of(2, EventKind::write, 70, 8),
                                    event_of(0, EventKind::free, 11, kGigabytes)};
  const RaceList one = run_engine(GetParam(), trace, {10, 0, 1});
  EXPECT_TRUE(pairs_of(one).contains({0, 2}));
  EXPECT_LE(one.pairs.size(), 3u * 8 * 1024);
  for (std::uint32_t bits = 1; bits <= 10; ++bits)
    EXPECT_TRUE(run_engine(GetParam(), trace, {10, bits, 1}).pairs == one.pairs) << bits;
}

// Far more memory than could be gone through cell by cell.
TEST(Allocations, OfManyCellsLookOnlyAtWhatWasAccessed) {
  const auto event = [](std::uint32_t t, EventKind kind, std::uint32_t x, std::uint64_t bytes) {
    return Event{ThreadId{t}, {.kind = kind, .value = bytes}, x};
  };
  constexpr std::uint64_t kAll = std::uint64_t{8} << 31;
  for (const Cut& cut : {Cut{10, 0, 1}, Cut{1, 2, 3}}) {
    for (const char* engine :
         {"djit", "fasttrack", "fasttrack-tree", "shb", "shb-ee", "lockset", "tsan1", "tsan1-wrd"}) {
      const std::vector<Event> freed = {event(0, EventKind::write, 1'000'007, 8),
                                        event(0, EventKind::write, 5, 8), event(1, EventKind::free, 6, kAll),
                                        event(0, EventKind::read, 1'000'007, 4)};
      EXPECT_EQ(pairs_of(run_engine(engine, freed, cut)), (Pairs{{0, 2}, {2, 3}})) << engine;
      const std::vector<Event> renewed = {
          event(0, EventKind::write, 1'000'007, 8), event(0, EventKind::write, 5, 8),
          event(0, EventKind::alloc, 6, kAll), event(1, EventKind::write, 1'000'007, 8),
          event(1, EventKind::write, 5, 8)};
      EXPECT_EQ(pairs_of(run_engine(engine, renewed, cut)), (Pairs{{1, 4}})) << engine;
    }
  }
}

}  // namespace
}  // namespace deadheat::test
