#include "report/suppressions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scratch.h"

namespace deadheat::report {
namespace {

using testing::HasSubstr;

Place place(std::string file, std::string function) {
  return {.text = file + ":7 (" + function + ")", .file = file, .function = function, .line = 7};
}

Race race() {
  Race race;
  race.variable = "balance";
  race.earlier.stack = {place("bank.c", "charge_fee"), place("teller.c", "work")};
  race.earlier.place = race.earlier.stack[0];
  race.later.stack = {place("bank.c", "deposit")};
  race.later.place = race.later.stack[0];
  return race;
}

bool hits(std::string_view line) {
  Suppressions suppressions;
  EXPECT_TRUE(suppressions.parse(line, "known.supp").has_value());
  return suppressions.hit(race()) != nullptr;
}

std::string refusal(std::string_view text) {
  Suppressions suppressions;
  const auto parsed = suppressions.parse(text, "known.supp");
  return parsed ? "" : parsed.error().message;
}

TEST(Suppressions, OfRaceHitAnyFrameFileOrVariable) {
  EXPECT_TRUE(hits("race:charge_fee"));
  EXPECT_TRUE(hits("race:^deposit$"));
  EXPECT_TRUE(hits("race:^work$"));
  EXPECT_TRUE(hits("race:teller.c"));
  EXPECT_TRUE(hits("race:^balance$"));
  EXPECT_FALSE(hits("race:withdraw"));
}

TEST(Suppressions, OfRaceTopHitTheAccessesAlone) {
  EXPECT_TRUE(hits("race_top:charge_fee"));
  EXPECT_TRUE(hits("race_top:^deposit$"));
  EXPECT_FALSE(hits("race_top:^work$"));
  EXPECT_FALSE(hits("race_top:balance"));
}

TEST(Suppressions, AreTrimmedAndHaveRemarks) {
  EXPECT_TRUE(hits("# race:nothing\n\n  race:charge_fee \t\r\n"));
  EXPECT_FALSE(hits("# race:charge_fee"));
  EXPECT_FALSE(hits(""));
}

TEST(Suppressions, AreCountedByLine) {
  Suppressions suppressions;
  ASSERT_TRUE(suppressions.parse("race:other\nrace:charge_fee\nrace:deposit\n", "known.supp").has_value());
  EXPECT_NE(suppressions.hit(race()), nullptr);
  EXPECT_NE(suppressions.hit(race()), nullptr);
  ASSERT_EQ(suppressions.used().size(), 1u);
  EXPECT_EQ(suppressions.used()[0].line, 2u);
  EXPECT_EQ(suppressions.used()[0].races, 2u);
  EXPECT_EQ(suppressions.used()[0].text, "race:charge_fee");
  suppressions.start_counting();
  EXPECT_TRUE(suppressions.used().empty());
}

TEST(Suppressions, OfOtherTypesAreSaidToHaveNoEffect) {
  Suppressions suppressions;
  ASSERT_TRUE(suppressions.parse("mutex:a\nthread:b\nmutex:c\ndeadlock:d\nsignal:e\ncalled_from_lib:f\n", "f")
                  .has_value());
  EXPECT_EQ(suppressions.size(), 0u);
  ASSERT_EQ(suppressions.warnings().size(), 5u);
  EXPECT_THAT(suppressions.warnings()[0].message, HasSubstr("mutex"));
  EXPECT_EQ(suppressions.warnings()[0].count, 2u);
}

TEST(Suppressions, ThatCannotBeReadAreErrorsWithTheirLine) {
  EXPECT_THAT(refusal("race:a\nrace b\n"), HasSubstr("known.supp:2: cannot read suppression \"race b\""));
  EXPECT_THAT(refusal("rase:b"), HasSubstr("unknown type 'rase'"));
  EXPECT_THAT(refusal("race:"), HasSubstr("known.supp:1"));
  EXPECT_THAT(refusal("race:"), HasSubstr("the pattern is empty"));
}

TEST(Suppressions, ComeFromFiles) {
  const test::Scratch scratch;
  test::put(scratch.path("known.supp"), "race:charge_fee");
  Suppressions suppressions;
  ASSERT_TRUE(suppressions.read(scratch.path("known.supp")).has_value());
  EXPECT_NE(suppressions.hit(race()), nullptr);
  const auto missing = suppressions.read(scratch.path("none.supp"));
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().message, HasSubstr("none.supp: cannot open"));
}

}  // namespace
}  // namespace deadheat::report
