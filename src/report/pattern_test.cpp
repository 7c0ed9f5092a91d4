#include "report/pattern.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace deadheat::report {
namespace {

bool matches(std::string_view pattern, std::string_view text) { return Pattern(pattern).matches(text); }

TEST(Pattern, IsFoundAnywhere) {
  EXPECT_TRUE(matches("fee", "charge_fee()"));
  EXPECT_TRUE(matches("charge_fee", "charge_fee"));
  EXPECT_FALSE(matches("Fee", "charge_fee"));
  EXPECT_FALSE(matches("fee", ""));
}

TEST(Pattern, IsTiedToTheBeginOrTheEnd) {
  EXPECT_TRUE(matches("^bank.c", "bank.c:31"));
  EXPECT_FALSE(matches("^bank.c", "src/bank.c:31"));
  EXPECT_TRUE(matches(":31$", "bank.c:31"));
  EXPECT_FALSE(matches(":3$", "bank.c:31"));
  EXPECT_TRUE(matches("^x$", "x"));
  EXPECT_FALSE(matches("^x$", "xx"));
  EXPECT_TRUE(matches("^$", ""));
}

TEST(Pattern, AStarIsAnyCharacters) {
  EXPECT_TRUE(matches("std::*::push", "std::vector<int>::push_back"));
  EXPECT_TRUE(matches("^*.c:3*1$", "bank.c:31"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_FALSE(matches("^a*b*c$", "abcd"));
  EXPECT_TRUE(matches("^a*b*c$", "abbcc"));
  EXPECT_FALSE(matches("^ab*bc$", "abc"));  // the two parts do not share a character
}

TEST(Pattern, OtherPlacesMakeTheTiesCharacters) {
  EXPECT_TRUE(matches("a^b", "xa^by"));
  EXPECT_TRUE(matches("a$b", "xa$by"));
}

// The same by trying everything.
bool slow(std::string_view pattern, std::string_view text, bool to_end) {
  if (pattern.empty()) return !to_end || text.empty();
  if (pattern[0] == '*') {
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (slow(pattern.substr(1), text.substr(i), to_end)) return true;
    }
    return false;
  }
  return !text.empty() && text[0] == pattern[0] && slow(pattern.substr(1), text.substr(1), to_end);
}

TEST(Pattern, AgreesWithTryingEverything) {
  EXPECT_TRUE(rc::check([] {
    const auto word = [](std::string_view letters) {
      // Short: to try everything takes time by the power of the stars.
      return *rc::gen::resize(12, rc::gen::container<std::string>(rc::gen::elementOf(std::string(letters))));
    };
    const std::string middle = word("ab*"), text = word("ab");
    const bool from_begin = *rc::gen::arbitrary<bool>(), to_end = *rc::gen::arbitrary<bool>();
    const std::string pattern = (from_begin ? "^" : "") + middle + (to_end ? "$" : "");
    RC_ASSERT(matches(pattern, text) == slow((from_begin ? "" : "*") + middle, text, to_end));
  }));
}

}  // namespace
}  // namespace deadheat::report
