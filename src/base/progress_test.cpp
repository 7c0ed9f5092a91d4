#include "base/progress.h"

#include <gtest/gtest.h>

#include <vector>

namespace deadheat::base {
namespace {

using namespace std::chrono_literals;

class ProgressTest : public testing::Test {
 protected:
  ProgressLine::Clock clock() {
    return [this] { return now_; };
  }
  ProgressLine::Write terminal() {
    return [this](std::string_view text) { written_.emplace_back(text); };
  }

  std::chrono::nanoseconds now_ = 5h;  // the start of a clock means nothing
  std::vector<std::string> written_;
};

TEST_F(ProgressTest, IsSilentForTheFirstSecond) {
  ProgressLine line("convert", "events", clock(), terminal());
  line.update(1, 1, 2);
  now_ += 999ms;
  line.update(2, 1, 2);
  line.clear();
  EXPECT_TRUE(written_.empty());
}

TEST_F(ProgressTest, ShowsShareCountRateAndRest) {
  ProgressLine line("convert", "events", clock(), terminal());
  now_ += 6s;
  line.update(144'600'000, 43, 100);
  ASSERT_EQ(written_.size(), 1u);
  EXPECT_EQ(written_[0], "\r\033[Kconvert  43 %  145 M events  24.1 M/s  ETA 0:08");
}

TEST_F(ProgressTest, ShowsNoShareWhereTheWholeIsNotKnown) {
  ProgressLine line("convert", "events", clock(), terminal());
  now_ += 2s;
  line.update(4000, 17, 0);
  EXPECT_EQ(written_.at(0), "\r\033[Kconvert  4.0 k events  2.0 k/s");
}

TEST_F(ProgressTest, ShowsNoRestBeforeThereIsAShare) {
  ProgressLine line("convert", "events", clock(), terminal());
  now_ += 2s;
  line.update(0, 0, UINT64_MAX);
  now_ += 2s;
  line.update(0, 1, UINT64_MAX);
  EXPECT_EQ(written_.at(0), "\r\033[Kconvert  0 %  0 events  0/s");
  EXPECT_EQ(written_.at(1), "\r\033[Kconvert  0 %  0 events  0/s");
}

TEST_F(ProgressTest, NeverClaimsToBeDone) {
  ProgressLine line("convert", "events", clock(), terminal());
  now_ += 2s;
  line.update(10, 300, 100);
  EXPECT_EQ(written_.at(0), "\r\033[Kconvert  99 %  10 events  5/s  ETA 0:00");
}

TEST_F(ProgressTest, IsRenewedTenTimesASecond) {
  ProgressLine line("convert", "events", clock(), terminal());
  for (int i = 0; i < 3000; ++i) {
    line.update(1, 1, 2);
    now_ += 1ms;
  }
  EXPECT_EQ(written_.size(), 20u);
}

TEST_F(ProgressTest, LeavesNothingBehind) {
  {
    ProgressLine line("convert", "events", clock(), terminal());
    now_ += 2s;
    line.update(1, 1, 2);
    line.clear();
    EXPECT_EQ(written_.back(), "\r\033[K");
    EXPECT_EQ(written_.size(), 2u);
    now_ += 1s;
    line.update(1, 1, 2);
  }
  EXPECT_EQ(written_.size(), 4u);
  EXPECT_EQ(written_.back(), "\r\033[K");
}

TEST_F(ProgressTest, WithoutATerminalThereIsNothing) {
  ProgressLine line("convert", "events", nullptr, terminal());
  now_ += 2s;
  line.update(1, 1, 2);
  EXPECT_TRUE(written_.empty());
}

}  // namespace
}  // namespace deadheat::base
