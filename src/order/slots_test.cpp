#include "order/slots.h"

#include <gtest/gtest.h>

namespace deadheat::order {
namespace {

constexpr auto kNothing = [](clock::Epoch) { return false; };
constexpr auto kAll = [](clock::Epoch) { return true; };

TEST(Slots, AThreadGetsTheOneThatEndedLast) {
  Slots slots;
  slots.reserve(4);
  EXPECT_FALSE(slots.all_there());
  for (std::uint32_t t = 0; t < 3; ++t) slots.give_new(ThreadId{t}, 1 + t);
  slots.end(ThreadId{2}, 10);
  slots.end(ThreadId{1}, 11);
  EXPECT_EQ(slots.give_any(ThreadId{3}, 12, kAll).slot, 1u);
  EXPECT_TRUE(slots.all_there());
  EXPECT_TRUE(slots.owns(ThreadId{3}));
  EXPECT_FALSE(slots.owns(ThreadId{1}));
  EXPECT_TRUE(slots.owns(ThreadId{2}));
  EXPECT_EQ(slots.count(), 3u);
}

TEST(Slots, AThreadGetsOneOfWhichTheEndIsKnownElseANewOne) {
  Slots slots;
  slots.reserve(5);
  for (std::uint32_t t = 0; t < 3; ++t) slots.give_new(ThreadId{t}, 1 + t);
  for (std::uint32_t t = 0; t < 3; ++t) slots.end(ThreadId{t}, 10 + t);
  const auto only_first = [](clock::Epoch e) { return e == clock::Epoch(ThreadId{0}, 10); };
  EXPECT_EQ(slots.give_any(ThreadId{3}, 20, only_first).slot, 0u);
  EXPECT_EQ(slots.give_any(ThreadId{4}, 21, only_first).slot, 3u);
  slots.reserve(6);
  EXPECT_EQ(slots.give_any(ThreadId{5}, 22, kNothing).slot, 4u);
}

TEST(Owners, AreFoundByTime) {
  Owners owners;
  owners.add({1, ThreadId{7}, 3});
  owners.add({1, ThreadId{9}, 20});
  owners.add({0, ThreadId{8}, 5});
  EXPECT_EQ(owners.of(clock::Epoch(ThreadId{1}, 3)), ThreadId{7});
  EXPECT_EQ(owners.of(clock::Epoch(ThreadId{1}, 19)), ThreadId{7});
  EXPECT_EQ(owners.of(clock::Epoch(ThreadId{1}, 20)), ThreadId{9});
  EXPECT_EQ(owners.of(clock::Epoch(ThreadId{0}, 99)), ThreadId{8});
}

}  // namespace
}  // namespace deadheat::order
