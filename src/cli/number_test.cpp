#include "cli/number.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

namespace deadheat::cli {
namespace {

std::uint64_t value_of(std::string_view text) {
  const Number number = parse_number(text);
  EXPECT_EQ(number.fault, NumberFault::none) << text;
  return number.value;
}

TEST(Number, ReadsWhatPeopleType) {
  EXPECT_EQ(value_of("0"), 0u);
  EXPECT_EQ(value_of("1000"), 1000u);
  EXPECT_EQ(value_of("1e6"), 1'000'000u);
  EXPECT_EQ(value_of("1E+6"), 1'000'000u);
  EXPECT_EQ(value_of("2.5M"), 2'500'000u);
  EXPECT_EQ(value_of("1.5e3k"), 1'500'000u);
  EXPECT_EQ(value_of("16Ki"), 16384u);
  EXPECT_EQ(value_of("1.5Ki"), 1536u);
  EXPECT_EQ(value_of("4K"), 4000u);
  EXPECT_EQ(value_of("1Ti"), std::uint64_t{1} << 40);
  EXPECT_EQ(value_of("0e999"), 0u);
  EXPECT_EQ(value_of("18446744073709551615"), UINT64_MAX);
}

TEST(Number, RefusesWhatIsNone) {
  for (const char* text : {"", " 1", "1 ", "-1", "+1", "x", ".", "e3", "1e", "1ee3", "1.2.3", "0x10", "1Kib",
                           "1kB", "1P", "1i", "1e-3", "inf"}) {
    EXPECT_EQ(parse_number(text).fault, NumberFault::not_a_number) << text;
  }
}

TEST(Number, NeverRounds) {
  EXPECT_EQ(parse_number("0.5").fault, NumberFault::not_whole);
  EXPECT_EQ(parse_number("1.0001k").fault, NumberFault::not_whole);
  EXPECT_EQ(parse_number("18446744073709551616").fault, NumberFault::too_large);
  EXPECT_EQ(parse_number("1e20").fault, NumberFault::too_large);
  EXPECT_EQ(parse_number("1e999999999999").fault, NumberFault::too_large);
  EXPECT_EQ(parse_number("17000000Ti").fault, NumberFault::too_large);
}

TEST(Number, ReadsBackEveryWholeNumber) {
  EXPECT_TRUE(rc::check([](std::uint64_t value) {
    RC_ASSERT(parse_number(std::to_string(value)).value == value);
    const std::uint64_t small = value % 1'000'000;
    RC_ASSERT(parse_number(std::to_string(small) + "e3").value == small * 1000);
    RC_ASSERT(parse_number(std::to_string(small) + "Mi").value == small << 20);
  }));
}

TEST(Number, AnyTextHasAnAnswer) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    const Number number = parse_number(text);
    RC_ASSERT(number.fault == NumberFault::none || number.value == 0);
    parse_real(text);
  }));
}

TEST(Real, ReadsDecimalsOnly) {
  EXPECT_EQ(parse_real("0.25"), 0.25);
  EXPECT_EQ(parse_real("1e-3"), 1e-3);
  for (const char* text : {"", "x", "1x", "nan", "inf", "1e999", " 1"}) {
    EXPECT_FALSE(parse_real(text).has_value()) << text;
  }
}

TEST(Seconds, HaveUnits) {
  EXPECT_EQ(parse_seconds("2.5"), 2.5);
  EXPECT_EQ(parse_seconds("60s"), 60);
  EXPECT_EQ(parse_seconds("250ms"), 0.25);
  EXPECT_EQ(parse_seconds("1.5m"), 90);
  EXPECT_EQ(parse_seconds("1h"), 3600);
  for (const char* text : {"", "s", "5d", "5 s", "ms", "1sm"}) EXPECT_FALSE(parse_seconds(text)) << text;
}

}  // namespace
}  // namespace deadheat::cli
