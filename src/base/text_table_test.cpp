#include "base/text_table.h"

#include <gtest/gtest.h>

namespace deadheat::base {
namespace {

using enum TextTable::Align;

TEST(TextTable, ColumnsAreAsWideAsWhatIsInThem) {
  TextTable table({{"Locks", left}, {"acquires"}, {""}});
  table.add({"a", "1", "50 %"});
  table.add({"a longer name", "1,000,000,000", "7 %"});
  EXPECT_EQ(table.text(),
            "Locks                 acquires\n"
            "  a                          1  50 %\n"
            "  a longer name  1,000,000,000   7 %\n");
}

TEST(TextTable, WithoutTitlesThereAreOnlyRows) {
  TextTable table({{"", left}, {""}, {"", left}});
  table.add({"events", "41", "1.7 KiB"});
  table.add({"locks", "2", ""});
  EXPECT_EQ(table.text(), "  events  41  1.7 KiB\n  locks    2\n");
}

TEST(TextTable, ATitleMayBeWiderThanItsColumn) {
  TextTable table({{"A long title", left}, {"n"}});
  table.add({"x", "1"});
  EXPECT_EQ(table.text(), "A long title  n\n  x           1\n");
}

TEST(TextTable, CountsCharactersNotBytes) {
  TextTable table({{"", left}, {""}});
  table.add({"é", "1"});
  table.add({"ab", "2"});
  EXPECT_EQ(table.text(), "  é   1\n  ab  2\n");
}

}  // namespace
}  // namespace deadheat::base
