#include "trace/import/interner.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <deque>
#include <string>
#include <unordered_map>

namespace deadheat::trace {
namespace {

// An interner with names that it keeps, each behind the bytes that a key wants to read.
class Table {
 public:
  std::uint32_t id(const std::string& name) {
    kept_.push_back(std::string(kKeyFront, '7') + name);
    const std::string_view view = std::string_view(kept_.back()).substr(kKeyFront);
    const NameKey key = interner_.key_of(view);
    interner_.prefetch(key);
    interner_.prefetch_text(key, view);
    std::uint32_t id = interner_.find(key, view);
    if (id == Interner::kMissing) interner_.insert(key, view, id = next_++);
    return id;
  }
  std::size_t bytes() const { return interner_.bytes(); }

 private:
  Interner interner_;
  std::deque<std::string> kept_;
  std::uint32_t next_ = 0;
};

TEST(Interner, GivesEachNameOneId) {
  Table table;
  EXPECT_EQ(table.id("V1"), 0u);
  EXPECT_EQ(table.id("V2"), 1u);
  EXPECT_EQ(table.id("L1"), 2u);
  EXPECT_EQ(table.id("1"), 3u);
  EXPECT_EQ(table.id("V1"), 0u);
}

TEST(Interner, NamesThatLookAlikeAreDifferent) {
  Table table;
  const std::string names[] = {"0",
                               "00",
                               "V0",
                               "V00",
                               "V",
                               "V01",
                               "V1",
                               "1",
                               "01",
                               "V-1",
                               "V+1",
                               "V 1",
                               "1V",
                               "VV1",
                               "v1",
                               "10441065499006",
                               "010441065499006",
                               "9999999999999999",
                               "99999999999999999",
                               "18446744073709551616",
                               "V9999999999999999",
                               "V12345678",
                               "V123456789",
                               "V1234567890123456",
                               "V12345678901234567",
                               "110000000",
                               "200000000",
                               "20000000",
                               "2000000000",
                               "/1",
                               ":1",
                               "1/",
                               "1:",
                               "V1234567:",
                               "V/2345678",
                               "12345678",
                               "x2345678"};
  std::uint32_t expected = 0;
  for (const std::string& name : names) EXPECT_EQ(table.id(name), expected++) << name;
  expected = 0;
  for (const std::string& name : names) EXPECT_EQ(table.id(name), expected++) << name;
}

TEST(Interner, OneNumberBehindManyPrefixesIsManyNames) {
  Table table;
  for (std::uint32_t round = 0; round < 2; ++round) {
    std::uint32_t expected = 0;
    for (const char* number : {"7", "70000", "999999999", "1234567890123456"}) {
      for (int prefix = 33; prefix < 256; ++prefix) {
        if (prefix >= '0' && prefix <= '9') continue;
        ASSERT_EQ(table.id(std::string(1, static_cast<char>(prefix)) + number), expected++)
            << prefix << number;
      }
    }
  }
}

TEST(Interner, AgreesWithAMap) {
  EXPECT_TRUE(rc::check([] {
    const auto number = rc::gen::map(
        rc::gen::weightedOneOf<std::uint64_t>({{3, rc::gen::inRange<std::uint64_t>(0, 40)},
                                               {1, rc::gen::inRange<std::uint64_t>(65000, 66000)},
                                               {1, rc::gen::inRange<std::uint64_t>(99'999'990, 100'000'010)},
                                               {1, rc::gen::arbitrary<std::uint64_t>()}}),
        [](std::uint64_t n) { return std::to_string(n); });
    const auto prefix = rc::gen::element<std::string>("", "V", "T", "0", "x.", "\xC3\xA9");
    const auto text = rc::gen::container<std::string>(rc::gen::element('a', '0', '1', '(', '\xFF'));
    const auto names = *rc::gen::container<std::vector<std::string>>(rc::gen::oneOf(
        rc::gen::map(rc::gen::pair(prefix, number), [](const auto& p) { return p.first + p.second; }),
        rc::gen::nonEmpty(text)));
    Table table;
    std::unordered_map<std::string, std::uint32_t> map;
    for (const std::string& name : names) {
      const auto id = static_cast<std::uint32_t>(map.size());
      RC_ASSERT(table.id(name) == map.emplace(name, id).first->second);
    }
  }));
}

TEST(Interner, HoldsManyNamesOfEveryForm) {
  Table table;
  const auto name = [](std::uint32_t i) {
    switch (i % 4) {
      case 0:
        return "V" + std::to_string(1'100'000 - i);  // from above: too great for the table at first
      case 1:
        return std::to_string(10'000'000'000'000u + 48u * i);
      case 2:
        return "object number " + std::to_string(i);
      default:
        return std::string(250 + i % 10, 'x') + std::to_string(i);  // around the longest in the hash table
    }
  };
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < 40'000; ++i) ASSERT_EQ(table.id(name(i)), i) << name(i);
  }
}

TEST(Interner, AGreatNumberTakesNoGreatTable) {
  Table table;
  const std::size_t before = table.bytes();
  for (const char* prefix : {"", "V", "T"}) {
    for (std::uint32_t i = 0; i < 100; ++i) table.id(prefix + std::to_string(999'999'999 - i));
  }
  EXPECT_LT(table.bytes(), before + 100'000);
}

TEST(Interner, ManyPrefixesShareTheMemoryForSmallNumbers) {
  Table table;
  for (int prefix = 128; prefix < 256; ++prefix)
    table.id(std::string(1, static_cast<char>(prefix)) + "1000000");
  EXPECT_LT(table.bytes(), 6'000'000u);
}

TEST(Interner, MemoryGrowsWithTheNamesOnly) {
  Table table;
  for (std::uint32_t i = 0; i < 10'000; ++i) table.id("V" + std::to_string(std::uint64_t{i} * i));
  EXPECT_LT(table.bytes(), 6'000'000u);
}

}  // namespace
}  // namespace deadheat::trace
