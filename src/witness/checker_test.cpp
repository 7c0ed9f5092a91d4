// The judge of witnesses against its slow twin, on schedules that are right and on ones that are spoilt.
#include "witness/checker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "oracle/many_traces.h"
#include "oracle/reorderings.h"
#include "support/text_trace.h"
#include "support/witness.h"

namespace deadheat::witness {
namespace {

using oracle::ManyTraces;
using oracle::Trace;
using test::judged;
using Order = std::vector<std::size_t>;

constexpr std::uint64_t kTraces = 1000;

// One of the ways to write an order: as much of it as one likes by `from` and `ends`.
Witness written(const Order& order, std::size_t a, std::size_t b, Trace trace, base::Random& random) {
  Witness witness{.earlier = a, .later = b};
  std::size_t at = 0;
  while (at < order.size() && order[at] == at && random.below(8) != 0) ++at;
  witness.from = at;
  if (random.below(4) != 0) {
    for (; at < order.size() && order[at] < trace.size(); ++at) {
      if (at > witness.from && order[at] <= order[at - 1]) break;
      const ThreadId t = trace[order[at]].thread;
      // A spoilt order may skip an event of the thread: that cannot be said by its end.
      bool skips = order[at] < witness.from;
      for (std::size_t i = witness.from; i < order[at]; ++i) {
        if (trace[i].thread == t && std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(at),
                                              i) == order.begin() + static_cast<std::ptrdiff_t>(at)) {
          skips = true;
        }
      }
      if (skips) break;
      if (index(t) >= witness.ends.size()) witness.ends.resize(index(t) + 1);
      witness.ends[index(t)] = order[at] + 1;
    }
  }
  witness.then.assign(order.begin() + static_cast<std::ptrdiff_t>(at), order.end());
  return witness;
}

void spoil(Order& order, Trace trace, base::Random& random) {
  const auto any = [&] { return order.begin() + static_cast<std::ptrdiff_t>(random.below(order.size())); };
  switch (order.empty() ? 3 : random.below(5)) {
    case 0:
      order.erase(any());
      break;
    case 1:
      std::iter_swap(any(), any());
      break;
    case 2: {
      const auto one = any(), other = any();
      std::rotate(std::min(one, other), std::max(one, other), order.end());
      break;
    }
    case 3:
      order.push_back(random.below(trace.size() + 1));
      break;
    default:
      order.pop_back();
      break;
  }
}

// What is wrong with the schedule of these events, one by one.
std::string fault(const std::string& text, std::vector<std::uint64_t> then, std::uint64_t a,
                  std::uint64_t b) {
  const auto trace = test::read_text(text);
  EXPECT_TRUE(trace) << trace.error().message;
  return judged({.earlier = a, .later = b, .then = std::move(then)}, trace->events).broken;
}

// What random traces seldom have.
TEST(WitnessJudgeRules, ThreadsThatDoNothingAreForkedBeforeTheyAreJoined) {
  const std::string text = "T0|fork(T2)|\nT1|join(T2)|\nT1|w(x)|\nT0|w(x)|\n";
  EXPECT_EQ(fault(text, {0, 1}, 2, 3), "");
  EXPECT_EQ(fault(text, {1}, 2, 3), "a joined thread is not forked");
}

TEST(WitnessJudgeRules, TheSameForkOnceMoreMeansNothing) {
  const std::string text = "T0|fork(T1)|\nT1|w(x)|\nT0|w(y)|\nT0|fork(T1)|\nT1|w(y)|\n";
  EXPECT_EQ(fault(text, {0, 1}, 2, 4), "");
  const auto trace = test::read_text(text);
  EXPECT_EQ(judged({.earlier = 2, .later = 4, .from = 2}, trace->events).broken, "");
}

TEST(WitnessJudgeRules, LargeBlocksAreNewAsSmallOnesAre) {
  const auto event = [](std::uint32_t thread, EventKind kind, std::uint64_t bytes, std::uint32_t object = 0) {
    return Event{ThreadId{thread}, {.kind = kind, .value = bytes}, object};
  };
  const std::vector<Event> trace = {
      event(0, EventKind::alloc, 100000),   event(0, EventKind::write, 8),
      event(0, EventKind::free, 100000),    event(1, EventKind::read, 8),  // finds what the free left
      event(1, EventKind::write, 8, 20000), event(2, EventKind::write, 8, 20000)};
  const auto broken = [&](std::vector<std::uint64_t> then) {
    return judged({.earlier = 4, .later = 5, .then = std::move(then)}, trace).broken;
  };
  EXPECT_EQ(broken({0, 1, 2, 3}), "");
  EXPECT_EQ(broken({0, 1, 3}), "a byte that is read has another last write than in the trace");
}

DEADHEAT_MANY_TRACES(WitnessJudge);
INSTANTIATE_TEST_SUITE_P(Gaps, WitnessJudge, testing::Values("gaps"),
                         [](const auto& profile) { return std::string(profile.param); });

// The trace without its gaps and attempts, event for event: schedules of it need not keep to them.
std::vector<Event> unobserved(Trace trace) {
  std::vector<Event> out(trace.begin(), trace.end());
  for (Event& e : out) {
    if (is_gap(e.op.kind) || is_failed_attempt(e.op.kind)) e = {e.thread, {.kind = EventKind::fence}, 0};
  }
  return out;
}

TEST_P(WitnessJudge, AgreesWithItsSlowTwin) {
  std::uint64_t good = 0, bad = 0;
  oracle::for_many_traces(options(), kTraces, [&](Trace trace) {
    const auto found = oracle::reorderings(trace, oracle::Keep::correct);
    const oracle::WitnessChecker slow(trace);
    base::Random random(trace.size() * 31 + found.states);
    for (const auto& [pair, order] : found.witnesses) {
      for (int spoilt = 0; spoilt < 6; ++spoilt) {
        Order tried = order;
        for (int i = 0; i < spoilt; ++i) spoil(tried, trace, random);
        const Witness witness = written(tried, pair.first, pair.second, trace, random);
        const bool right = slow.check(tried, pair.first, pair.second).ok();
        if (judged(witness, trace).ok() != right) return oracle::Outcome::fails;
        ++(right ? good : bad);
      }
    }
    return oracle::promised(!found.witnesses.empty(), true);
  });
  EXPECT_GT(good, oracle::traces_to_try(kTraces) / 3);
  EXPECT_GT(bad, oracle::traces_to_try(kTraces));
}

// Schedules that were made without a thought of gaps and attempts, and where writes are reads too.
TEST(WitnessJudgeOfGaps, AgreesWithItsSlowTwin) {
  std::uint64_t good = 0, bad = 0;
  oracle::for_many_traces(oracle::SmallTraceOptions::gaps(), kTraces, [&](Trace trace) {
    const std::vector<Event> plain = unobserved(trace);
    const auto found = oracle::reorderings(plain, oracle::Keep::correct);
    base::Random random(trace.size() * 31 + found.states);
    for (const bool writes_read : {false, true}) {
      const oracle::WitnessChecker slow(trace, writes_read);
      for (const auto& [pair, order] : found.witnesses) {
        const Witness witness = written(order, pair.first, pair.second, trace, random);
        const bool right = slow.check(order, pair.first, pair.second).ok();
        if (judged(witness, trace, {.writes_read = writes_read}).ok() != right) return oracle::Outcome::fails;
        ++(right ? good : bad);
      }
    }
    return oracle::promised(!found.witnesses.empty(), true);
  });
  EXPECT_GT(good, oracle::traces_to_try(kTraces) / 2);
  EXPECT_GT(bad, oracle::traces_to_try(kTraces) / 20);
}

// Pairs that do not conflict, or that a schedule does not leave next.
TEST_P(WitnessJudge, AgreesOnPairs) {
  oracle::for_many_traces(options(), kTraces / 5, [&](Trace trace) {
    const oracle::WitnessChecker slow(trace);
    base::Random random(trace.size());
    bool some = false;
    for (std::size_t n = 0; n <= trace.size(); ++n) {
      Order order(n);
      for (std::size_t i = 0; i < n; ++i) order[i] = i;
      for (std::size_t a = 0; a < trace.size(); ++a) {
        for (std::size_t b = a + 1; b < trace.size(); ++b) {
          const bool right = slow.check(order, a, b).ok();
          if (judged(written(order, a, b, trace, random), trace).ok() != right) return oracle::Outcome::fails;
          some = some || right;
        }
      }
    }
    return oracle::promised(some, true);
  });
}

}  // namespace
}  // namespace deadheat::witness
