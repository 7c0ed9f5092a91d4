// The oracles are compared with each other before anything is compared with them.
#include <gtest/gtest.h>

#include "oracle/blocks.h"
#include "oracle/many_traces.h"
#include "oracle/relations.h"
#include "oracle/witness.h"

namespace deadheat::oracle {
namespace {

constexpr std::uint64_t kTraces = 500;

DEADHEAT_MANY_TRACES(Oracles);

TEST_P(Oracles, SmallTracesAreWellFormedAndOftenRacyAndOftenNot) {
  std::uint64_t traces = 0, racy = 0;
  for_many_traces(options(), kTraces, [&](Trace trace) {
    model::WellFormed check;
    for_each_block(trace, 7, [&](const BlockView& block) { check.feed(block); });
    ++traces;
    racy += hb_order(trace).unordered().empty() ? 0 : 1;
    return promised(true, check.ok());
  });
  EXPECT_GT(racy * 4, traces);
  EXPECT_LT(racy * 4, traces * 3);
}

// Every order that the checker lets pass, one after the other.
class Enumeration {
 public:
  explicit Enumeration(Trace trace) : trace_(trace), checker_(trace) { extend(); }
  Pairs co_enabled, adjacent;

 private:
  void extend() {
    note_pairs();
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      order_.push_back(i);
      if (checker_.check(order_).ok()) extend();
      order_.pop_back();
    }
  }
  void note_pairs() {
    for (std::size_t b = 0; b < trace_.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        if (!checker_.check(order_, a, b).ok()) continue;
        co_enabled.insert({a, b});
        auto longer = order_;
        longer.insert(longer.end(), {a, b});
        if (checker_.check(longer).ok()) adjacent.insert({a, b});
      }
    }
  }

  Trace trace_;
  WitnessChecker checker_;
  std::vector<std::size_t> order_;
};

TEST_P(Oracles, TheSearchFindsWhatTheCheckerLetsPassOfAllOrders) {
  SmallTraceOptions tiny = options();
  tiny.min_events = 3;
  tiny.max_events = 8;
  for_many_traces(tiny, 200, [](Trace trace) {
    const Reorderings found = reorderings(trace);
    const Enumeration all(trace);
    return promised(!all.co_enabled.empty(),
                    found.co_enabled == all.co_enabled && found.adjacent == all.adjacent);
  });
}

// A witness with two events swapped, one left out, doubled or replaced.
std::vector<std::size_t> spoiled(std::vector<std::size_t> order, std::mt19937_64& random,
                                 std::size_t events) {
  if (order.empty()) return {random() % events};
  const std::size_t i = random() % order.size(), k = random() % order.size();
  switch (random() % 4) {
    case 0:
      std::swap(order[i], order[k]);
      break;
    case 1:
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    case 2:
      order.push_back(random() % events);
      break;
    default:
      std::rotate(order.begin() + static_cast<std::ptrdiff_t>(std::min(i, k)),
                  order.begin() + static_cast<std::ptrdiff_t>(i), order.end());
  }
  return order;
}

TEST_P(Oracles, TheCheckerRefusesSpoiledWitnessesAndOnlyThese) {
  std::mt19937_64 random(1);
  std::uint64_t refused = 0, passed = 0;
  for_many_traces(options(), kTraces, [&](Trace trace) {
    const Reorderings found = reorderings(trace);
    const ReorderingSearch search(trace, Keep::correct);
    const WitnessChecker checker(trace);
    for (const auto& [pair, witness] : found.witnesses) {
      const auto order = spoiled(witness, random, trace.size());
      const bool ok = checker.check(order).ok();
      (ok ? passed : refused) += 1;
      if (ok != search.allows(order)) return Outcome::fails;
    }
    return promised(!found.witnesses.empty(), true);
  });
  EXPECT_GT(refused, passed / 4);
  EXPECT_GT(passed, refused / 20);
}

}  // namespace
}  // namespace deadheat::oracle
