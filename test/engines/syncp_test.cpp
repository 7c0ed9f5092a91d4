// The promise of syncp: the pairs of all sync-preserving reorderings, no more and no less.
#include "engine/syncp.h"
#include "engines/promises.h"
#include "oracle/sync_preserving.h"

namespace deadheat::test::syncp_tests {
namespace {

// By search, and by their definition.
Pairs all_pairs(Trace trace) { return reorderings(trace, oracle::Keep::sync_preserving).co_enabled; }
Pairs defined_pairs(Trace trace) { return oracle::SyncPreserving(trace).pairs(); }

class SyncP : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, SyncP, testing::Values("basic", "all", "readers", "atomics", "meetings"),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_P(SyncP, TellsExactlyThePairsOfSyncPreservingReorderings) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs pairs = all_pairs(trace);
    const RaceList races = run_engine("syncp:limit=unlimited", trace, any_cut(trace));
    return oracle::promised(!pairs.empty(), pairs_of(races) == pairs && told_truly(races, trace) &&
                                                races.pairs.size() == pairs.size());
  });
}

TEST_P(SyncP, TheDefinitionIsWhatTheSearchFinds) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs pairs = all_pairs(trace);
    return oracle::promised(!pairs.empty(), defined_pairs(trace) == pairs);
  });
}

// Releases that bring in others, again and again, need more events than can be searched.
TEST_P(SyncP, LongTracesAreToldAsDefined) {
  oracle::for_many_traces(longer(), kTraces / 20, [](Trace trace) {
    const Pairs pairs = defined_pairs(trace);
    const RaceList races = run_engine("syncp:limit=unlimited", trace, any_cut(trace));
    return oracle::promised(!pairs.empty(), pairs_of(races) == pairs && told_truly(races, trace));
  });
}

// All threads but the first are forked: then what all are after can be dropped.
TEST_P(SyncP, WhatIsDroppedIsNotMissed) {
  auto longer = options();
  longer.min_events = 30;
  longer.max_events = 100;
  longer.max_threads = 5;
  longer.forked = 5;
  longer.weight(EventKind::fork) = 60;
  oracle::for_many_traces(longer, kTraces / 10, [](Trace trace) {
    const Pairs pairs = defined_pairs(trace);
    const Cut cut = any_cut(trace);
    engine::SyncP syncp({}, {{}, 1, cut.many_cells}, 1);
    const RaceList races = run_engine(syncp, 1, trace, {cut.block, 0, 1});
    if (races.counters.back().value > 0) return Outcome::says_nothing;  // a thread came late
    return oracle::promised(!pairs.empty(), pairs_of(races) == pairs);
  });
}

TEST_P(SyncP, ALimitLeavesSomeOfThePairsAndCountsTheOthers) {
  oracle::for_many_traces(options(), kTraces / 3, [](Trace trace) {
    const Pairs pairs = all_pairs(trace);
    const RaceList races = run_engine("syncp:limit=1", trace, any_cut(trace));
    const Pairs told = pairs_of(races);
    std::uint64_t missed = 0;
    for (const auto& counter : races.counters) {
      if (counter.name == "pairs not looked at, beyond the limit") missed = counter.value;
    }
    return oracle::promised(told.size() < pairs.size(), oracle::subset(told, pairs) &&
                                                            pairs.size() - told.size() <= missed &&
                                                            told.empty() == pairs.empty());
  });
}

}  // namespace
}  // namespace deadheat::test::syncp_tests
