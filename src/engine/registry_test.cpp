#include "engine/registry.h"

#include <gtest/gtest.h>

#include <set>

namespace deadheat::engine {
namespace {

TEST(Registry, EveryRowIsWholeAndCanBeMade) {
  std::set<std::string_view> names;
  for (const Row& row : rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.promise.empty()) << row.name;
    EXPECT_FALSE(row.memory.empty()) << row.name;
    EXPECT_GE(row.passes, 1u) << row.name;
    EXPECT_EQ(row.citation.empty(), row.notion == Notion::none) << row.name;
    EXPECT_EQ(find_row(row.name), &row);
    const auto choice = choose(row.name);
    ASSERT_TRUE(choice) << row.name << ": " << choice.error().message;
    EXPECT_EQ(choice->name(), row.name);
  }
}

TEST(Registry, AnUnknownEngineIsAnErrorThatListsThem) {
  const auto choice = choose("fasttrak");
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().kind, Error::Kind::usage);
  EXPECT_NE(choice.error().message.find("fasttrack"), std::string::npos);
}

TEST(Registry, AnUnknownOptionIsAnError) {
  for (const char* wanted : {"fasttrack:limit=3", "fasttrack:", "fasttrack:=", ":"}) {
    EXPECT_FALSE(choose(wanted)) << wanted;
  }
}

}  // namespace
}  // namespace deadheat::engine
