#include "clock/ordered_list.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "clock/heap.h"

namespace deadheat::clock {
namespace {

using Entries = std::vector<std::pair<std::uint32_t, Time>>;

class OrderedListTest : public testing::Test {
 public:
  OrderedList* make(std::uint32_t width) {
    auto* const list = static_cast<OrderedList*>(heap_.get(OrderedList::bytes_of(width)));
    list->start(width);
    return list;
  }
  static Entries last_changed(const OrderedList& list, std::uint64_t news, const OrderedList& than) {
    Entries entries;
    list.walk(news, than, [&](std::uint32_t u, Time time) { entries.emplace_back(u, time); });
    return entries;
  }

 private:
  Heap heap_;
};

// Figure 4 of the paper.
TEST_F(OrderedListTest, AnEntryThatIsSetGoesToTheHead) {
  OrderedList& list = *make(64);
  const OrderedList& nothing = *make(64);
  for (const auto& [u, time] : Entries{{4, 0}, {3, 8}, {5, 1}, {2, 20}, {1, 6}}) {
    if (time != 0) list.set(u, time);
  }
  EXPECT_EQ(last_changed(list, 4, nothing), (Entries{{1, 6}, {2, 20}, {5, 1}, {3, 8}}));
  list.set(4, 6);
  list.set(1, 7);
  EXPECT_EQ(last_changed(list, 3, nothing), (Entries{{1, 7}, {4, 6}, {2, 20}}));
  list.set(3, 9);
  EXPECT_EQ(last_changed(list, 5, nothing), (Entries{{3, 9}, {1, 7}, {4, 6}, {2, 20}, {5, 1}}));
  EXPECT_EQ(list.count(), 5u);
  EXPECT_EQ(list.get(2), 20u);
  EXPECT_EQ(list.get(9), 0u);
}

TEST_F(OrderedListTest, WhereManyMayBeNewsThoseThatAreAreFound) {
  OrderedList &list = *make(64), &than = *make(64);
  for (std::uint32_t u = 0; u < 64; ++u) list.set(u, 100 + u);
  for (std::uint32_t u = 0; u < 64; ++u) than.set(u, u % 20 == 3 ? 50 : 1000);
  EXPECT_EQ(last_changed(list, 64, than), (Entries{{3, 103}, {23, 123}, {43, 143}, {63, 163}}));
}

TEST_F(OrderedListTest, ACopyThatIsWiderHasTheSameOrder) {
  OrderedList& list = *make(32);
  list.set(7, 1);
  list.set(31, 2);
  list.set(7, 3);
  OrderedList& wide = *make(64);
  wide.copy(list, 64);
  EXPECT_EQ(last_changed(wide, 2, *make(64)), (Entries{{7, 3}, {31, 2}}));
  wide.set(63, 4);
  EXPECT_EQ(last_changed(wide, 3, *make(64)), (Entries{{63, 4}, {7, 3}, {31, 2}}));
  EXPECT_EQ(list.count(), 2u);
}

}  // namespace
}  // namespace deadheat::clock
