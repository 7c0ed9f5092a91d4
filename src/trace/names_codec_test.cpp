#include "trace/names_codec.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

namespace deadheat::trace {
namespace {

bool same(const NameTable& a, const NameTable& b) {
  if (a.size() != b.size()) return false;
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

bool same(const Names& a, const Names& b) {
  return same(a.strings, b.strings) && same(a.threads, b.threads) && same(a.locks, b.locks) &&
         same(a.variables, b.variables) && same(a.channels, b.channels) && same(a.barriers, b.barriers) &&
         a.sites == b.sites && a.stacks == b.stacks && a.modules == b.modules && a.regions == b.regions &&
         a.mappings == b.mappings;
}

void grow(Names& names) {
  const auto text = rc::gen::arbitrary<std::string>();
  for (auto* table :
       {&names.strings, &names.threads, &names.locks, &names.variables, &names.channels, &names.barriers}) {
    const int more = *rc::gen::inRange(0, 5);
    for (int i = 0; i < more; ++i) table->add(*text);
  }
  for (auto* table : {&names.threads, &names.variables}) {
    if (table->size() > 0 && *rc::gen::arbitrary<bool>()) {
      table->rename(*rc::gen::inRange<std::uint32_t>(0, table->size()), *text);
    }
  }
  const int sites = *rc::gen::inRange(0, 4);
  for (int i = 0; i < sites; ++i) {
    const auto string = rc::gen::inRange<std::uint32_t>(0, names.strings.size());
    Site site{*string, *string, *string, *rc::gen::arbitrary<std::uint32_t>(),
              *rc::gen::arbitrary<std::uint32_t>()};
    if (*rc::gen::arbitrary<bool>()) names.add_module(*text, *text, *rc::gen::arbitrary<std::uint64_t>());
    site.module = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(names.modules.size()));
    if (site.module != 0) site.address = *rc::gen::arbitrary<std::uint64_t>();
    names.add_site(site);
    names.add_stack(
        {StackId{*rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(names.stacks.size()))},
         SiteId{*rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(names.sites.size()))}});
  }
  const int regions = *rc::gen::inRange(0, 3);
  for (int i = 0; i < regions; ++i) {
    const std::uint32_t behind =
        names.regions.empty() ? 0 : index(names.regions.back().first) + names.regions.back().cells;
    names.add_region({VarId{behind + *rc::gen::inRange<std::uint32_t>(0, 9)},
                      8 * *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 60),
                      *rc::gen::inRange<std::uint32_t>(1, 1 << 20)});
  }
  const int mappings = *rc::gen::inRange(0, 3);
  for (int i = 0; i < mappings; ++i) {
    const bool is_stack = *rc::gen::arbitrary<bool>();
    const auto modules = static_cast<std::uint32_t>(names.modules.size());
    names.mappings.push_back(
        {is_stack ? Mapping::What::stack : Mapping::What::module,
         is_stack ? *rc::gen::arbitrary<std::uint32_t>() : *rc::gen::inRange<std::uint32_t>(0, modules),
         *rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint64_t>(),
         *rc::gen::arbitrary<std::uint64_t>()});
  }
}

TEST(NamesCodec, GivesBackGrowingAndRenamedTables) {
  EXPECT_TRUE(rc::check([] {
    Names in, out;
    NamesEncoder encoder;
    const int rounds = *rc::gen::inRange(1, 5);
    for (int round = 0; round < rounds; ++round) {
      grow(in);
      while (true) {
        std::vector<char> payload;
        const auto more = encoder.encode(in, *rc::gen::inRange<std::size_t>(1, 100), payload);
        RC_ASSERT(more.has_value());
        if (!*more) break;
        RC_ASSERT(decode_names(payload, out).has_value());
      }
      RC_ASSERT(same(in, out));
    }
  }));
}

TEST(NamesCodec, RefusesAnOverlongName) {
  Names names;
  names.locks.add(std::string((std::size_t{1} << 24) + 1, 'x'));
  std::vector<char> payload;
  EXPECT_FALSE(NamesEncoder().encode(names, 1 << 20, payload));
}

std::string error_of(const std::vector<char>& payload) {
  Names names;
  const auto ok = decode_names(payload, names);
  return ok ? "" : ok.error().message;
}

TEST(NamesCodec, RefusesEntriesThatReferToWhatIsNotThere) {
  constexpr char kThreads = 1, kSites = 6, kStacks = 7, kAdd = 0, kRename = 1;
  EXPECT_EQ(error_of({kThreads, kAdd, 0, 1, 2, 1, 'x'}), "");
  EXPECT_EQ(error_of({kThreads, kAdd, 1, 1, 2, 1, 'x'}), "names out of order in a names block");
  EXPECT_EQ(error_of({kThreads, kRename, 0, 1, 3, 0, 1, 'x'}),
            "the rename of an unknown id in a names block");
  EXPECT_EQ(error_of({kSites, kAdd, 1, 1, 5, 0, 0, 0, 9, 9}), "");
  EXPECT_EQ(error_of({kSites, kAdd, 1, 1, 5, 1, 0, 0, 9, 9}),
            "a site with an unknown string in a names block");
  EXPECT_EQ(error_of({kStacks, kAdd, 1, 1, 2, 0, 0}), "");
  // Its own caller: a walk towards the root would never end.
  EXPECT_EQ(error_of({kStacks, kAdd, 1, 1, 2, 1, 0}),
            "a stack with an unknown caller or site in a names block");
  EXPECT_EQ(error_of({kStacks, kAdd, 1, 1, 2, 0, 1}),
            "a stack with an unknown caller or site in a names block");
  EXPECT_EQ(error_of({99, kAdd, 1, 1, 2, 0, 1}), "") << "a table of a newer version is passed over";
}

TEST(NamesCodec, RefusesMappingsOfWhatIsNotThere) {
  constexpr char kMappings = 11, kAdd = 0, kStack = 0, kModule = 1;
  EXPECT_EQ(error_of({kMappings, kAdd, 0, 1, 5, kStack, 7, 16, 8, 0}), "");
  EXPECT_EQ(error_of({kMappings, kAdd, 1, 1, 5, kStack, 7, 16, 8, 0}),
            "mappings out of order in a names block");
  EXPECT_EQ(error_of({kMappings, kAdd, 0, 1, 5, kModule, 1, 16, 8, 0}),
            "a mapping of an unknown module in a names block");
  EXPECT_EQ(error_of({kMappings, kAdd, 0, 1, 5, 2, 0, 16, 8, 0}),
            "a mapping of an unknown sort in a names block");
  EXPECT_EQ(error_of({kMappings, kAdd, 0, 1, 4, kStack, 7, 16, 8}), "a cut mapping in a names block");
}

TEST(NamesCodec, RefusesAddressesOfWhatIsNotThere) {
  constexpr char kSites = 6, kModules = 8, kAddresses = 9, kRegions = 10, kAdd = 0;
  EXPECT_EQ(error_of({kModules, kAdd, 1, 1, 3, 0, 0, 0}), "");
  EXPECT_EQ(error_of({kModules, kAdd, 0, 1, 3, 0, 0, 0}), "modules out of order in a names block");
  EXPECT_EQ(error_of({kModules, kAdd, 1, 1, 3, 0, 1, 0}), "a module with an unknown string in a names block");
  EXPECT_EQ(error_of({kModules, 1, 0, 1, 3, 0, 0, 0}), "an odd rename in a names block");
  const auto sites_and = [](std::initializer_list<char> more) {
    std::vector<char> payload = {kModules, kAdd, 1, 1, 3, 0, 0, 0, kSites, kAdd, 1, 1, 5, 0, 0, 0, 0, 0};
    payload.insert(payload.end(), more);
    return error_of(payload);
  };
  EXPECT_EQ(sites_and({kAddresses, kAdd, 1, 1, 2, 1, 77}), "");
  EXPECT_EQ(sites_and({kAddresses, kAdd, 1, 1, 2, 2, 77}),
            "a code address in an unknown module in a names block");
  EXPECT_EQ(sites_and({kAddresses, kAdd, 1, 1, 2, 0, 77}),
            "a code address in an unknown module in a names block");
  EXPECT_EQ(sites_and({kAddresses, kAdd, 1, 1, 1, 1}), "a cut code address in a names block");
  EXPECT_EQ(sites_and({kAddresses, kAdd, 1, 2, 4, 1, 1, 1, 1}),
            "the code address of an unknown site in a names block");
  EXPECT_EQ(sites_and({kAddresses, kAdd, 0, 1, 2, 1, 1}),
            "the code address of an unknown site in a names block");
  EXPECT_EQ(sites_and({kAddresses, kAdd, 1, 1, 2, 1, 77, kAddresses, kAdd, 1, 1, 2, 1, 77}),
            "a second code address of a site in a names block");

  constexpr char kFf = '\xff';
  EXPECT_EQ(error_of({kRegions, kAdd, 0, 1, 3, 0, 0, 1}), "");
  EXPECT_EQ(error_of({kRegions, kAdd, 1, 1, 3, 0, 0, 1}), "regions out of order in a names block");
  EXPECT_EQ(error_of({kRegions, kAdd, 0, 1, 3, 0, 0, 0}),
            "a region of variables there cannot be in a names block");
  EXPECT_EQ(error_of({kRegions, kAdd, 0, 1, 7, kFf, kFf, kFf, kFf, 15, 0, 1}), "") << "the last variable";
  EXPECT_EQ(error_of({kRegions, kAdd, 0, 1, 7, kFf, kFf, kFf, kFf, 15, 0, 2}),
            "a region of variables there cannot be in a names block");
  EXPECT_EQ(error_of({kRegions, kAdd, 0, 1, 11, 0, kFf, kFf, kFf, kFf, kFf, kFf, kFf, kFf, 31, 1}), "")
      << "the last cell";
  EXPECT_EQ(error_of({kRegions, kAdd, 0, 1, 11, 0, kFf, kFf, kFf, kFf, kFf, kFf, kFf, kFf, 31, 2}),
            "a region beyond the end of memory in a names block");
  EXPECT_EQ(error_of({kRegions, kAdd, 0, 1, 11, 0, kFf, kFf, kFf, kFf, kFf, kFf, kFf, kFf, 63, 1}),
            "a region beyond the end of memory in a names block");
}

TEST(NamesCodec, ChargesNothingForSitesWithoutAddress) {
  Names names;
  for (int i = 0; i < 1000; ++i) names.add_site({});
  std::vector<char> payload;
  ASSERT_TRUE(NamesEncoder().encode(names, 1 << 20, payload));
  EXPECT_LT(payload.size(), 5010u);
}

TEST(NamesCodec, NeverBreaksOnBrokenBytes) {
  EXPECT_TRUE(rc::check([] {
    Names in;
    grow(in);
    std::vector<char> payload;
    RC_ASSERT(NamesEncoder().encode(in, 1 << 20, payload).has_value());
    RC_PRE(!payload.empty());
    payload[*rc::gen::inRange<std::size_t>(0, payload.size())] = *rc::gen::arbitrary<char>();
    payload.resize(*rc::gen::inRange<std::size_t>(0, payload.size() + 1));
    Names out;
    (void)decode_names(payload, out);
    for (const Site& s : out.sites) {
      RC_ASSERT(s.text < out.strings.size() && s.module < out.modules.size());
    }
    for (std::size_t i = 1; i < out.stacks.size(); ++i) RC_ASSERT(index(out.stacks[i].caller) < i);
  }));
}

}  // namespace
}  // namespace deadheat::trace
