#include "filter/sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "filter/registry.h"
#include "support/scratch.h"

namespace deadheat::filter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SitePatterns patterns(std::string_view wanted) {
  const auto choice = choose(wanted, Role::sample);
  EXPECT_TRUE(choice) << choice.error().message;
  return *choice->site_patterns();
}
std::string refusal(std::string_view wanted) {
  const auto choice = choose(wanted, Role::sample);
  return choice ? "" : choice.error().message;
}

TEST(SitePatterns, HaveCommasBetweenThemAndMayHaveColons) {
  EXPECT_THAT(patterns("sites:only=bank.c:31,^main$").only, ElementsAre("bank.c:31", "^main$"));
  EXPECT_THAT(patterns("sites:only=bank.c:31").ignore, IsEmpty());
  EXPECT_THAT(patterns("sites:ignore=a::b").ignore, ElementsAre("a::b"));
  EXPECT_EQ(choose("sites:only=bank.c:31", Role::sample)->name(), "sites:only=bank.c:31");
}

TEST(SitePatterns, ComeFromAFile) {
  const test::Scratch scratch;
  const std::string path = scratch.path("a:b.sites");
  test::put(path, "# of the bank\n\nonly:bank.c\r\n  ignore: f(int, int)\nonly:till.c:7");
  const SitePatterns found = patterns("sites:file=" + path);
  EXPECT_THAT(found.only, ElementsAre("bank.c", "till.c:7"));
  EXPECT_THAT(found.ignore, ElementsAre("f(int, int)"));
}

TEST(SitePatterns, ThatCannotBeReadAreRefused) {
  EXPECT_THAT(refusal("sites"), HasSubstr("say which sites"));
  EXPECT_THAT(refusal("sites:only="), HasSubstr("say which sites"));
  EXPECT_THAT(refusal("sites:only=a,,b"), HasSubstr("a pattern is empty"));
  EXPECT_THAT(refusal("sites:file=/none/there"), HasSubstr("/none/there: cannot open"));
  const auto error = [](std::string_view text) {
    const auto found = site_patterns_in(text, "list");
    return found ? "" : found.error().message;
  };
  EXPECT_THAT(error("only:a\nnot:b"), HasSubstr("list:2: cannot read \"not:b\""));
  EXPECT_THAT(error("only:"), HasSubstr("list:1: cannot read"));
  EXPECT_THAT(error("only"), HasSubstr("list:1: cannot read"));
  EXPECT_THAT(error("# nothing\n"), HasSubstr("list: has no pattern"));
}

TEST(Sites, AreNotKnownBeforeTheTraceIs) {
  EXPECT_THAT(choose("sites:only=a", Role::sample)->make().error().message, HasSubstr("not known here"));
}

TEST(SiteSet, TakesWhatItDoesNotKnowForNoSite) {
  const SiteSet sites({false, true, true, false});
  EXPECT_TRUE(sites.has(SiteId{2}));
  EXPECT_FALSE(sites.has(SiteId{3}));
  EXPECT_FALSE(sites.has(SiteId{9}));
  EXPECT_TRUE(SiteSet({true, false}).has(SiteId{9}));
}

}  // namespace
}  // namespace deadheat::filter
