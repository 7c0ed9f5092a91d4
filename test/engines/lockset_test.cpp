// The promises of the engines of locks held.
#include "engines/promises.h"

namespace deadheat::test {
namespace {

class Lockset : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, Lockset, testing::Values("basic", "all"),
                         [](const auto& profile) { return std::string(profile.param); });

// An engine keeps to a closure if it flags the same accesses, and tells no other pairs.
Outcome keeps_to(const Pairs& pairs, const char* engine, Trace trace) {
  const RaceList races = run_engine(engine, trace, any_cut(trace));
  return oracle::promised(!pairs.empty(), races.flagged() == flagged(pairs) &&
                                              oracle::subset(pairs_of(races), pairs) &&
                                              told_truly(races, trace));
}

TEST_P(Lockset, LocksetFlagsExactlyTheAccessesThatShareNoLockWithAnEarlierOne) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    return keeps_to(oracle::lockset_pairs(trace), "lockset", trace);
  });
}

TEST_P(Lockset, Tsan1FlagsExactlyThoseOfThemThatAreNotOrdered) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs lockset = oracle::lockset_pairs(trace);
    return keeps_to(oracle::tsan1_pairs(lockset, oracle::hard_order(trace)), "tsan1", trace);
  });
}

TEST_P(Lockset, Tsan1WrdFlagsExactlyThoseThatNeedNotComeAfterAnEarlierOne) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs lockset = oracle::lockset_pairs(trace);
    return keeps_to(oracle::tsan1_wrd_pairs(lockset, oracle::hard_rf_and_allocations_order(trace)),
                    "tsan1-wrd", trace);
  });
}

// Of few variables, so that much is kept of each, forgotten and kept anew.
TEST_P(Lockset, AllOfThemKeepToTheirClosuresOnLongerTracesToo) {
  auto longer = options();
  longer.min_events = 60;
  longer.max_events = 200;
  longer.max_threads = 6;
  longer.max_variables = 1;
  oracle::for_many_traces(longer, kTraces / 20, [](Trace trace) {
    const Pairs lockset = oracle::lockset_pairs(trace);
    const Pairs tsan1 = oracle::tsan1_pairs(lockset, oracle::hard_order(trace));
    const Pairs wrd = oracle::tsan1_wrd_pairs(lockset, oracle::hard_rf_and_allocations_order(trace));
    for (const auto& [engine, pairs] :
         {std::pair{"lockset", &lockset}, {"tsan1", &tsan1}, {"tsan1-wrd", &wrd}}) {
      if (keeps_to(*pairs, engine, trace) == Outcome::fails) return Outcome::fails;
    }
    return oracle::promised(!wrd.empty(), true);
  });
}

// What the closures promise beyond that is between oracles: promises_test.cpp.

}  // namespace
}  // namespace deadheat::test
