#include "trace/import/marks.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

namespace deadheat::trace {
namespace {

std::vector<std::uint32_t> marks(FindMarks find, const std::string& text, std::uint32_t base) {
  std::vector<std::uint32_t> out(text.size() + kMarkSlack);
  out.resize(static_cast<std::size_t>(find(text.data(), text.size(), base, out.data()) - out.data()));
  return out;
}

TEST(Marks, AreBarsLineEndsAndNulBytes) {
  const std::string text("T0|r(V1)|3\r\n\0x", 14);
  EXPECT_EQ(marks(find_marks_plainly, text, 100), (std::vector<std::uint32_t>{102, 108, 111, 112}));
}

TEST(Marks, TheFastSearchFindsWhatThePlainOneFinds) {
  EXPECT_TRUE(rc::check([] {
    const auto letters =
        rc::gen::element('|', '\n', '\0', 'T', '0', '(', static_cast<char>('|' ^ 0x80), '\x0B');
    const auto text = *rc::gen::scale(6, rc::gen::container<std::string>(letters));
    const auto base = *rc::gen::inRange<std::uint32_t>(0, 1000);
    RC_ASSERT(marks(best_find_marks(), text, base) == marks(find_marks_plainly, text, base));
  }));
}

TEST(Marks, EveryLengthAroundTheWidthOfARegister) {
  for (std::size_t n = 0; n < 300; ++n) {
    for (const char fill : {'|', 'x'}) {
      std::string text(n, fill);
      if (n > 0) text.back() = '\n';
      EXPECT_EQ(marks(best_find_marks(), text, 0), marks(find_marks_plainly, text, 0)) << n;
    }
  }
}

}  // namespace
}  // namespace deadheat::trace
