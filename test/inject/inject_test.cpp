// What is put into small traces, against the search of all their reorderings: the race is one, its twin is
// none, and nothing else has changed than the order.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "inject/injection.h"
#include "inject/judge.h"
#include "oracle/many_traces.h"
#include "oracle/order.h"
#include "oracle/reorderings.h"
#include "support/witness.h"

namespace deadheat::inject {
namespace {

using oracle::ManyTraces;
using oracle::Outcome;
using oracle::Trace;

constexpr std::uint64_t kTraces = 300;
constexpr std::uint64_t kAttempts = 3;

DEADHEAT_MANY_TRACES(Inject);

// None: no race can be put into it.
std::optional<BaseTrace> base_of(Trace trace, std::uint32_t races = 1) {
  BaseTrace base;
  base.events.assign(trace.begin(), trace.end());
  if (!prepare(base, races)) return std::nullopt;
  return base;
}

std::vector<Event> without_injected(const BaseTrace& base, const Injected& made) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < made.events.size(); ++i) {
    if (made.ids[i] < base.events.size()) events.push_back(made.events[i]);
  }
  return events;
}
std::vector<std::size_t> base_order(const BaseTrace& base, const Injected& made) {
  std::vector<std::size_t> order;
  for (const Id id : made.ids) {
    if (id < base.events.size()) order.push_back(id);
  }
  return order;
}

// Whether the base can be put into the order of what was made, and back.
bool is_reordering(const BaseTrace& base, const Injected& made) {
  const auto order = base_order(base, made);
  if (order.size() != base.events.size()) return false;
  if (!oracle::ReorderingSearch(base.events, oracle::Keep::correct).allows(order)) return false;
  std::vector<std::size_t> back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  const auto events = without_injected(base, made);
  return oracle::ReorderingSearch(events, oracle::Keep::correct).allows(back);
}

bool is_race(const std::vector<Event>& events, const LabelledPair& pair) {
  return oracle::reorderings(events).co_enabled.contains({pair.witness.earlier, pair.witness.later});
}

// What property(base, made) says of some attempts for each trace.
template <class Property>
void for_many_injections(const oracle::SmallTraceOptions& options, const Wishes& wishes, Property property,
                         bool may_refuse = false, std::uint64_t traces = kTraces) {
  oracle::for_many_traces(options, traces, [&](Trace trace) {
    const auto base = base_of(trace, wishes.races);
    if (!base) return Outcome::says_nothing;
    bool something = false;
    for (std::uint64_t number = 0; number < kAttempts; ++number) {
      const Injected made = inject(*base, wishes, trace.size(), number);
      if (made.failure == Failure::refused && !may_refuse) return Outcome::fails;
      if (made.failure != Failure::none) continue;
      something = true;
      if (!property(*base, made)) return Outcome::fails;
    }
    return oracle::promised(something, true);
  });
}

bool all_hold(const BaseTrace& base, const Injected& made) {
  return is_reordering(base, made) && std::ranges::all_of(made.pairs, [&](const LabelledPair& pair) {
           return is_race(made.events, pair) && test::holds(pair.witness, made.events);
         });
}

TEST_P(Inject, TheRaceIsOneAndTheRestIsReordered) {
  const Wishes wishes{.distance = 3, .window = 8, .kinds = {"ww", "wr", "rw"}};
  for_many_injections(options(), wishes, [](const BaseTrace& base, const Injected& made) {
    const auto& w = made.pairs[0].witness;
    return w.later - w.earlier - 1 >= 3 && all_hold(base, made);
  });
}

TEST_P(Inject, SeveralRacesInATraceAreAllThere) {
  const Wishes wishes{.distance = 1, .window = 6, .races = 3};
  for_many_injections(options(), wishes, [](const BaseTrace& base, const Injected& made) {
    return made.pairs.size() == 3 && all_hold(base, made);
  });
}

// A read of one race may see the write that the meeting of another one leaves out: such traces are refused.
TEST_P(Inject, SeveralRacesWithReadsAreAllThereOrRefused) {
  const Wishes wishes{.distance = 1, .window = 6, .kinds = {"ww", "wr", "rw"}, .races = 2};
  const auto property = [](const BaseTrace& base, const Injected& made) {
    return made.pairs.size() == 2 && all_hold(base, made);
  };
  for_many_injections(options(), wishes, property, true);
}

class InjectHard : public ManyTraces {};
INSTANTIATE_TEST_SUITE_P(Profiles, InjectHard, testing::Values("basic", "all", "readers", "meetings"),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_P(InjectHard, RacesAreOrderedByHappensBefore) {
  const Wishes wishes{.distance = 1, .window = 24, .hard = true};
  for_many_injections(options(), wishes, [](const BaseTrace& base, const Injected& made) {
    const auto& w = made.pairs[0].witness;
    return oracle::hb_order(made.events).ordered(w.earlier, w.later) && all_hold(base, made);
  });
}

TEST_P(InjectHard, TheSolverDoesWhatCasesDo) {
  std::uint64_t solved = 0;
  const Wishes wishes{.distance = 3, .window = 16, .cases = 0};
  const auto property = [&](const BaseTrace& base, const Injected& made) {
    solved += made.effort.solver;
    return all_hold(base, made);
  };
  for_many_injections(options(), wishes, property, false, kTraces / 5);
  EXPECT_GT(solved, oracle::traces_to_try(kTraces) / 5);
}

TEST_P(Inject, TwinsAreNoRaces) {
  const Wishes wishes{.distance = 1, .window = 8, .twins = true};
  std::uint64_t twins = 0;
  for_many_injections(options(), wishes, [&](const BaseTrace&, const Injected& made) {
    if (!made.twin) return true;
    ++twins;
    return !is_race(made.twin->events, made.twin->pair);
  });
  EXPECT_GT(twins, 20U);
}

// Two neighbours that change places: what the judge lets pass is a correct reordering.
TEST_P(Inject, TheJudgeRefusesWhatIsNoReordering) {
  std::uint64_t refused = 0, passed = 0;
  for_many_injections(options(), {.distance = 1, .window = 8}, [&](const BaseTrace& base, const Injected&) {
    for (std::uint64_t i = 0; i + 1 < base.events.size(); ++i) {
      Draft draft(base);
      draft.reorder(i, {1, 0});
      Injected swapped;
      swapped.events = draft.events();
      swapped.ids = draft.order();
      const bool passes = wrong_with(draft, swapped).empty();
      ++(passes ? passed : refused);
      if (passes && !is_reordering(base, swapped)) return false;
    }
    return true;
  });
  EXPECT_GT(refused, 100U);
  EXPECT_GT(passed, 100U);
}

TEST(InjectAttempts, AreTheSameForASeed) {
  const auto trace = oracle::small_trace(7, oracle::SmallTraceOptions::basic());
  const auto base = base_of(trace);
  ASSERT_TRUE(base);
  std::set<std::vector<Id>> orders;
  for (std::uint64_t number = 0; number < 20; ++number) {
    const Injected once = inject(*base, {.distance = 1}, 5, number),
                   again = inject(*base, {.distance = 1}, 5, number);
    EXPECT_EQ(once.events, again.events);
    EXPECT_EQ(once.failure, again.failure);
    orders.insert(once.ids);
  }
  EXPECT_GT(orders.size(), 4U);
}

TEST(InjectAttempts, GoOverAllSwitchesBeforeAnyComesAgain) {
  const auto trace = oracle::small_trace(3, oracle::SmallTraceOptions::basic());
  const auto base = base_of(trace);
  ASSERT_TRUE(base);
  std::set<std::uint64_t> points;
  for (std::uint64_t number = 0; number < base->switches.size(); ++number) {
    points.insert(inject(*base, {.distance = 1000}, 9, number).point);
  }
  EXPECT_EQ(points.size(), base->switches.size());
}

}  // namespace
}  // namespace deadheat::inject
