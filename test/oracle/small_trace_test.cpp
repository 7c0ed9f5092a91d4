// What the small traces that everything is tried on are like.
#include "oracle/small_trace.h"

#include <gtest/gtest.h>

#include "oracle/locksets.h"
#include "oracle/shrink.h"

namespace deadheat::oracle::small_trace_tests {
namespace {

constexpr std::uint64_t kTraces = 2000;

// In how many of the traces this is so.
template <class Is>
std::uint64_t count(const SmallTraceOptions& options, Is is) {
  std::uint64_t n = 0;
  for (std::uint64_t seed = 0; seed < kTraces; ++seed) {
    const auto trace = small_trace(seed, options);
    n += is(Trace(trace)) ? 1 : 0;
  }
  return n;
}
template <class Is>
bool any_event(Trace trace, Is is) {
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (is(i)) return true;
  }
  return false;
}

TEST(SmallTraces, AreTheSameForTheSameSeed) {
  const auto options = SmallTraceOptions::all();
  EXPECT_EQ(small_trace(7, options), small_trace(7, options));
  EXPECT_NE(small_trace(7, options), small_trace(8, options));
}

TEST(SmallTraces, HaveEveryKindOfEventOften) {
  for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
    const auto has = [&](Trace trace) {
      return any_event(trace,
                       [&](std::size_t i) { return trace[i].op.kind == EventKind{std::uint8_t(kind)}; });
    };
    const auto event = static_cast<EventKind>(kind);
    const bool observes = is_gap(event) || is_failed_attempt(event);
    const auto& all = observes ? SmallTraceOptions::gaps() : SmallTraceOptions::all();
    EXPECT_GT(count(all, has), kTraces / 50) << name_of(event);
    const bool basic = SmallTraceOptions::basic().weights[kind] > 0;
    EXPECT_EQ(count(SmallTraceOptions::basic(), has) > kTraces / 10, basic);
  }
}

TEST(SmallTraces, TakeLocksInAllWays) {
  for (const auto& options : {SmallTraceOptions::basic(), SmallTraceOptions::all()}) {
    const auto acquires_lock = [](Trace trace, auto&& also) {
      return any_event(trace, [&](std::size_t i) {
        return trace[i].op.kind == EventKind::acquire && also(i, locks_held(trace, i));
      });
    };
    const auto nested = [&](Trace t) {
      return acquires_lock(t, [](std::size_t, const Lockset& held) { return held.size() >= 1; });
    };
    const auto re_entered = [&](Trace t) {
      return acquires_lock(t, [&](std::size_t i, const Lockset& held) { return held.contains(t[i].object); });
    };
    // Of two locks held the one taken first is released first.
    const auto hand_over_hand = [](Trace t) {
      return any_event(t, [&](std::size_t i) {
        if (t[i].op.kind != EventKind::release || locks_held(t, i).size() < 2) return false;
        for (std::size_t k = i; k-- > 0;) {
          if (t[k].thread != t[i].thread || !is_of_lock(t[k].op.kind)) continue;
          return t[k].op.kind == EventKind::acquire && t[k].object != t[i].object;
        }
        return false;
      });
    };
    const auto open = [](Trace t) {
      return any_event(t, [&](std::size_t i) {
        const auto last = [&](std::size_t k) { return k > i && t[k].thread == t[i].thread; };
        return !any_event(t, last) && !locks_held(t, i).empty();
      });
    };
    const auto fork_inside = [](Trace t) {
      return any_event(
          t, [&](std::size_t i) { return t[i].op.kind == EventKind::fork && !locks_held(t, i).empty(); });
    };
    EXPECT_GT(count(options, nested), kTraces / 10);
    EXPECT_GT(count(options, re_entered), kTraces / 50);
    EXPECT_GT(count(options, hand_over_hand), kTraces / 50);
    EXPECT_GT(count(options, open), kTraces / 10);
    EXPECT_GT(count(options, fork_inside), kTraces / 50);
    auto careful = options;
    careful.nested_locks = true;
    careful.forks_inside = false;
    EXPECT_EQ(count(careful, hand_over_hand) + count(careful, fork_inside), 0u);
  }
}

TEST(SmallTraces, ReadBeforeAnyWriteAndAcrossVariables) {
  const auto early = [](Trace t) {
    return any_event(
        t, [&](std::size_t i) { return reads(t[i].op.kind) && !last_set(t, i, bytes_of(t[i]).first); });
  };
  const auto across = [](Trace t) {
    return any_event(t, [&](std::size_t i) { return is_access(t[i].op.kind) && cells(t[i].op) > 1; });
  };
  EXPECT_GT(count(SmallTraceOptions::basic(), early), kTraces / 4);
  EXPECT_GT(count(SmallTraceOptions::all(), early), kTraces / 4);
  EXPECT_GT(count(SmallTraceOptions::all(), across), kTraces / 10);
  EXPECT_EQ(count(SmallTraceOptions::basic(), across), 0u);
}

TEST(Shrinking, LeavesWhatTheFailureNeeds) {
  const auto racy = [](Trace t) { return !hb_order(t).unordered().empty(); };
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto trace = small_trace(seed, SmallTraceOptions::all());
    if (!racy(trace)) continue;
    const auto small = shrink(trace, racy);
    EXPECT_EQ(small.size(), 2u) << as_text(small);
  }
}

TEST(Shrinking, ToldAsTextATraceCanBeReadAgain) {
  auto options = SmallTraceOptions::all();
  options.across = false;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto trace = small_trace(seed, options);
    const auto again = test::read_text(as_text(trace));
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_EQ(again->events.size(), trace.size());
    for (std::size_t i = 0; i < trace.size(); ++i) {
      EXPECT_EQ(again->events[i].op.kind, trace[i].op.kind);
      EXPECT_EQ(again->events[i].op.value, trace[i].op.value);
      EXPECT_EQ(again->named[i].location, std::to_string(index(trace[i].op.site)));
    }
  }
}

TEST(Shrinking, WhatTextCannotSayIsToldInWords) {
  const std::vector<Event> trace = {{ThreadId{0}, {.kind = EventKind::write, .offset = 4, .value = 8}, 3}};
  EXPECT_NE(as_text(trace).find("event 1 covers 8 bytes from 4"), std::string::npos) << as_text(trace);
}

}  // namespace
}  // namespace deadheat::oracle::small_trace_tests
