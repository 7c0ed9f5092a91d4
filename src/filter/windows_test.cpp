#include "filter/windows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "filter/registry.h"
#include "filter/reservoir.h"

namespace deadheat::filter {
namespace {

TEST(WindowPlan, IsThatOfTheAlgorithm) {
  const auto plan = plan_windows({.eps = 0.01, .delta = 0.1}, 16, 1);
  EXPECT_EQ(plan.m, 66u);  // as 16 threads and one lock have in the paper's table
  EXPECT_EQ(plan.length, 26'400u);
  EXPECT_EQ(plan.count, 1727u);
  EXPECT_EQ(plan.shortest, 79'200u);
  EXPECT_EQ(plan_windows({.m = 8}, 16, 1).m, 8u);
}

TEST(Windows, AreMadeOneWhereTheyOverlap) {
  using W = std::vector<Window>;
  EXPECT_EQ(merge_windows({50, 0, 9}, 10), (W{{0, 19}, {50, 60}}));
  EXPECT_EQ(merge_windows({0, 10}, 10), (W{{0, 10}, {10, 20}}));  // these meet, but share nothing
  EXPECT_EQ(merge_windows({5, 5, 5}, 10), (W{{5, 15}}));
  EXPECT_EQ(merge_windows({}, 10), W{});
}

// Chi-square over ten parts, 9 degrees of freedom: above 33.7 in 1 of 10,000.
double unevenness(std::span<const std::uint64_t> begins, std::uint64_t places) {
  std::vector<double> parts(10);
  for (const std::uint64_t begin : begins) parts[begin * 10 / places] += 1;
  const double expected = static_cast<double>(begins.size()) / 10;
  double sum = 0;
  for (const double part : parts) sum += (part - expected) * (part - expected) / expected;
  return sum;
}

TEST(Windows, BeginAnywhereWithTheSameProbability) {
  WindowPlan plan{.m = 1, .length = 301, .count = 1};
  std::vector<std::uint64_t> begins;
  for (std::uint64_t seed = 0; seed < 50'000; ++seed)
    begins.push_back(draw_windows(plan, 1000, seed)[0].begin);
  EXPECT_EQ(*std::ranges::max_element(begins), 699u);
  EXPECT_EQ(*std::ranges::min_element(begins), 0u);
  EXPECT_LT(unevenness(begins, 700), 33.7);
}

TEST(Reservoir, WindowsBeginAnywhereWithTheSameProbabilityWheneverTheTraceEnds) {
  Reservoir reservoir(50'000, 7);
  for (const std::uint64_t n : {300u, 349u, 999u, 20'299u}) {
    while (reservoir.next() < n) reservoir.take();
    const auto begins = reservoir.begins(n, 300);
    EXPECT_EQ(begins.size(), 50'000u);
    const std::uint64_t places = n - 300 + 1;
    if (places >= 50) {
      EXPECT_LT(unevenness(begins, places), 33.7) << n;
    }
    EXPECT_LT(*std::ranges::max_element(begins), places);
    reservoir.forget(n, 300);
    EXPECT_EQ(reservoir.begins(n, 300), begins);
  }
}

// A slot adopts 1 + 1/2 + ... + 1/n windows of n events.
TEST(Reservoir, BeginsAsFewWindowsAsItMust) {
  Reservoir reservoir(100, 7);
  std::uint64_t windows = 0;
  std::uint64_t last = UINT64_MAX;
  while (reservoir.next() < 1'000'000) {
    EXPECT_NE(reservoir.next(), last);
    last = reservoir.next();
    reservoir.take();
    ++windows;
  }
  EXPECT_LT(windows, 100 * 1.2 * (std::log(1e6) + 0.58));
}

TEST(WindowsRow, RefusesWhatIsNotOfHappensBefore) {
  const auto choice = choose("rpt:eps=0.1", Role::sample);
  ASSERT_TRUE(choice);
  EXPECT_TRUE(choice->is_of_windows());
  for (const char* name : {"fasttrack", "djit", "fasttrack-tree", "null"})
    EXPECT_EQ(choice->row->refuses(*engine::find_row(name)), "") << name;
  for (const char* name : {"shb", "lockset", "eraser", "print"})
    EXPECT_NE(choice->row->refuses(*engine::find_row(name)), "") << name;
}

TEST(WindowsRow, TellsWhatIsWrongWithItsOptions) {
  for (const char* wrong : {"rpt:eps=0", "rpt:eps=2", "rpt:delta=1", "rpt:seed=x", "rpt:until=1", "rpt:k=5"})
    EXPECT_FALSE(choose(wrong, Role::sample)) << wrong;
  const auto choice = choose("rpt:until=0.95:budget=2.5", Role::sample);
  ASSERT_TRUE(choice);
  const auto options = choice->windows();
  ASSERT_TRUE(options);
  EXPECT_DOUBLE_EQ(options->budget_s, 2.5);
  EXPECT_NEAR(options->delta, 0.05, 1e-12);
}

}  // namespace
}  // namespace deadheat::filter
