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

// Queues that get long, and clocks that get wide, need more events.
TEST_P(Wcp, LongTracesAreFlaggedAsDefined) {
  oracle::for_many_traces(longer(), kTraces / 20, [](Trace trace) {
    const Pairs pairs = oracle::Wcp(trace).pairs();
    return oracle::promised(!pairs.empty(),
                            run_engine("wcp", trace, any_cut(trace)).flagged() == flagged(pairs));
  });
}

// All threads but the first are forked: then what all are after can be dropped.
TEST_P(Wcp, WhatIsDroppedIsNotMissed) {
  auto longer = options();
  longer.min_events = 60;
  longer.max_events = 200;
  longer.max_threads = 4;
  longer.forked = 5;
  longer.weight(EventKind::fork) = 60;
  oracle::for_many_traces(longer, kTraces / 20, [](Trace trace) {
    const Pairs pairs = oracle::Wcp(trace).pairs();
    return oracle::promised(!pairs.empty(),
                            run_engine("wcp", trace, any_cut(trace)).flagged() == flagged(pairs));
  });
}

TEST_P(Wcp, FlagsAllThatHappensBeforeFlags) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const oracle::Wcp wcp(trace);
    const Pairs hb = wcp.hb().unordered();
    return oracle::promised(!hb.empty(), oracle::subset(hb, wcp.pairs()));
  });
}

TEST_P(Wcp, CountsWhatItsPromiseDependsOn) {
  oracle::for_many_traces(options(), kTraces / 3, [](Trace trace) {
    const oracle::Sections sections(trace);
    std::vector<std::uint64_t> counted;
    for (const auto& counter : run_engine("wcp", trace, any_cut(trace)).counters)
      counted.push_back(counter.value);
    return oracle::promised(true, counted == std::vector<std::uint64_t>{sections.not_nested, sections.across,
                                                                        sections.meetings, 0});
  });
}

// Whether all that events before `end` find in memory came to them in order, and memory that is allocated was
// used before it.
bool memory_is_ordered(Trace trace, const oracle::Wcp& wcp, std::size_t end) {
  for (const auto& edges : {oracle::edges::reads_from(trace), oracle::edges::allocations(trace)}) {
    for (const auto& [a, b] : edges) {
      if (b < end && !wcp.ordered(a, b)) return false;
    }
  }
  for (std::size_t b = 0; b < end; ++b) {
    if (trace[b].op.kind != EventKind::alloc) continue;
    for (std::size_t a = 0; a < b; ++a) {
      if (oracle::is_memory(trace[a].op.kind) &&
          oracle::bytes_of(trace[a]).overlap(oracle::bytes_of(trace[b])) && !wcp.ordered(a, b)) {
        return false;
      }
    }
  }
  return true;
}

class WcpOfSections : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, WcpOfSections,
                         testing::Values("basic", "all", "readers", "atomics", "meetings"),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_P(WcpOfSections, TheFirstRaceCanHappenOrADeadlockCan) {
  auto nested = options();
  nested.nested_locks = true;
  nested.forks_inside = false;
  oracle::for_many_traces(nested, kTraces, [](Trace trace) {
    const oracle::Wcp wcp(trace);
    const Pairs pairs = wcp.pairs();
    const oracle::Sections sections(trace);
    const std::size_t first = oracle::first_flagged(trace, pairs);
    if (pairs.empty() || sections.not_nested + sections.across + sections.meetings > 0 ||
        !memory_is_ordered(trace, wcp, first)) {
      return Outcome::says_nothing;
    }
    const oracle::Reorderings possible = oracle::reorderings(trace);
    return oracle::promised(
        !possible.deadlock,
        possible.deadlock || oracle::subset(oracle::pairs_of(pairs, first), possible.co_enabled));
  });
}

}  // namespace
}  // namespace deadheat::test
