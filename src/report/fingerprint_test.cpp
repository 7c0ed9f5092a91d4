#include "report/fingerprint.h"

#include <gtest/gtest.h>

namespace deadheat::report {
namespace {

const Place kHere{.text = "a.c:1 (f)", .file = "a.c", .function = "f", .line = 1};
const Place kThere{.text = "b.c:2 (g)", .file = "b.c", .function = "g", .line = 2};
const Place kText{.text = "45", .file = {}, .function = {}};
const Place kNowhere;

TEST(Fingerprint, DoesNotDependOnWhoCameFirstNorOnTheVariable) {
  EXPECT_EQ(fingerprint_of(kHere, kThere, "x"), fingerprint_of(kThere, kHere, "y"));
}

TEST(Fingerprint, DiffersBetweenPlaces) {
  Place next = kHere;
  next.line = 2;
  EXPECT_NE(fingerprint_of(kHere, kThere, "x"), fingerprint_of(next, kThere, "x"));
  EXPECT_NE(fingerprint_of(kHere, kHere, "x"), fingerprint_of(kHere, kThere, "x"));
  EXPECT_NE(fingerprint_of(kText, kHere, "x"), fingerprint_of(kHere, kThere, "x"));
}

TEST(Fingerprint, TakesTheVariableWhereThereIsNoPlace) {
  EXPECT_NE(fingerprint_of(kNowhere, kNowhere, "x"), fingerprint_of(kNowhere, kNowhere, "y"));
  EXPECT_NE(fingerprint_of(kNowhere, kHere, "x"), fingerprint_of(kNowhere, kHere, "y"));
  EXPECT_EQ(fingerprint_of(kNowhere, kHere, "x"), fingerprint_of(kHere, kNowhere, "x"));
  EXPECT_NE(fingerprint_of(kNowhere, kHere, "45"), fingerprint_of(kText, kHere, "x"));
}

TEST(Fingerprint, TellsPlacesInCodeWithoutLinesApart) {
  const Place one{
      .text = "liba.so+0x10 (f)", .file = {}, .function = "f", .module = "/lib/liba.so", .address = 16};
  Place other = one;
  other.text = "liba.so+0x20 (f)";
  EXPECT_NE(fingerprint_of(one, kHere, ""), fingerprint_of(other, kHere, ""));
  // With lines, the address takes no part.
  Place inlined = kHere, copy = kHere;
  inlined.module = copy.module = "/lib/liba.so";
  copy.address = 32;
  EXPECT_EQ(fingerprint_of(inlined, kThere, ""), fingerprint_of(copy, kThere, ""));
}

// Baselines of users hold these: they must never change.
TEST(Fingerprint, IsTheSameInEveryVersion) {
  EXPECT_EQ(fingerprint_of(kHere, kThere, "x").text(), "1c6429b429130e4c");
  EXPECT_EQ(fingerprint_of(kText, kText, "x").text(), "d4abcaf3a321c9b7");
  EXPECT_EQ(fingerprint_of(kNowhere, kNowhere, "x").text(), "a7ea996a050db92a");
}

TEST(Fingerprint, IsNamedByItsFirstDigits) {
  const Fingerprint fingerprint{0x0123456789abcdefu};
  EXPECT_EQ(fingerprint.text(), "0123456789abcdef");
  EXPECT_EQ(fingerprint.short_text(), "01234567");
  EXPECT_TRUE(fingerprint.begins_with("01234567"));
  EXPECT_TRUE(fingerprint.begins_with("0123456789abcdef"));
  EXPECT_FALSE(fingerprint.begins_with("012345"));  // too short to be meant
  EXPECT_FALSE(fingerprint.begins_with("01234568"));
}

}  // namespace
}  // namespace deadheat::report
