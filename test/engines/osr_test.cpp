// The promise of osr: the pairs of optimistic closures, and the sync-preserving ones; all of them can meet.
#include "engine/osr.h"

#include "engines/promises.h"
#include "oracle/optimistic.h"

namespace deadheat::test::osr_tests {
namespace {

Pairs defined_pairs(Trace trace) { return oracle::optimistic_and_sync_preserving(trace); }
RaceList osr(Trace trace) { return run_engine("osr:limit=unlimited:tries=unlimited", trace, any_cut(trace)); }
// Traces in which only reversals make a pair meet are few: more locks, and more that depends on values.
oracle::SmallTraceOptions reversing(oracle::SmallTraceOptions options) {
  options.min_events = 12;
  options.disciplined = 5;
  options.forked = 1;
  return options;
}

class Osr : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, Osr, testing::Values("basic", "all", "readers", "atomics", "meetings"),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_P(Osr, TellsWhatIsDefined) {
  oracle::for_many_traces(reversing(options()), kTraces, [](Trace trace) {
    const Pairs pairs = defined_pairs(trace);
    return oracle::promised(!pairs.empty(), exactly(osr(trace), pairs, trace));
  });
}

TEST_P(Osr, WhatIsToldCanMeet) {
  oracle::for_many_traces(reversing(options()), kTraces, [](Trace trace) {
    const Pairs pairs = pairs_of(osr(trace));
    return oracle::promised(!pairs.empty(), oracle::subset(pairs, oracle::reorderings(trace).co_enabled));
  });
}

TEST_P(Osr, TellsAllThatSyncPTells) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs less = pairs_of(run_engine("syncp:limit=unlimited", trace, any_cut(trace)));
    return oracle::promised(!less.empty(), oracle::subset(less, pairs_of(osr(trace))));
  });
}

// Several acquires that wait for each other need more events than can be searched.
TEST_P(Osr, LongTracesAreToldAsDefined) {
  oracle::for_many_traces(longer(), kTraces / 50, [](Trace trace) {
    const Pairs pairs = defined_pairs(trace);
    return oracle::promised(!pairs.empty(), exactly(osr(trace), pairs, trace));
  });
}

// All threads but the first are forked: then what all are after can be dropped.
TEST_P(Osr, WhatIsDroppedIsNotMissed) {
  auto longer = options();
  longer.min_events = 30;
  longer.max_events = 80;
  longer.max_threads = 5;
  longer.forked = 5;
  longer.weight(EventKind::fork) = 60;
  oracle::for_many_traces(longer, kTraces / 30, [](Trace trace) {
    const Pairs pairs = defined_pairs(trace);
    const Cut cut = any_cut(trace);
    engine::Osr osr({}, {{}, 1, cut.many_cells}, 1);
    const RaceList races = run_engine(osr, 1, trace, {cut.block, 0, 1});
    if (races.counters.back().value > 0) return Outcome::says_nothing;  // a thread came late
    return oracle::promised(!pairs.empty(), pairs_of(races) == pairs);
  });
}

TEST_P(Osr, LimitsLeaveSomeOfThePairsAndCountTheOthers) {
  oracle::for_many_traces(options(), kTraces / 3, [](Trace trace) {
    const Pairs pairs = defined_pairs(trace);
    const RaceList races = run_engine("osr:limit=1:tries=1", trace, any_cut(trace));
    const Pairs told = pairs_of(races);
    const std::uint64_t missed = counted(races, "pairs not looked at, beyond the limit") +
                                 counted(races, "pairs not looked at, after tries in vain");
    return oracle::promised(told.size() < pairs.size(),
                            oracle::subset(told, pairs) && pairs.size() - told.size() <= missed);
  });
}

// Seldom in random traces: in this many there must be some.
TEST(OsrReversals, SomePairsMeetByReversalsOnly) {
  const auto options = reversing(oracle::SmallTraceOptions::basic());
  const std::uint64_t traces = oracle::traces_to_try(kTraces);
  std::uint64_t found = 0;
  for (std::uint64_t seed = 0; seed < traces; ++seed) {
    const auto trace = oracle::small_trace(seed, options);
    found += counted(osr(trace), "pairs that only reversals make meet") > 0 ? 1 : 0;
  }
  EXPECT_GT(found, traces / 1000);
}

}  // namespace
}  // namespace deadheat::test::osr_tests
