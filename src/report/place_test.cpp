#include "report/place.h"

#include <gtest/gtest.h>

namespace deadheat::report {
namespace {

Place read(std::string_view text) {
  Names names;
  return place_of(names.add_text_site(text), names);
}

TEST(Place, OfARecordingHasItsParts) {
  Names names;
  const SiteId site = names.add_site({.text = 0,
                                      .file = names.strings.add("a.c"),
                                      .function = names.strings.add("f"),
                                      .line = 12,
                                      .column = 3});
  const Place place = place_of(site, names);
  EXPECT_EQ(place.text, "a.c:12:3 (f)");
  EXPECT_EQ(place.file, "a.c");
  EXPECT_EQ(place.function, "f");
  EXPECT_EQ(place.line, 12u);
  EXPECT_EQ(place.column, 3u);
}

TEST(Place, OfTextIsReadWhereItLooksLikeOne) {
  const Place whole = read("C:/a b.c:12:3 (operator()(int))");
  EXPECT_EQ(whole.file, "C:/a b.c");
  EXPECT_EQ(whole.line, 12u);
  EXPECT_EQ(whole.column, 3u);
  EXPECT_EQ(read("a.c:12").file, "a.c");
  EXPECT_EQ(read("a.c:12").line, 12u);
  EXPECT_EQ(read("a.c:12").column, 0u);
  EXPECT_EQ(read("a.c:12 (f)").function, "f");
}

TEST(Place, OfOtherTextIsTheTextAlone) {
  for (const std::string_view text : {"45", "a.c", "a.c:", ":12", "a.c:12x", "a.c:99999999999", "f (g)"}) {
    EXPECT_EQ(read(text).text, text);
    EXPECT_EQ(read(text).file, "") << text;
    EXPECT_EQ(read(text).line, 0u) << text;
  }
}

TEST(Place, OfTheSystemIsNotOfTheProgram) {
  const auto place = [](const char* file, const char* module) {
    return Place{.text = "x", .file = file, .function = {}, .module = module};
  };
  const Place header = place("/usr/include/c++/12/mutex", "/home/bank"),
              library = place("", "/lib/libc.so.6");
  const Place own = place("bank.cpp", "/home/bank"), text = place("/usr/include/a.h", "");
  EXPECT_TRUE(is_of_system(header));
  EXPECT_TRUE(is_of_system(library));
  EXPECT_FALSE(is_of_system(own));
  EXPECT_FALSE(is_of_system(text)) << "what a text says is the program";
  EXPECT_EQ(first_of_program(std::vector{header, library, own, library}), 2u);
  EXPECT_EQ(first_of_program(std::vector{header, library}), 0u);
  EXPECT_EQ(first_of_program({}), 0u);
}

TEST(Place, OfNoSiteIsNotKnown) {
  EXPECT_FALSE(place_of(SiteId::none, Names()).known());
  EXPECT_TRUE(place_of(SiteId{7}, Names()).known());  // a damaged trace: called by its number
}

}  // namespace
}  // namespace deadheat::report
