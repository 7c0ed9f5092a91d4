#include "base/text_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace deadheat::base {
namespace {

using testing::ElementsAre;

TEST(TextLayout, WrapsAtTheWidth) {
  EXPECT_EQ(wrap("one two three", 7, 0), "one two\nthree\n");
  EXPECT_EQ(wrap("one\ntwo   three", 80, 0), "one two three\n");
  EXPECT_EQ(wrap("one two three", 10, 4), "    one\n    two\n    three\n");
  EXPECT_EQ(wrap("one two", 10, 6, 3), "   one\n      two\n");
  EXPECT_EQ(wrap("", 10, 4), "\n");
}

TEST(TextLayout, KeepsLongWordsWhole) {
  EXPECT_EQ(wrap("a incomprehensible b", 5, 0), "a\nincomprehensible\nb\n");
}

TEST(TextLayout, KeepsEveryWordAndTheWidth) {
  EXPECT_TRUE(rc::check([] {
    const auto lengths = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 12));
    const auto width = *rc::gen::inRange<std::size_t>(20, 60);
    std::string text;
    for (const int length : lengths) text += std::string(static_cast<std::size_t>(length), 'w') + ' ';
    std::string words;
    const std::string wrapped = wrap(text, width, 2);
    for (const std::string_view line : lines_of(wrapped)) {
      RC_ASSERT(line.size() <= width);
      if (!line.empty()) words += std::string(line.substr(2)) + ' ';
    }
    RC_ASSERT(words == text);
  }));
}

TEST(TextLayout, FindsParagraphsAndLines) {
  EXPECT_THAT(paragraphs("a\nb\n\n  c\n\n\nd"), ElementsAre("a\nb", "  c", "\nd"));
  EXPECT_THAT(lines_of("a\n\nb\n"), ElementsAre("a", "", "b"));
  EXPECT_TRUE(paragraphs("").empty());
}

}  // namespace
}  // namespace deadheat::base
