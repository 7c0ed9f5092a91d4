// The promise of exact: the pairs of all correct reorderings, no more and no less, of a trace that fits in a
// window; some of them, of one that does not.
#include "engines/promises.h"
#include "oracle/reorderings.h"

namespace deadheat::test {
namespace {

class Exact : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, Exact, testing::Values("basic", "all", "readers", "atomics", "meetings"),
                         [](const auto& profile) { return std::string(profile.param); });

std::uint64_t counter(const RaceList& races, std::string_view name) {
  for (const auto& counter : races.counters) {
    if (counter.name == name) return counter.value;
  }
  ADD_FAILURE() << "there is no counter " << name;
  return 0;
}
bool all_checked(const RaceList& races) {
  return counter(races, "schedules that did not pass the check") == 0;
}

TEST_P(Exact, TellsExactlyThePairsThatCanMeet) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const auto all = oracle::reorderings(trace);
    const RaceList races = run_engine("exact:limit=unlimited", trace, any_cut(trace));
    const RaceList adjacent = run_engine("exact:limit=unlimited:notion=adjacent", trace, any_cut(trace));
    return oracle::promised(!all.co_enabled.empty(),
                            pairs_of(races) == all.co_enabled && pairs_of(adjacent) == all.adjacent &&
                                races.pairs.size() == all.co_enabled.size() && told_truly(races, trace) &&
                                all_checked(races) && all_checked(adjacent));
  });
}

TEST_P(Exact, WindowsTellSomeOfThem) {
  oracle::for_many_traces(options(), kTraces / 2, [](Trace trace) {
    const Pairs pairs = oracle::reorderings(trace).co_enabled;
    const RaceList races = run_engine("exact:limit=unlimited:window=8", trace, any_cut(trace));
    return oracle::promised(!races.pairs.empty(), oracle::subset(pairs_of(races), pairs) &&
                                                      told_truly(races, trace) && all_checked(races));
  });
}

// What the window of the whole trace finds within a quarter of it is asked about in smaller ones too: told,
// or counted as not decided.
TEST_P(Exact, WindowsCountWhatTheyDoNotDecide) {
  oracle::for_many_traces(options(), kTraces / 2, [](Trace trace) {
    const Pairs pairs = oracle::reorderings(trace).co_enabled;
    const RaceList races = run_engine("exact:limit=unlimited:window=12", trace, any_cut(trace));
    const Pairs told = pairs_of(races);
    std::uint64_t missed = 0;
    for (const Pair& pair : pairs) missed += pair.second - pair.first <= 6 && !told.contains(pair) ? 1 : 0;
    return oracle::promised(!told.empty(),
                            missed <= counter(races, "of these no for a window only: not decided"));
  });
}

TEST_P(Exact, ALimitLeavesSomeOfThePairsAndCountsTheOthers) {
  oracle::for_many_traces(options(), kTraces / 3, [](Trace trace) {
    const Pairs pairs = oracle::reorderings(trace).co_enabled;
    const RaceList races = run_engine("exact:limit=1", trace, any_cut(trace));
    const Pairs told = pairs_of(races);
    return oracle::promised(
        told.size() < pairs.size(),
        oracle::subset(told, pairs) &&
            pairs.size() - told.size() <= counter(races, "pairs not asked about, beyond the limit"));
  });
}

TEST_P(Exact, DoesNotDependOnTheNumberOfJobs) {
  auto longer = options();
  longer.min_events = 60;
  longer.max_events = 150;
  oracle::for_many_traces(longer, kTraces / 20, [](Trace trace) {
    const RaceList one = run_engine("exact:window=64", trace),
                   more = run_engine("exact:window=64:jobs=4", trace);
    const auto shown = [](const RaceList& races) {
      std::vector<std::pair<std::string, std::uint64_t>> counters;
      for (const auto& c : races.counters) counters.emplace_back(c.name, c.value);
      return counters;
    };
    return oracle::promised(!one.pairs.empty(), one.pairs == more.pairs && shown(one) == shown(more));
  });
}

}  // namespace
}  // namespace deadheat::test
