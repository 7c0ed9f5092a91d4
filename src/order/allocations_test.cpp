#include "order/allocations.h"

#include <gtest/gtest.h>

#include "clock/flat_clocks.h"

namespace deadheat::order {
namespace {

// Three threads; what each of them knows of the others.
class AllocationsTest : public testing::Test {
 protected:
  AllocationsTest() {
    clocks_.begin(0);
    for (std::uint32_t t = 0; t < 3; ++t) clocks_.start(own_[t], ThreadId{t});
  }
  void alloc(std::uint32_t t, std::uint64_t begin, std::uint64_t end) {
    allocations_.alloc(own_[t], ThreadId{t}, ++time_, begin, end, [] {});
  }
  void free(std::uint32_t t, std::uint64_t begin, std::uint64_t end) {
    allocations_.free(own_[t], ThreadId{t}, ++time_, begin, end);
  }
  // What thread t knows of u after it has read the byte.
  clock::Time read(std::uint32_t t, std::uint64_t byte, std::uint32_t u) {
    allocations_.read(own_[t], ThreadId{t}, ++time_, byte);
    return clock::FlatClocks::get(own_[t], ThreadId{u});
  }

  clock::FlatClocks clocks_{1};
  Allocations<clock::FlatClocks> allocations_{clocks_};
  clock::FlatClocks::Own own_[3];
  clock::Time time_ = 0;
};

TEST_F(AllocationsTest, AnAllocOfTheFrontLeavesWhatIsBehindIt) {
  free(0, 10, 30);
  alloc(1, 10, 20);
  EXPECT_EQ(read(2, 19, 1), 2u);
  EXPECT_EQ(read(2, 20, 0), 1u);
}

TEST_F(AllocationsTest, OfBytesBehindWhatIsAllocatedOnlyTheirOwnPastIsKnown) {
  free(0, 10, 30);
  alloc(1, 10, 20);
  EXPECT_EQ(read(2, 29, 0), 1u);
  EXPECT_EQ(read(2, 29, 1), 0u);
  EXPECT_EQ(read(2, 30, 1), 0u);
}

TEST_F(AllocationsTest, AnAllocInTheMiddleLeavesBothSides) {
  alloc(0, 10, 40);
  alloc(1, 20, 30);
  EXPECT_EQ(read(2, 19, 1), 0u);
  EXPECT_EQ(read(2, 30, 1), 0u);
  EXPECT_EQ(read(2, 19, 0), 1u);
  EXPECT_EQ(read(2, 20, 1), 2u);
}

TEST_F(AllocationsTest, AnAllocComesAfterAllFreesOfItsBytesAndAReadAfterTheLast) {
  free(0, 0, 10);
  free(1, 0, 10);
  EXPECT_EQ(read(2, 5, 1), 2u);
  EXPECT_EQ(read(2, 5, 0), 0u);
  alloc(2, 9, 12);
  EXPECT_EQ(clock::FlatClocks::get(own_[2], ThreadId{0}), 1u);
}

}  // namespace
}  // namespace deadheat::order
