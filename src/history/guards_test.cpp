#include "history/guards.h"

#include <gtest/gtest.h>

#include <vector>

namespace deadheat::history {
namespace {

class GuardsTest : public testing::Test {
 protected:
  GuardsTest() : times_(8) { guards_.reserve(100); }

  order::LocksetId locks(std::initializer_list<std::uint32_t> ids,
                         order::Locksets::Mode mode = order::Locksets::exclusive) {
    order::LocksetId set = order::LocksetId::empty;
    for (const std::uint32_t l : ids) set = sets_.with(set, LockId{l}, mode);
    return set;
  }
  // Whether the access, the next event, is protected.
  bool access(std::uint32_t t, EventKind kind, order::LocksetId held) {
    ++now_;
    const Access a{ThreadId{t}, now_, 5, 0xFF, kind, SiteId{1}};
    const bool is = guards_.protect(a, {times_.data(), held, 0}, [&] { return untouched_; });
    untouched_ = false;
    return is;
  }
  bool write(std::uint32_t t, order::LocksetId held) { return access(t, EventKind::write, held); }
  bool read(std::uint32_t t, order::LocksetId held) { return access(t, EventKind::read, held); }

  order::Locksets sets_;
  Guards guards_{sets_};
  std::vector<clock::Time> times_;  // what every thread knows
  clock::Time now_ = 0;
  bool untouched_ = true;
};

TEST_F(GuardsTest, ALockThatAllHoldProtects) {
  EXPECT_TRUE(write(0, locks({1, 2})));
  EXPECT_TRUE(write(1, locks({2, 3})));
  EXPECT_TRUE(read(2, locks({2})));
  EXPECT_FALSE(write(0, locks({1})));  // it holds none of those left
}

TEST_F(GuardsTest, ReadersMayHoldItAsReaders) {
  EXPECT_TRUE(write(0, locks({1})));
  EXPECT_TRUE(read(1, locks({1}, order::Locksets::shared)));
  EXPECT_TRUE(write(0, locks({1})));
  EXPECT_FALSE(write(1, locks({1}, order::Locksets::shared)));
}

TEST_F(GuardsTest, WhatIsOrderedBeforeNeedHoldNothing) {
  EXPECT_FALSE(write(0, locks({})));
  EXPECT_FALSE(write(0, locks({})));
  EXPECT_FALSE(write(1, locks({1})));  // it does not know of these
  times_[0] = 2;
  EXPECT_TRUE(write(1, locks({1})));
  EXPECT_TRUE(write(2, locks({1})));
}

TEST_F(GuardsTest, ExceptionsThatAreNotOrderedEndIt) {
  EXPECT_FALSE(write(0, locks({})));
  EXPECT_FALSE(write(1, locks({})));
  times_[0] = times_[1] = 2;
  EXPECT_FALSE(write(2, locks({1})));
  guards_.forget(5);
  untouched_ = true;
  EXPECT_TRUE(write(2, locks({1})));
}

TEST_F(GuardsTest, NothingIsSaidOfACellThatWasTouchedBefore) {
  untouched_ = false;
  EXPECT_FALSE(write(0, locks({1})));
  EXPECT_FALSE(write(0, locks({1})));
}

}  // namespace
}  // namespace deadheat::history
