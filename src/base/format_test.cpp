#include "base/format.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace deadheat::base {
namespace {

using namespace std::chrono_literals;

TEST(Format, GroupsThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(Format, GroupingLosesNoDigit) {
  EXPECT_TRUE(rc::check([](std::uint64_t count) {
    std::string digits = grouped(count);
    std::erase(digits, ',');
    RC_ASSERT(digits == std::to_string(count));
  }));
}

TEST(Format, ShortensCounts) {
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(-1), "0");
  EXPECT_EQ(short_count(999), "999");
  EXPECT_EQ(short_count(1000), "1.0 k");
  EXPECT_EQ(short_count(12'345'678), "12.3 M");
  EXPECT_EQ(short_count(123'456'789), "123 M");
  EXPECT_EQ(short_count(999'999), "1.0 M");
  EXPECT_EQ(short_count(1.8e19), "18.0 E");
}

TEST(Format, ShowsBytes) {
  EXPECT_EQ(byte_count(0), "0 bytes");
  EXPECT_EQ(byte_count(1), "1 byte");
  EXPECT_EQ(byte_count(1023), "1023 bytes");
  EXPECT_EQ(byte_count(1024), "1.0 KiB");
  EXPECT_EQ(byte_count(12'900'000), "12.3 MiB");
  EXPECT_EQ(byte_count(UINT64_MAX), "16.0 EiB");
}

TEST(Format, ShowsTimes) {
  EXPECT_EQ(minutes(-5s), "0:00");
  EXPECT_EQ(minutes(7s), "0:07");
  EXPECT_EQ(minutes(59'600ms), "1:00");
  EXPECT_EQ(minutes(3723s), "1:02:03");
}

TEST(Format, CountsThings) {
  EXPECT_EQ(counted(0, "event"), "0 events");
  EXPECT_EQ(counted(1, "event"), "1 event");
  EXPECT_EQ(counted(2000, "event"), "2,000 events");
}

}  // namespace
}  // namespace deadheat::base
