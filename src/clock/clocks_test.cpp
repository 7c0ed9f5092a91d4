// All kinds of clocks do the same: compared with plain maps from threads to times.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <vector>

#include "clock/copied_clocks.h"
#include "clock/flat_clocks.h"
#include "clock/fresh_clocks.h"
#include "clock/heap.h"
#include "clock/interned_clocks.h"
#include "clock/ordered_list.h"
#include "clock/tree_clocks.h"
#include "clock/versioned_clocks.h"

namespace deadheat::clock {
namespace {

constexpr std::uint32_t kThreads = 12, kMessages = 5;

using Plain = std::map<std::uint32_t, Time>;

Plain joined(Plain a, const Plain& b) {
  for (const auto& [t, time] : b) a[t] = std::max(a[t], time);
  return a;
}

// Clocks of samples pass time on only behind something of the sample: here, all is.
template <class Own>
Own& sampled(Own& own, Time now) {
  if constexpr (requires { own.time.sampled; }) own.time.sampled = now;
  return own;
}

// Threads that join and publish as they like. Own entries are not compared: of itself a thread knows all.
template <class Clocks>
class Same {
 public:
  explicit Same(Clocks& clocks)
      : clocks_(clocks), own_(kThreads), plain_(kThreads), messages_(kMessages), plain_messages_(kMessages) {
    clocks_.reserve(kThreads + 1);
    for (std::uint32_t t = 0; t < kThreads; ++t) clocks_.start(own_[t], ThreadId{t});
  }
  void step() {
    const auto draw = [](std::uint32_t n) { return *rc::gen::inRange<std::uint32_t>(0, n); };
    const std::uint32_t t = draw(kThreads), m = draw(kMessages), other = draw(kMessages);
    ++now_;
    Plain mine = plain_[t];
    mine[t] = now_;
    switch (draw(8)) {
      case 0:
      case 1:
      case 2:
        clocks_.join(own_[t], ThreadId{t}, now_, messages_[m]);
        plain_[t] = joined(plain_[t], plain_messages_[m]);
        break;
      case 3:
      case 4:
        clocks_.assign(messages_[m], sampled(own_[t], now_), ThreadId{t}, now_);
        plain_messages_[m] = mine;
        break;
      case 5:
        clocks_.add(messages_[m], sampled(own_[t], now_), ThreadId{t}, now_);
        plain_messages_[m] = joined(plain_messages_[m], mine);
        break;
      case 6:
        clocks_.add(messages_[m], messages_[other]);
        plain_messages_[m] = joined(plain_messages_[m], plain_messages_[other]);
        break;
      default:
        if (draw(4) == 0) {
          clocks_.clear(messages_[m]);
          plain_messages_[m].clear();
        } else if (m != other) {
          clocks_.assign(messages_[m], messages_[other]);
          plain_messages_[m] = plain_messages_[other];
        }
    }
  }
  bool holds() {
    for (std::uint32_t m = 0; m < kMessages; ++m) {
      if (!says(messages_[m], plain_messages_[m])) return false;
    }
    for (std::uint32_t t = 0; t < kThreads; ++t) {
      for (std::uint32_t u = 0; u < kThreads; ++u) {
        const auto known = plain_[t].find(u);
        if (u != t && Clocks::get(own_[t], ThreadId{u}) != (known == plain_[t].end() ? 0 : known->second))
          return false;
      }
    }
    return true;
  }

 private:
  // What one who knows nothing learns from the message.
  bool says(const typename Clocks::Message& message, const Plain& plain) {
    typename Clocks::Own learns;
    clocks_.start(learns, ThreadId{kThreads});
    clocks_.join(learns, ThreadId{kThreads}, now_, message);
    bool same = true;
    for (std::uint32_t u = 0; u < kThreads; ++u) {
      const auto known = plain.find(u);
      same &= Clocks::get(learns, ThreadId{u}) == (known == plain.end() ? 0 : known->second);
    }
    clocks_.bury(learns);
    return same;
  }

  Clocks& clocks_;
  Time now_ = 0;
  std::vector<typename Clocks::Own> own_;
  std::vector<Plain> plain_;
  std::vector<typename Clocks::Message> messages_;
  std::vector<Plain> plain_messages_;
};

template <class Clocks>
class Clock : public testing::Test {};
using Kinds = testing::Types<FlatClocks, TreeClocks, CopiedClocks<Heap>, FreshClocks<Heap>,
                             VersionedClocks<OrderedList, Heap>, VersionedClocks<TimeVector, Heap>,
                             InternedClocks<Heap>, InternedClocks<Heap, 2, 2>>;
TYPED_TEST_SUITE(Clock, Kinds);

TYPED_TEST(Clock, KnowsWhatPlainMapsKnow) {
  EXPECT_TRUE(rc::check([] {
    TypeParam clocks(1);
    Same<TypeParam> same(clocks);
    const int steps = *rc::gen::inRange(1, 120);
    for (int i = 0; i < steps; ++i) {
      same.step();
      RC_ASSERT(same.holds());
    }
  }));
}

// A tree must not take the first of several for all that was learnt at one time.
TYPED_TEST(Clock, TellsAllOfASumThatWasLearntRightBehindARelease) {
  TypeParam clocks(1);
  std::vector<typename TypeParam::Own> own(4);
  for (std::uint32_t t = 0; t < own.size(); ++t) clocks.start(own[t], ThreadId{t});
  typename TypeParam::Message sum, known, released;
  clocks.add(sum, sampled(own[1], 1), ThreadId{1}, 1);
  clocks.add(sum, sampled(own[2], 2), ThreadId{2}, 2);
  clocks.assign(known, own[2], ThreadId{2}, 2);
  clocks.join(own[3], ThreadId{3}, 3, known);
  clocks.assign(released, own[0], ThreadId{0}, 4);
  clocks.join(own[3], ThreadId{3}, 5, released);
  clocks.join(own[0], ThreadId{0}, 5, sum);
  clocks.assign(released, own[0], ThreadId{0}, 6);
  clocks.join(own[3], ThreadId{3}, 7, released);
  EXPECT_EQ(TypeParam::get(own[3], ThreadId{1}), 1u);
  EXPECT_EQ(TypeParam::get(own[3], ThreadId{2}), 2u);
}

TEST(FlatClocks, WhatIsOutOfUseIsUsedAgain) {
  FlatClocks clocks(2);
  FlatClocks::Own a, b;
  clocks.start(a, ThreadId{0});
  clocks.start(b, ThreadId{1});
  FlatClocks::Message message;
  std::size_t after_some = 0;
  for (Time now = 1; now < 1000; now += 4) {
    clocks.begin(now / 4 % 2);
    clocks.assign(message, a, ThreadId{0}, now);
    clocks.join(b, ThreadId{1}, now + 1, message);
    clocks.assign(message, b, ThreadId{1}, now + 2);
    clocks.join(a, ThreadId{0}, now + 3, message);
    if (now > 40 && after_some == 0) after_some = clocks.bytes();
  }
  EXPECT_EQ(clocks.bytes(), after_some);
}

TEST(InternedClocks, WhatIsOutOfUseIsUsedAgain) {
  InternedClocks<Heap, 8, 8> clocks(1);
  InternedClocks<Heap, 8, 8>::Own a, b;
  clocks.start(a, ThreadId{0});
  clocks.start(b, ThreadId{1});
  InternedClocks<Heap, 8, 8>::Message message;
  std::size_t after_some = 0;
  for (Time now = 1; now < 1000; now += 4) {
    clocks.assign(message, sampled(a, now), ThreadId{0}, now);
    clocks.join(b, ThreadId{1}, now + 1, message);
    clocks.add(message, sampled(b, now + 2), ThreadId{1}, now + 2);
    clocks.join(a, ThreadId{0}, now + 3, message);
    if (now > 400 && after_some == 0) after_some = clocks.bytes();
  }
  EXPECT_EQ(clocks.bytes(), after_some);
}

// Thread 1 joins what thread 0 said, in the blocks of slot 0 and 1.
struct TwoJoins {
  explicit TwoJoins(std::uint32_t slots) : clocks(slots) {
    clocks.start(a, ThreadId{0});
    clocks.start(b, ThreadId{1});
    clocks.begin(0);
    before = b.times();
    join(7);
    clocks.begin(1);
  }
  void join(Time time) {
    clocks.assign(message, a, ThreadId{0}, time);
    clocks.join(b, ThreadId{1}, time + 1, message);
    EXPECT_EQ(b.times()[0], time);
  }

  FlatClocks clocks;
  FlatClocks::Own a, b;
  FlatClocks::Message message;
  const Time* before = nullptr;  // of thread 1
};

TEST(FlatClocks, WhatAJoinReplacesStaysUntilItsSlotComesAgain) {
  TwoJoins joins(2);
  joins.join(9);
  EXPECT_EQ(joins.before[0], 0u);
}

TEST(FlatClocks, WhatIsCheckedIsUsedAgainBeforeItsSlotComesAgain) {
  TwoJoins joins(3);
  joins.clocks.checked(0);
  joins.join(9);
  EXPECT_EQ(joins.b.times(), joins.before);
}

TEST(FlatClocks, NarrowVectorsGiveTheirMemoryBack) {
  FlatClocks clocks(1);
  constexpr std::uint32_t kMany = 3000;  // of several chunks
  FlatClocks::Own own;
  clocks.start(own, ThreadId{0});
  std::vector<FlatClocks::Message> narrow(kMany), wide(kMany);
  const auto fill = [&](std::vector<FlatClocks::Message>& messages, Time from) {
    FlatClocks::Message news;
    for (std::uint32_t i = 0; i < kMany; ++i) {
      FlatClocks::Own other;
      clocks.start(other, ThreadId{1});
      clocks.assign(news, other, ThreadId{1}, from + i);
      clocks.join(own, ThreadId{0}, from + i, news);
      clocks.assign(messages[i], own, ThreadId{0}, from + i);
      clocks.bury(other);
    }
    clocks.clear(news);
  };
  fill(narrow, 1);
  const std::size_t of_narrow = clocks.bytes();
  ASSERT_TRUE(clocks.reserve(1000));
  clocks.widen(own);
  fill(wide, 1 + kMany);
  EXPECT_EQ(narrow[5].vector->times()[1], 6u);
  const std::size_t of_both = clocks.bytes();
  for (FlatClocks::Message& message : narrow) clocks.clear(message);
  clocks.begin(0);
  EXPECT_EQ(clocks.bytes(), of_both - of_narrow);
  EXPECT_EQ(wide[5].vector->times()[1], 6u + kMany);
}

TEST(FlatClocks, BecomesWiderWithoutForgetting) {
  FlatClocks clocks(1);
  FlatClocks::Own a, b;
  clocks.start(a, ThreadId{0});
  clocks.start(b, ThreadId{1});
  FlatClocks::Message message;
  clocks.assign(message, a, ThreadId{0}, 3);
  ASSERT_TRUE(clocks.reserve(100));
  clocks.widen(a);
  clocks.widen(b);
  FlatClocks::Own late;
  clocks.start(late, ThreadId{99});
  clocks.join(late, ThreadId{99}, 4, message);  // from when there were fewer
  EXPECT_EQ(FlatClocks::get(late, ThreadId{0}), 3u);
  clocks.assign(message, late, ThreadId{99}, 5);
  clocks.join(b, ThreadId{1}, 6, message);
  EXPECT_EQ(FlatClocks::get(b, ThreadId{99}), 5u);
  EXPECT_EQ(FlatClocks::get(b, ThreadId{0}), 3u);
}

}  // namespace
}  // namespace deadheat::clock
