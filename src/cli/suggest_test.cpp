#include "cli/suggest.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>

namespace deadheat::cli {
namespace {

constexpr std::array<std::string_view, 4> kKnown = {"check", "convert", "repair", "stat"};

TEST(Suggest, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("convert", "convert"), 0u);
  EXPECT_EQ(edit_distance("convret", "convert"), 1u);  // neighbours swapped
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Suggest, DistanceIsSymmetricAndBounded) {
  EXPECT_TRUE(rc::check([](const std::string& a, const std::string& b) {
    const std::size_t distance = edit_distance(a, b);
    RC_ASSERT(distance == edit_distance(b, a));
    RC_ASSERT(distance <= std::max(a.size(), b.size()));
    RC_ASSERT((distance == 0) == (a == b));
  }));
}

TEST(Suggest, FindsWhatWasMeant) {
  EXPECT_EQ(did_you_mean("chekc", kKnown), "did you mean 'check'? ");
  EXPECT_EQ(did_you_mean("conv", kKnown), "did you mean 'convert'? ");
  EXPECT_EQ(did_you_mean("stats", kKnown), "did you mean 'stat'? ");
}

TEST(Suggest, IsSilentWhereNothingIsNear) {
  EXPECT_EQ(did_you_mean("x", kKnown), "");
  EXPECT_EQ(did_you_mean("analyze", kKnown), "");
  EXPECT_EQ(did_you_mean("", kKnown), "");
  EXPECT_EQ(did_you_mean(std::string(100'000, 'c'), kKnown), "");
}

}  // namespace
}  // namespace deadheat::cli
