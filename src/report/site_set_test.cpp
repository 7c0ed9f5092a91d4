#include "report/site_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace deadheat::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// 1 is text, 2 has a function, 3 only a code address.
Names names() {
  Names names;
  names.add_text_site("bank.c:31 (charge_fee)");
  names.add_site(
      {.file = names.strings.add("till.c"), .function = names.strings.add("open_till"), .line = 7});
  names.add_site({.module = names.add_module("/opt/libbank.so", ""), .address = 0x1234});
  return names;
}

std::vector<std::uint32_t> hit(filter::SitePatterns patterns) {
  const Names known = names();
  const filter::SiteSet sites = sites_named(patterns, known, nullptr).sites;
  std::vector<std::uint32_t> out;
  for (std::uint32_t site = 0; site < known.sites.size(); ++site) {
    if (sites.has(SiteId{site})) out.push_back(site);
  }
  return out;
}

TEST(SitesNamed, AreFoundByLocationFunctionFileAndModule) {
  EXPECT_THAT(hit({{"bank.c:31"}, {}}), ElementsAre(1));
  EXPECT_THAT(hit({{"^charge_fee$"}, {}}), ElementsAre(1));
  EXPECT_THAT(hit({{"^till.c$"}, {}}), ElementsAre(2));
  EXPECT_THAT(hit({{"till.c:7"}, {}}), ElementsAre(2));
  EXPECT_THAT(hit({{"^/opt/"}, {}}), ElementsAre(3));
  EXPECT_THAT(hit({{"libbank.so+0x1234"}, {}}), ElementsAre(3));
  EXPECT_THAT(hit({{"bank"}, {}}), ElementsAre(1, 3));
}

// An access of no known place is not at one that is asked for, nor at one that is to be passed over.
TEST(SitesNamed, AreThoseOfOnlyWithoutThoseOfIgnore) {
  EXPECT_THAT(hit({{"charge_fee", "open_till"}, {}}), ElementsAre(1, 2));
  EXPECT_THAT(hit({{}, {"charge_fee"}}), ElementsAre(0, 2, 3));
  EXPECT_THAT(hit({{"bank"}, {".so"}}), ElementsAre(1));
  EXPECT_THAT(hit({{"none"}, {}}), IsEmpty());
}

TEST(SitesNamed, TellPatternsThatHitNothing) {
  const Names known = names();
  EXPECT_THAT(sites_named({{"bnak.c", "till.c"}, {"libc"}}, known, nullptr).unmatched,
              ElementsAre("bnak.c", "libc"));
  EXPECT_THAT(sites_named({{"bank.c", "31"}, {"charge_fee"}}, known, nullptr).unmatched, IsEmpty());
}

}  // namespace
}  // namespace deadheat::report
