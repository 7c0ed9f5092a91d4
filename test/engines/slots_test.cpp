// Threads that come and go, and whose slots in clocks others get (order/slots.h): what is told is by threads,
// as defined, and the memory of engines is by those that are there at one time.
#include "engine/osr.h"
#include "engine/syncp.h"
#include "engines/promises.h"
#include "oracle/optimistic.h"
#include "oracle/release_order.h"
#include "oracle/sync_preserving.h"
#include "oracle/wcp.h"

namespace deadheat::test::slots_tests {
namespace {

using K = EventKind;

Event event(std::uint32_t t, EventKind kind, std::uint32_t object) {
  return Event{ThreadId{t}, {.kind = kind}, object};
}
RaceList run(const std::string& engine, Trace trace) { return run_engine(engine, trace, any_cut(trace)); }

// Whether some thread gets the slot of another: who forks it is after a join.
bool shares_slots(const oracle::Order& order) {
  const Trace trace = order.trace();
  for (std::size_t fork = 0; fork < trace.size(); ++fork) {
    if (trace[fork].op.kind != EventKind::fork) continue;
    for (std::size_t join = 0; join < fork; ++join) {
      if (trace[join].op.kind == EventKind::join && order.ordered(join, fork)) return true;
    }
  }
  return false;
}

class Generations : public Profile {
 public:
  // More threads than a clock has room for at first.
  static oracle::SmallTraceOptions longer() {
    auto longer = options();
    longer.min_events = 80;
    longer.max_events = 160;
    longer.max_threads = 30;
    longer.max_locks = 5;
    return longer;
  }
  // property(trace): of short and long traces.
  template <class Property>
  static void for_traces(std::uint64_t traces, Property property) {
    oracle::for_many_traces(options(), traces, property);
    oracle::for_many_traces(longer(), traces / 10, property);
  }
};
INSTANTIATE_TEST_SUITE_P(Profiles, Generations,
                         testing::Values("generations", "generations_in_sections", "generations_of_all"),
                         [](const auto& profile) { return std::string(profile.param); });

// Of an engine that has the paper's rule as an option, and its order.
Outcome tells_pairs_of(const oracle::Order& order, const std::string& engine) {
  const Trace trace = order.trace();
  const Pairs pairs = oracle::lockset_and_pred_pairs(order);
  const bool paper = exactly(run(engine + ":paper", trace), oracle::lockset_and_order_pairs(order), trace);
  return oracle::promised(!pairs.empty() && shares_slots(order),
                          paper && exactly(run(engine, trace), pairs, trace));
}

TEST_P(Generations, PwrTellsExactlyThePairsOfItsOrder) {
  for_traces(kTraces, [](Trace trace) { return tells_pairs_of(oracle::pwr_order(trace), "pwr-ee"); });
}

TEST_P(Generations, WdpTellsExactlyThePairsOfItsOrder) {
  for_traces(kTraces, [](Trace trace) { return tells_pairs_of(oracle::wdp_order(trace), "wdp"); });
}

TEST_P(Generations, ShbEeTellsExactlyThePairsOfItsOrder) {
  for_traces(kTraces, [](Trace trace) {
    const oracle::Order order = oracle::shb_and_allocations_order(trace);
    const Pairs pairs = oracle::shb_pairs(order);
    return oracle::promised(!pairs.empty() && shares_slots(order),
                            exactly(run("shb-ee:limit=unlimited", trace), pairs, trace));
  });
}

TEST_P(Generations, WcpFlagsExactlyTheAccessesThatItsOrderDoes) {
  for_traces(kTraces, [](Trace trace) {
    const oracle::Wcp wcp(trace);
    const Pairs pairs = wcp.pairs();
    const oracle::Sections sections(trace);
    const RaceList races = run("wcp", trace);
    std::vector<std::uint64_t> counters;
    for (const auto& counter : races.counters) counters.push_back(counter.value);
    return oracle::promised(!pairs.empty() && shares_slots(wcp.hard()),
                            races.flagged() == flagged(pairs) && oracle::subset(pairs_of(races), pairs) &&
                                told_truly(races, trace) && counters[0] == sections.not_nested &&
                                counters[1] == sections.across && counters[2] == sections.meetings);
  });
}

// What all threads are after is dropped as soon as it can be.
template <class Engine>
RaceList run_dropping(Trace trace, const Cut& cut) {
  Engine engine({}, {{}, 1, cut.many_cells}, 1);
  return run_engine(engine, 1, trace, {cut.block, 0, 1});
}
bool none_came_late(const RaceList& races) { return races.counters.back().value == 0; }

TEST_P(Generations, SyncPTellsExactlyThePairsOfItsReorderings) {
  for_traces(kTraces, [](Trace trace) {
    const Pairs pairs = oracle::SyncPreserving(trace).pairs();
    const RaceList all = run("syncp:limit=unlimited", trace);
    const RaceList dropping = run_dropping<engine::SyncP>(trace, any_cut(trace));
    return oracle::promised(!pairs.empty() && shares_slots(oracle::hard_rf_and_allocations_order(trace)),
                            (!none_came_late(all) || exactly(all, pairs, trace)) &&
                                (!none_came_late(dropping) || exactly(dropping, pairs, trace)));
  });
}

TEST_P(Generations, OsrTellsExactlyThePairsOfItsClosures) {
  for_traces(kTraces / 3, [](Trace trace) {
    const Pairs pairs = oracle::optimistic_and_sync_preserving(trace);
    const RaceList all = run("osr:limit=unlimited:tries=unlimited", trace);
    const RaceList dropping = run_dropping<engine::Osr>(trace, any_cut(trace));
    return oracle::promised(!pairs.empty() && shares_slots(oracle::hard_rf_and_allocations_order(trace)),
                            (!none_came_late(all) || exactly(all, pairs, trace)) &&
                                (!none_came_late(dropping) || exactly(dropping, pairs, trace)));
  });
}

// Nothing is dropped once a second thread came that nobody forks, also if that was known to be old before:
// the last of these threads meets the first access.
TEST(ThreadsThatNobodyForks, MeetAllOnceThereWereTwo) {
  // When 1 acts again, all that act are after 0's access; then others come.
  std::vector<Event> trace = {event(0, K::write, 0), event(0, K::fork, 1), event(1, K::write, 0),
                              event(1, K::write, 1)};
  for (std::uint32_t t = 2; t < 40; ++t) trace.push_back(event(t, K::write, 0));
  const auto meets_all = [&](const RaceList& races) {
    return none_came_late(races) && pairs_of(races).contains({0, trace.size() - 1});
  };
  const Cut cut{1, 0, 1};
  EXPECT_TRUE(meets_all(run_dropping<engine::SyncP>(trace, cut)));
  EXPECT_TRUE(meets_all(run_dropping<engine::Osr>(trace, cut)));
  for (const char* engine : {"syncp", "osr"})
    EXPECT_TRUE(meets_all(run_engine(engine, trace, cut))) << engine;
}

// So many pairs of two places in two threads and a variable: not of two slots.
TEST_P(Generations, LimitsOfPairsAreOfThreads) {
  for_traces(kTraces / 3, [](Trace trace) {
    const auto places = [&](const RaceList& races) {
      std::map<std::tuple<VarId, ThreadId, SiteId, K, ThreadId, SiteId, K>, std::size_t> pairs;
      for (const model::RacePair& p : races.pairs) {
        ++pairs[{p.variable, p.earlier.thread, p.earlier.site, p.earlier.kind, p.later.thread, p.later.site,
                 p.later.kind}];
      }
      return pairs;
    };
    const auto all = places(run("syncp:limit=unlimited", trace));
    const auto some = places(run("syncp:limit=1", trace));
    const auto has = [&](const auto& at) { return some.contains(at.first); };
    return oracle::promised(!all.empty() && shares_slots(oracle::hard_rf_and_allocations_order(trace)),
                            std::ranges::all_of(all, has));
  });
}

// Of sections that are kept by slots a limit leaves no fewer than the last ones of each lock.
TEST_P(Generations, SectionsLeftOutAddPairsToThoseOfPwr) {
  for_traces(kTraces / 3, [](Trace trace) {
    const oracle::Order order = oracle::pwr_order(trace);
    const Pairs all = oracle::lockset_and_pred_pairs(order);
    for (const char* limit : {"0", "1", "5"}) {
      const RaceList races = run(std::string("pwr-ee-l:edges=unlimited:sections=") + limit, trace);
      const bool differs = pairs_of(races) != all;
      if (!oracle::subset(all, pairs_of(races)) || !told_once(races) || !told_truly(races, trace) ||
          (differs && counted(races, "times a dropped critical section may have been needed") == 0))
        return Outcome::fails;
    }
    return oracle::promised(!all.empty() && shares_slots(order), true);
  });
}

// 1 and 2 have one slot; what they did to variable 0, holding the lock, orders 1's other write before 3's.
TEST(WcpBySlots, SectionsOfOwnersOfASlotAreOfTwoThreads) {
  const std::vector<Event> trace = {
      event(0, K::fork, 1),    event(0, K::fork, 3),    event(1, K::write, 1),   event(1, K::acquire, 0),
      event(1, K::write, 0),   event(1, K::release, 0), event(0, K::join, 1),    event(0, K::fork, 2),
      event(2, K::acquire, 0), event(2, K::write, 0),   event(2, K::release, 0), event(2, K::acquire, 1),
      event(2, K::release, 1), event(3, K::acquire, 1), event(3, K::release, 1), event(3, K::write, 1)};
  EXPECT_TRUE(oracle::Wcp(trace).pairs().empty());
  EXPECT_EQ(pairs_of(run("wcp", trace)), Pairs{});
}

// 3, who forks 2, comes after the join of 1 by the lock alone.
TEST(WcpBySlots, HappensBeforeIsNotEnoughToGetASlot) {
  const std::vector<Event> trace = {event(0, K::fork, 1),    event(0, K::fork, 3),    event(1, K::write, 0),
                                    event(0, K::join, 1),    event(0, K::acquire, 0), event(0, K::release, 0),
                                    event(3, K::acquire, 0), event(3, K::release, 0), event(3, K::fork, 2),
                                    event(2, K::write, 0)};
  EXPECT_EQ(pairs_of(run("wcp", trace)), (Pairs{{2, 9}}));
}

// 4 joins 1, whose slot 2 has, and tells 5 by a lock what 1 knew by weak causal precedence.
TEST(WcpBySlots, WhatAFormerOwnerKnewIsPassedOn) {
  const std::vector<Event> trace = {
      event(0, K::fork, 1),    event(0, K::fork, 4),    event(0, K::fork, 5),    event(0, K::fork, 6),
      event(6, K::write, 1),   event(6, K::acquire, 0), event(6, K::write, 0),   event(6, K::release, 0),
      event(1, K::acquire, 0), event(1, K::write, 0),   event(1, K::release, 0), event(0, K::join, 1),
      event(0, K::fork, 2),    event(4, K::join, 1),    event(4, K::acquire, 1), event(4, K::release, 1),
      event(5, K::acquire, 1), event(5, K::release, 1), event(5, K::write, 1)};
  EXPECT_TRUE(oracle::Wcp(trace).pairs().empty());
  EXPECT_EQ(pairs_of(run("wcp", trace)), Pairs{});
}

void expect_pairs_of_osr(Trace trace, const Pairs& pairs) {
  EXPECT_EQ(oracle::optimistic_and_sync_preserving(trace), pairs);
  EXPECT_EQ(pairs_of(run("osr", trace)), pairs);
}

// 1 never gives up the lock, as a reader, and so 3 cannot hold it later; 2 holds it in between.
TEST(OsrBySlots, ASectionThatNeverEndsIsNotFollowedByOthersOfItsSlot) {
  expect_pairs_of_osr(
      std::vector<Event>{event(0, K::fork, 1), event(0, K::fork, 3), event(3, K::acquire, 0),
                         event(3, K::write, 0), event(3, K::release, 0), event(1, K::acquire_shared, 0),
                         event(0, K::join, 1), event(0, K::fork, 2), event(2, K::acquire_shared, 0),
                         event(2, K::release_shared, 0), event(2, K::write, 0)},
      {});
}

// 4 joins 1, whose slot 2 has. What 1 did, or who forked it, came after 5's write: so 4's section must.
TEST(OsrBySlots, WhoJoinsAFormerOwnerComesAfterIt) {
  expect_pairs_of_osr(
      std::vector<Event>{event(0, K::fork, 1), event(0, K::fork, 4), event(0, K::fork, 5),
                         event(5, K::acquire, 0), event(5, K::write, 1), event(5, K::write, 0),
                         event(5, K::release, 0), event(1, K::write, 1), event(0, K::join, 1),
                         event(0, K::fork, 2), event(4, K::join, 1), event(4, K::acquire, 0),
                         event(4, K::release, 0), event(4, K::write, 0)},
      {{4, 7}});
  expect_pairs_of_osr(
      std::vector<Event>{event(0, K::fork, 3), event(0, K::fork, 4), event(0, K::fork, 5),
                         event(5, K::acquire, 0), event(5, K::write, 1), event(5, K::write, 0),
                         event(5, K::release, 0), event(3, K::write, 1), event(3, K::fork, 1),
                         event(0, K::join, 1), event(0, K::fork, 2), event(4, K::join, 1),
                         event(4, K::acquire, 0), event(4, K::release, 0), event(4, K::write, 0)},
      {{4, 7}});
}

// 4 joins 1, whose slot 3 has, and of which it learns that 2 was in a section of the lock that it holds.
TEST(JoinedAgain, WhatAFormerOwnerKnewOfSectionsCounts) {
  const std::vector<Event> trace = {event(0, K::fork, 1),    event(0, K::fork, 2),    event(0, K::fork, 4),
                                    event(2, K::acquire, 0), event(2, K::send, 0),    event(1, K::recv, 0),
                                    event(2, K::write, 0),   event(2, K::release, 0), event(0, K::join, 1),
                                    event(0, K::fork, 3),    event(4, K::acquire, 0), event(4, K::join, 1),
                                    event(4, K::release, 0), event(4, K::read, 0)};
  for (const char* engine : {"pwr-ee", "pwr-ee-l", "wdp"})
    EXPECT_EQ(pairs_of(run(engine, trace)), Pairs{}) << engine;
  EXPECT_TRUE(oracle::lockset_and_pred_pairs(oracle::pwr_order(trace)).empty());
}

// Fork, two sections of two locks, an access that is told with those of others, join; two at a time.
std::vector<Event> comings_and_goings(std::uint32_t threads) {
  std::vector<Event> trace;
  const auto put = [&](std::uint32_t t, EventKind kind, std::uint32_t object) {
    trace.push_back({ThreadId{t}, {.kind = kind, .site = SiteId{1}}, object});
  };
  for (std::uint32_t t = 1; t + 1 < threads; t += 2) {
    for (const std::uint32_t u : {t, t + 1}) put(0, EventKind::fork, u);
    for (const std::uint32_t u : {t, t + 1}) {
      put(u, EventKind::write, 0);
      put(u, EventKind::acquire, 0);
      put(u, EventKind::acquire, 1);
      put(u, EventKind::write, 1);
      put(u, EventKind::release, 1);
      put(u, EventKind::read, 2);
      put(u, EventKind::release, 0);
    }
    for (const std::uint32_t u : {t, t + 1}) put(0, EventKind::join, u);
  }
  return trace;
}

std::uint64_t bytes_after(const std::string& engine, Trace trace) {
  const auto choice = engine::choose(engine);
  auto made = choice->make({});
  run_engine(**made, choice->row->passes, trace, {kMaxBlockEvents, 0, 1});
  return (*made)->bytes();
}

class OfManyThreads : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Engines, OfManyThreads,
                         testing::Values("fasttrack", "shb", "shb-ee", "pwr-ee", "pwr-ee-l", "pwr-l", "wdp",
                                         "wcp", "syncp", "osr"),
                         as_test_name);

// With a slot for each thread, a clock alone would take 8 bytes an event of a trace like this.
TEST_P(OfManyThreads, MemoryGrowsNoFasterThanTheTrace) {
  constexpr std::uint32_t kFew = 2000;
  const std::uint64_t few = bytes_after(GetParam(), comings_and_goings(kFew));
  const std::uint64_t many = bytes_after(GetParam(), comings_and_goings(4 * kFew));
  EXPECT_LT(many, 5 * few);
}

}  // namespace
}  // namespace deadheat::test::slots_tests
