// Proofs from windows that grow, before the judge.
#include "solve/prove.h"

#include <gtest/gtest.h>

#include <tuple>

#include "oracle/many_traces.h"
#include "oracle/reorderings.h"
#include "support/load_trace.h"
#include "support/source_path.h"
#include "support/windows.h"

namespace deadheat::solve::prove_tests {
namespace {

using oracle::ManyTraces;
using oracle::Trace;

constexpr std::uint64_t kTraces = 500;

DEADHEAT_MANY_TRACES(Prove);

TEST_P(Prove, FindsThePairsOfTheTraceInSomeWindow) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const auto pairs = oracle::reorderings(trace).co_enabled;
    const Window all{0, trace, {}};
    for (const auto& [e, f] : oracle::conflicting_pairs(trace)) {
      const Question q{e, f};
      const Proof proof = prove(all, q, {.first_window = 1});
      const bool yes = proof.answer.verdict == Verdict::yes;
      if (yes != pairs.contains({e, f})) return oracle::Outcome::fails;
      if (yes && !test::is_right(trace, q, proof.answer, proof.first_event)) return oracle::Outcome::fails;
      if (!yes && proof.end != Proof::End::all_of_it) return oracle::Outcome::fails;
    }
    return oracle::promised(!pairs.empty(), true);
  });
}

TEST(PartOf, KnowsTheLocksHeld) {
  oracle::for_many_traces(ManyTraces::options_of("all"), kTraces, [](Trace trace) {
    const std::size_t a = trace.size() / 4, b = trace.size() / 2, end = trace.size() - trace.size() / 5;
    const auto held = [](const Window& window) {
      std::set<std::tuple<ThreadId, LockId, model::HeldLocks::Mode, std::uint32_t>> found;
      for (const Window::Held& h : window.held) found.insert({h.thread, h.lock, h.mode, h.depth});
      return found;
    };
    const Window part = part_of(test::window_from(trace, a, trace.size()), b, end);
    return oracle::promised(!part.held.empty(), held(part) == held(test::window_from(trace, b, end)) &&
                                                    part.first == b && part.events.size() == end - b);
  });
}

// The two injected writes of published traces; the first ones cannot be had without another order of locks.
TEST(Proofs, ShowsInjectedRaces) {
  for (const auto& [name, e, f] : {std::tuple("arraylist_injectedTrace120", 477, 492),
                                   std::tuple("treeset_injectedTrace100", 490, 629)}) {
    const auto trace = test::load_trace(test::source_path("test/corpus/raceinjector/") + name + ".std");
    ASSERT_GT(trace.size(), 500u);
    const Question q{static_cast<std::uint64_t>(e), static_cast<std::uint64_t>(f)};
    const Proof proof = prove({0, trace, {}}, q);
    EXPECT_EQ(proof.answer.verdict, Verdict::yes) << name;
    EXPECT_EQ(proof.windows, 1u) << name;
    EXPECT_TRUE(test::is_right(trace, q, proof.answer, proof.first_event)) << name;
  }
}

Event make(std::uint32_t t, EventKind kind, std::uint32_t object) {
  return {ThreadId{t}, {.kind = kind}, object};
}

// T0 holds l, long before the pair: only a window that goes back so far lets T1 be first.
std::vector<Event> far_back(std::size_t noise) {
  std::vector<Event> trace = {make(0, EventKind::acquire, 0)};
  for (std::size_t i = 0; i < noise; ++i) trace.push_back(make(0, EventKind::write, 1));
  trace.push_back(make(0, EventKind::write, 7));
  trace.push_back(make(0, EventKind::release, 0));
  trace.push_back(make(1, EventKind::acquire, 0));
  trace.push_back(make(1, EventKind::release, 0));
  trace.push_back(make(1, EventKind::write, 7));
  return trace;
}

TEST(Proofs, WindowsGrowUntilOneSuffices) {
  const auto trace = far_back(1000);
  const Proof proof = prove({0, trace, {}}, {1001, 1005});
  EXPECT_EQ(proof.answer.verdict, Verdict::yes);
  EXPECT_EQ(proof.windows, 4u);  // 32, 128, 512, 2048
  EXPECT_EQ(proof.first_event, 0u);
}

TEST(Proofs, SaysWhyItStopped) {
  const auto trace = far_back(1000);
  EXPECT_EQ(prove({0, trace, {}}, {1001, 1005}, {.last_window = 512}).end, Proof::End::largest);
  const Proof small = prove({0, trace, {}}, {1001, 1005}, {.most_numbers = 500});
  EXPECT_EQ(small.end, Proof::End::memory);
  EXPECT_EQ(small.windows, 2u);
  EXPECT_EQ(small.answer.verdict, Verdict::no);
  EXPECT_EQ(prove({0, trace, {}}, {1001, 1005}, {.time = std::chrono::milliseconds(0)}).end,
            Proof::End::time);
}

}  // namespace
}  // namespace deadheat::solve::prove_tests
