// Gaps: what is shown by schedules that respect them holds in the complete trace.
//
//   DEADHEAT_TRACES=100000 build/dev/test/deadheat_oracle_test --gtest_filter='*Gaps*'
//
// Accesses that race with nothing are hidden in complete traces, each behind a gap: of unknown bytes, or of
// its own. Events keep their numbers, so a schedule of the one trace can be judged in the other.
#include "oracle/gaps.h"

#include <gtest/gtest.h>

#include <random>

#include "oracle/many_traces.h"
#include "oracle/reorderings.h"
#include "support/witness.h"

namespace deadheat::oracle::gaps_tests {
namespace {

constexpr std::uint64_t kTraces = 1500;
constexpr std::size_t kMostHidden = 5;

// A plain access that is ordered with all that conflicts with it, and behind the alloc of its memory.
bool can_be_hidden(const Order& hb, std::size_t i) {
  const Trace trace = hb.trace();
  const EventKind kind = trace[i].op.kind;
  if (kind != EventKind::read && kind != EventKind::write) return false;
  for (std::size_t k = 0; k < trace.size(); ++k) {
    const bool conflict = k < i ? conflicting(trace, k, i) : k > i && conflicting(trace, i, k);
    const bool is_alloc =
        k < i && trace[k].op.kind == EventKind::alloc && bytes_of(trace[k]).overlap(bytes_of(trace[i]));
    if ((conflict || is_alloc) && !hb.ordered(k, i) && !hb.ordered(i, k)) return false;
  }
  return true;
}

enum class Known : std::uint8_t { nothing, bytes, either };

std::vector<Event> with_gaps(Trace trace, Known known, std::mt19937_64& random) {
  const Order hb = hb_order(trace);
  std::vector<Event> out(trace.begin(), trace.end());
  std::vector<std::size_t> hidden;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (can_be_hidden(hb, i)) hidden.push_back(i);
  }
  std::shuffle(hidden.begin(), hidden.end(), random);
  if (hidden.size() > kMostHidden) hidden.resize(kMostHidden);
  for (const std::size_t i : hidden) {
    const bool bytes = known == Known::bytes || (known == Known::either && random() % 2 == 0);
    Event& e = out[i];
    if (bytes) {
      e.op.kind = EventKind::gap_range;
    } else {
      e = {e.thread, {.kind = EventKind::gap, .site = e.op.site}, 0};
    }
  }
  return out;
}

std::vector<Event> without_rules(std::vector<Event> trace) {
  for (Event& e : trace) {
    if (is_gap(e.op.kind)) e = {e.thread, {.kind = EventKind::fence}, 0};
  }
  return trace;
}

class GapsExperiment : public testing::TestWithParam<std::tuple<const char*, Known>> {
 protected:
  static Known known() { return std::get<1>(GetParam()); }
  // property(complete, gapped), tried on many traces. A failing one is told with what was hidden.
  template <class Property>
  static void for_many(std::uint64_t traces, Property property) {
    const Seeds seeds(traces);
    const SmallTraceOptions options = ManyTraces::options_of(std::get<0>(GetParam()));
    SmallTraceOptions small = options;
    small.max_events = std::min(small.max_events, 16u);
    small.disciplined = 7;
    Tally tally;
    for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
      const auto complete = small_trace(seed, small);
      const auto outcome_of = [&](Trace trace) {
        std::mt19937_64 random(seed);
        return property(trace, with_gaps(trace, known(), random));
      };
      const Outcome outcome = outcome_of(complete);
      tally.add(outcome);
      if (outcome != Outcome::fails) continue;
      const auto shrunk = shrink(complete, [&](Trace t) { return outcome_of(t) == Outcome::fails; });
      std::mt19937_64 random(seed);
      FAIL() << "seed " << seed << ", made small:\n"
             << as_text(shrunk) << "with gaps:\n"
             << as_text(with_gaps(shrunk, known(), random));
    }
    tally.conclude(seeds.count);
  }
};

// Every order of events that the rules allow.
TEST_P(GapsExperiment, ReorderingsAreThoseOfTheCompleteTrace) {
  for_many(kTraces, [](Trace complete, const std::vector<Event>& gapped) {
    const ReorderingSearch truth(complete, Keep::correct);
    bool right = true, other = false;
    ReorderingSearch(gapped, Keep::correct).for_each_end([&](const std::vector<std::size_t>& order) {
      right = right && truth.allows(order);
      other = other || !std::is_sorted(order.begin(), order.end());
    });
    return promised(other && gapped != std::vector<Event>(complete.begin(), complete.end()), right);
  });
}

// What the product's judge accepts, made by somebody who does not care for gaps.
TEST_P(GapsExperiment, WhatTheJudgeAcceptsHoldsInTheCompleteTrace) {
  std::uint64_t accepted = 0, refused = 0, wrong = 0;
  for_many(kTraces, [&](Trace complete, const std::vector<Event>& gapped) {
    const WitnessChecker truth(complete);
    const Reorderings found = reorderings(without_rules(gapped));
    bool some = false;
    for (const auto& [pair, order] : found.witnesses) {
      witness::Witness witness{.earlier = pair.first, .later = pair.second};
      witness.then.assign(order.begin(), order.end());
      const bool is_true = truth.check(order, pair.first, pair.second).ok();
      const bool ok = test::judged(witness, gapped).ok();
      if (ok && !is_true) return Outcome::fails;
      some = some || (ok && !std::is_sorted(order.begin(), order.end()));
      ++(ok ? accepted : refused);
      wrong += is_true ? 0 : 1;
    }
    return promised(some, true);
  });
  EXPECT_GT(accepted, refused);
  if (std::getenv("DEADHEAT_TRACES") != nullptr) {
    std::printf("%llu schedules accepted, %llu refused, of which %llu were wrong\n", 1ULL * accepted,
                1ULL * refused, 1ULL * wrong);
  }
}

// Who does not care for gaps is wrong, often enough for the above to mean something.
TEST(GapsExperimentItself, WithoutTheRulesReorderingsAreWrong) {
  std::uint64_t wrong = 0;
  SmallTraceOptions options = SmallTraceOptions::basic();
  options.max_events = 16;
  options.disciplined = 7;
  for (std::uint64_t seed = 0; seed < kTraces; ++seed) {
    const auto complete = small_trace(seed, options);
    std::mt19937_64 random(seed);
    const auto gapped = without_rules(with_gaps(complete, Known::nothing, random));
    const ReorderingSearch truth(complete, Keep::correct);
    bool right = true;
    ReorderingSearch(gapped, Keep::correct).for_each_end([&](const std::vector<std::size_t>& order) {
      right = right && truth.allows(order);
    });
    wrong += right ? 0 : 1;
  }
  EXPECT_GT(wrong, kTraces / 20);
}

std::string name_of(Known known) {
  return known == Known::nothing ? "nothing" : known == Known::bytes ? "bytes" : "either";
}

INSTANTIATE_TEST_SUITE_P(Gaps, GapsExperiment,
                         testing::Combine(testing::Values("basic", "readers", "meetings", "atomics", "all"),
                                          testing::Values(Known::nothing, Known::bytes, Known::either)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param)) + "_" + name_of(std::get<1>(row.param));
                         });

}  // namespace
}  // namespace deadheat::oracle::gaps_tests
