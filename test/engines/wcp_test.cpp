// The promises of wcp.
#include "oracle/wcp.h"

#include "engines/promises.h"

namespace deadheat::test {
namespace {

class Wcp : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, Wcp,
                         testing::Values("basic", "all", "readers", "atomics", "memory", "meetings",
                                         "generations"),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_P(Wcp, FlagsExactlyTheAccessesThatAnEarlierOneIsNotOrderedBefore) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs pairs = oracle::Wcp(trace).pairs();
    const RaceList races = run_engine("wcp", trace, any_cut(trace));
    return oracle::promised(!pairs.empty(), races.flagged() == flagged(pairs) &&
                                                oracle::subset(pairs_of(races), pairs) &&
                                                told_truly(races, trace));
  });
}

}  // namespace
}  // namespace deadheat::test
