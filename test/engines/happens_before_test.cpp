// The promises of the engines of happens-before.
#include "engines/promises.h"

namespace deadheat::test::happens_before_tests {
namespace {

class HappensBefore : public Profile {};
// In traces of all kinds there is little of each: wrong atomics pass thousands of them.
INSTANTIATE_TEST_SUITE_P(Profiles, HappensBefore,
                         testing::Values("basic", "all", "readers", "atomics", "memory", "meetings",
                                         "generations"),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_P(HappensBefore, DjitFlagsExactlyTheAccessesThatRaceWithAnEarlierOne) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs pairs = oracle::hb_order(trace).unordered();
    const RaceList races = run_engine("djit", trace, any_cut(trace));
    return oracle::promised(!pairs.empty(), races.flagged() == flagged(pairs));
  });
}

TEST_P(HappensBefore, DjitAndFasttrackTellOnlyPairsThatRaceAndTellThemTruly) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs pairs = oracle::hb_order(trace).unordered();
    for (const char* engine : {"djit", "fasttrack"}) {
      const RaceList races = run_engine(engine, trace, any_cut(trace));
      if (!oracle::subset(pairs_of(races), pairs) || !told_truly(races, trace)) return Outcome::fails;
    }
    return oracle::promised(!pairs.empty(), true);
  });
}

TEST_P(HappensBefore, FasttrackFindsTheSameVariablesAndTheSameFirstAccessOfEachAsDjit) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const RaceList djit = run_engine("djit", trace, any_cut(trace));
    for (const char* engine : {"fasttrack"}) {
      const RaceList fasttrack = run_engine(engine, trace, any_cut(trace));
      const auto all = djit.flagged(), some = fasttrack.flagged();
      if (first_by_variable(djit) != first_by_variable(fasttrack)) return Outcome::fails;
      if (!std::ranges::includes(all, some)) return Outcome::fails;
    }
    return oracle::promised(!djit.pairs.empty(), true);
  });
}

TEST_P(HappensBefore, TreeClocksTellWhatFlatClocksTell) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const RaceList flat = run_engine("fasttrack", trace, any_cut(trace));
    const RaceList tree = run_engine("fasttrack-tree", trace, any_cut(trace));
    return oracle::promised(!flat.pairs.empty(), flat.pairs == tree.pairs);
  });
}

TEST_P(HappensBefore, ShbFlagsExactlyTheAccessesThatNeedNotComeAfterAnEarlierOne) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs pairs = oracle::shb_pairs(oracle::shb_and_allocations_order(trace));
    const RaceList races = run_engine("shb", trace, any_cut(trace));
    return oracle::promised(!pairs.empty(), races.flagged() == flagged(pairs) &&
                                                oracle::subset(pairs_of(races), pairs) &&
                                                told_truly(races, trace));
  });
}

TEST_P(HappensBefore, ShbTellsOnlyPairsThatCanMeet) {
  oracle::for_many_traces(options(), kTraces / 3, [](Trace trace) {
    const RaceList races = run_engine("shb", trace, any_cut(trace));
    if (races.pairs.empty()) return Outcome::says_nothing;
    return oracle::promised(true, oracle::subset(pairs_of(races), oracle::reorderings(trace).co_enabled));
  });
}

// What random traces seldom have.
Event event_of(std::uint32_t t, EventKind kind, std::uint32_t object, std::uint64_t value = 0) {
  return {ThreadId{t}, {.kind = kind, .value = value}, object};
}
const std::vector<const char*> kEngines = {"djit", "fasttrack", "fasttrack-tree", "shb", "st", "su",
                                           "so",   "si"};

TEST(Threads, WhoJoinsOneThatWasJoinedBeforeKnowsAllThatItKnew) {
  const std::vector<Event> trace = {event_of(0, EventKind::acquire, 0), event_of(0, EventKind::write, 0),
                                    event_of(0, EventKind::release, 0), event_of(1, EventKind::acquire, 0),
                                    event_of(1, EventKind::release, 0), event_of(2, EventKind::join, 1),
                                    event_of(3, EventKind::join, 1),    event_of(3, EventKind::write, 0)};
  for (const char* engine : kEngines) {
    for (const Cut& cut : {Cut{10, 0, 1}, Cut{1, 1, 2}})
      EXPECT_EQ(pairs_of(run_engine(engine, trace, cut)), Pairs{}) << engine;
  }
}

TEST(Barriers, WhoLeavesAGenerationKnowsNothingOfTheNext) {
  const std::vector<Event> trace = {event_of(0, EventKind::barrier_enter, 0, 0),
                                    event_of(1, EventKind::barrier_enter, 0, 0),
                                    event_of(0, EventKind::barrier_exit, 0, 0),
                                    event_of(0, EventKind::write, 0),
                                    event_of(0, EventKind::barrier_enter, 0, 1),
                                    event_of(1, EventKind::barrier_exit, 0, 0),
                                    event_of(1, EventKind::write, 0)};
  for (const char* engine : kEngines) {
    for (const Cut& cut : {Cut{10, 0, 1}, Cut{1, 1, 2}})
      EXPECT_EQ(pairs_of(run_engine(engine, trace, cut)), (Pairs{{3, 6}})) << engine;
  }
}

}  // namespace
}  // namespace deadheat::test::happens_before_tests
