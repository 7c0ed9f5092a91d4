// What is decided of small traces, against the search of all their reorderings; and the orders that are
// told, before a judge that shares no code with who made them.
#include "solve/decide.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

#include "oracle/many_traces.h"
#include "oracle/release_order.h"
#include "oracle/reorderings.h"
#include "support/windows.h"
#include "support/witness.h"

namespace deadheat::solve {
namespace {

using oracle::ManyTraces;
using oracle::Outcome;
using oracle::Pair;
using oracle::Pairs;
using oracle::Trace;
using test::is_right;
using test::window_from;

constexpr std::uint64_t kTraces = 1000;

DEADHEAT_MANY_TRACES(Decide);

std::map<Means, std::uint64_t> used;

// The pairs of a window that are decided to meet; with a pair that nobody can mean if an answer is wrong.
Pairs decided(Trace trace, const Window& window, Notion notion, const Limits& limits = {}) {
  const Rules rules(window);
  Pairs found;
  for (const auto& [e, f] : oracle::conflicting_pairs(trace)) {
    if (e < window.first || f >= window.first + window.events.size()) continue;
    const Question q{e, f, notion};
    const Answer answer = decide(rules, q, limits);
    ++used[answer.means];
    if (answer.verdict == Verdict::yes) found.insert({e, f});
    if (answer.verdict == Verdict::unknown ||
        (answer.verdict == Verdict::yes && !is_right(trace, q, answer, window.first))) {
      found.insert({e, e});
    }
  }
  return found;
}

bool decides(Trace trace, const oracle::Reorderings& all, const Limits& limits) {
  const Window window = window_from(trace, 0, trace.size());
  return decided(trace, window, Notion::co_enabled, limits) == all.co_enabled &&
         decided(trace, window, Notion::adjacent, limits) == all.adjacent;
}

TEST_P(Decide, DecidesWhatTheSearchOfAllReorderingsFinds) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const auto all = oracle::reorderings(trace);
    return oracle::promised(!all.co_enabled.empty(), decides(trace, all, {}));
  });
}

// So the complete test of pwr-ee would save no more than these, if it chose what is asked.
TEST_P(Decide, WhatPwrLeavesOutIsRefusedByWhatIsForced) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs pwr = oracle::lockset_and_pred_pairs(oracle::pwr_order(trace));
    const Window window = window_from(trace, 0, trace.size());
    const Rules rules(window);
    bool any = false, holds = true;
    for (const auto& [e, f] : oracle::conflicting_pairs(trace)) {
      if (pwr.contains({e, f})) continue;
      const Answer answer = decide(rules, {e, f, Notion::co_enabled}, {});
      any = true;
      holds &= answer.verdict == Verdict::no &&
               (answer.means == Means::needs || answer.means == Means::saturation);
    }
    return oracle::promised(any, holds);
  });
}

TEST_P(Decide, CasesAloneDecideTheSame) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const auto all = oracle::reorderings(trace);
    return oracle::promised(!all.co_enabled.empty(), decides(trace, all, {.use = Limits::Use::cases}));
  });
}

TEST_P(Decide, TheSolverAloneDecidesTheSame) {
  oracle::for_many_traces(options(), kTraces / 10, [](Trace trace) {
    const auto all = oracle::reorderings(trace);
    return oracle::promised(!all.co_enabled.empty(),
                            decides(trace, all, {.use = Limits::Use::solver}) &&
                                // Only those clauses that its answers break.
                                decides(trace, all, {.use = Limits::Use::solver, .clauses = 0}));
  });
}

// What is left to the solver after all else, if no cases may be tried.
TEST_P(Decide, TheSolverFollowsWhatIsForced) {
  oracle::for_many_traces(options(), kTraces / 2, [](Trace trace) {
    const auto all = oracle::reorderings(trace);
    return oracle::promised(!all.co_enabled.empty(), decides(trace, all, {.cases = 0}));
  });
}

// Where there are gaps and failed attempts: what is found keeps to them, and only what the events alone
// forbid is called impossible. Where completeness is not known, plain writes are reads too.
TEST(DecideWithGaps, SchedulesAreAcceptedAndRefusalsAreTrue) {
  oracle::for_many_traces(oracle::SmallTraceOptions::gaps(), 8 * kTraces, [](Trace trace) {
    bool some = false;
    for (const bool writes_read : {false, true}) {
      const auto all = oracle::reorderings(
          trace, oracle::Keep::correct, writes_read ? oracle::Values::of_writes_too : oracle::Values::read);
      Window window = window_from(trace, 0, trace.size());
      window.writes_read = writes_read;
      const Rules strict(window);
      window.writes_read = window.keeps_gaps = false;
      const Rules bare(window);
      for (const auto& [e, f] : oracle::conflicting_pairs(trace)) {
        const Answer answer = decide(strict, {e, f}, {});
        if (answer.verdict == Verdict::yes) {
          const witness::Witness witness{.earlier = e, .later = f, .then = answer.order};
          if (!test::holds(witness, trace, {.writes_read = writes_read})) return Outcome::fails;
          some = true;
        }
        if (decide(bare, {e, f}, {}).verdict == Verdict::no && all.co_enabled.contains({e, f})) {
          return Outcome::fails;
        }
      }
    }
    return oracle::promised(some, true);
  });
}

// All orders of the window's events behind those before it.
class Slowly {
 public:
  Slowly(Trace trace, std::size_t first, std::size_t end)
      : trace_(trace), search_(trace, oracle::Keep::correct) {
    for (std::size_t i = 0; i < first; ++i) order_.push_back(i);
    for (std::size_t i = first; i < end; ++i) threads_[trace[i].thread].push_back(i);
    visit();
  }
  Pairs co_enabled, adjacent;

 private:
  bool allows(std::size_t i) {
    order_.push_back(i);
    const bool allowed = search_.allows(order_);
    order_.pop_back();
    return allowed;
  }
  void visit() {
    std::vector<std::size_t> nexts;
    for (const auto& [t, events] : threads_) {
      if (done_[t] < events.size()) nexts.push_back(events[done_[t]]);
    }
    const oracle::WitnessChecker judge(trace_);
    for (const std::size_t a : nexts) {
      for (const std::size_t b : nexts) {
        if (a >= b || !oracle::conflicting(trace_, a, b)) continue;
        if (judge.check(order_, a, b).ok()) co_enabled.insert({a, b});
        if (!allows(a)) continue;
        order_.push_back(a);
        if (allows(b)) adjacent.insert({a, b});
        order_.pop_back();
      }
    }
    for (const std::size_t i : nexts) {
      if (!allows(i)) continue;
      order_.push_back(i);
      ++done_[trace_[i].thread];
      visit();
      --done_[trace_[i].thread];
      order_.pop_back();
    }
  }

  Trace trace_;
  oracle::ReorderingSearch search_;
  std::map<ThreadId, std::vector<std::size_t>> threads_;
  std::map<ThreadId, std::size_t> done_;
  std::vector<std::size_t> order_;
};

// Whether eight events somewhere in the trace are decided as by search.
Outcome in_the_middle(Trace trace, const Limits& limits) {
  const std::size_t first = trace.size() <= 8 ? trace.size() / 2 : (trace.size() - 8) / 2;
  const std::size_t end = std::min(trace.size(), first + 8);
  const Slowly all(trace, first, end);
  const Window window = window_from(trace, first, end);
  return oracle::promised(!all.co_enabled.empty(),
                          decided(trace, window, Notion::co_enabled, limits) == all.co_enabled &&
                              decided(trace, window, Notion::adjacent, limits) == all.adjacent);
}

TEST_P(Decide, WindowsInTheMiddleAreDecidedAsBySearch) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) { return in_the_middle(trace, {}); });
}
TEST_P(Decide, WindowsInTheMiddleAreDecidedByTheSolver) {
  oracle::for_many_traces(options(), kTraces / 4,
                          [](Trace trace) { return in_the_middle(trace, {.use = Limits::Use::solver}); });
}

// What is decided of a window holds of the trace.
TEST_P(Decide, WindowsInTheMiddleFindNothingThatTheTraceDoesNotHave) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const auto all = oracle::reorderings(trace);
    const auto within = [](const Pairs& some, const Pairs& more) {
      return std::includes(more.begin(), more.end(), some.begin(), some.end());
    };
    const std::size_t first = trace.size() / 3, end = trace.size() - trace.size() / 5;
    const Window window = window_from(trace, first, end);
    const Pairs found = decided(trace, window, Notion::co_enabled);
    return oracle::promised(
        !found.empty(),
        within(found, all.co_enabled) && within(decided(trace, window, Notion::adjacent), all.adjacent));
  });
}

// Too long to be searched: the orders are judged, and the means compared. Few reads, so that much can be
// moved.
TEST_P(Decide, LongTracesAreDecidedTheSameByAllMeans) {
  auto longer = options();
  longer.min_events = 60;
  longer.max_events = 120;
  longer.max_threads = 6;
  longer.max_locks = 5;
  longer.max_variables = 6;
  longer.weight(EventKind::read) = 6;
  std::uint64_t asked = 0;
  oracle::for_many_traces(longer, kTraces / 20, [&](Trace trace) {
    const Rules rules(window_from(trace, 0, trace.size()));
    bool any = false;
    for (const auto& [e, f] : oracle::conflicting_pairs(trace)) {
      if (rules.before(static_cast<Index>(f))[rules.thread(static_cast<Index>(e))] >
          rules.rank(static_cast<Index>(e))) {
        continue;
      }
      for (const Notion notion : {Notion::co_enabled, Notion::adjacent}) {
        const Question q{e, f, notion};
        const Answer answer = decide(rules, q), cases = decide(rules, q, {.use = Limits::Use::cases});
        if (answer.verdict != cases.verdict || answer.verdict == Verdict::unknown) return Outcome::fails;
        any = any || answer.verdict == Verdict::yes;
        for (const Answer* a : {&answer, &cases}) {
          if (a->verdict == Verdict::yes && !is_right(trace, q, *a, 0)) return Outcome::fails;
        }
        if (++asked % 100 == 0 && decide(rules, q, {.use = Limits::Use::solver}).verdict != answer.verdict) {
          return Outcome::fails;
        }
      }
    }
    return oracle::promised(any, true);
  });
}

// The last test of this suite: after all others, of all profiles.
TEST_P(Decide, AllMeansWereTried) {
  if (used[Means::needs] < 1000) GTEST_SKIP() << "the other tests were not run";
  for (const Means means : {Means::trace, Means::saturation, Means::cases, Means::solver}) {
    EXPECT_GT(used[means], 0u) << static_cast<int>(means);
  }
  if (std::getenv("DEADHEAT_TRACES") == nullptr) return;
  for (const auto& [means, count] : used)
    std::printf("means %d: %llu\n", static_cast<int>(means), 1ULL * count);
}

}  // namespace
}  // namespace deadheat::solve
