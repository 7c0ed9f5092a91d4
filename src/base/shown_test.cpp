#include "base/shown.h"

#include <gtest/gtest.h>

namespace deadheat::base {
namespace {

TEST(Shown, KeepsPrintableText) {
  EXPECT_EQ(shown("T0|r(V1)|3 \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8F\x81"), "T0|r(V1)|3 é € 🏁");
}

TEST(Shown, EscapesControlBytesAndWhatIsNoUtf8) {
  EXPECT_EQ(shown(std::string_view("a\0b\x1b[31m\t\x7f", 10)), "a\\x00b\\x1b[31m\\x09\\x7f");
  EXPECT_EQ(shown("\xFF\xC3("), "\\xff\\xc3(");
  EXPECT_EQ(shown("\xC2\x9B"), "\\xc2\\x9b") << "a control character of Latin-1";
  EXPECT_EQ(shown("\xC0\xAF\xE0\x80\xAF\xED\xA0\x80"), "\\xc0\\xaf\\xe0\\x80\\xaf\\xed\\xa0\\x80");
  EXPECT_EQ(shown("\xE2\x82"), "\\xe2\\x82") << "a character cut short";
}

TEST(Shown, CutsLongText) {
  EXPECT_EQ(shown("abcdef", 3), "abc...");
  EXPECT_EQ(shown("abc", 3), "abc");
  EXPECT_LT(shown(std::string(1 << 20, '\x01')).size(), 100u);
}

}  // namespace
}  // namespace deadheat::base
