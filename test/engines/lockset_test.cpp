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

// What the closures promise beyond that is between oracles: promises_test.cpp.

}  // namespace
}  // namespace deadheat::test
