#include "labels/truth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scratch.h"

namespace deadheat::labels {
namespace {

using testing::HasSubstr;

Truth some_truth() {
  Truth truth{.trace = "list_7.std", .events = 600, .complete = true};
  truth.pairs.push_back({.earlier = 17,
                         .later = 140,
                         .kind = "write-write",
                         .variable = "fresh \"x\"",
                         .distance = 122,
                         .witness = witness::Witness{17, 140, 3, {40, 0, 20}, {19, 30}}});
  truth.pairs.push_back({.earlier = 20, .later = 300, .race = false, .distance = 279, .proof = "exact"});
  truth.made = R"({"base":"list.std","seed":1,"nested":{"a":[1,2]}})";
  return truth;
}

std::string error_of(std::string_view text) {
  const auto truth = parse_truth(text, "x.truth.json");
  return truth ? "" : truth.error().message;
}

// The file of some_truth() with a part of it replaced.
std::string changed(const std::string& what, const std::string& by) {
  std::string text = as_json(some_truth());
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(Truth, IsReadAsItWasWritten) {
  const auto truth = parse_truth(as_json(some_truth()), "x");
  ASSERT_TRUE(truth) << truth.error().message;
  EXPECT_EQ(*truth, some_truth());
}

TEST(Truth, IsReadFromAFileBesideItsTrace) {
  const test::Scratch scratch;
  EXPECT_EQ(truth_path("a/run.std"), "a/run.truth.json");
  EXPECT_EQ(truth_path("run.dht"), "run.truth.json");
  EXPECT_EQ(truth_path("run.std.gz"), "run.truth.json");
  EXPECT_EQ(truth_path("run"), "run.truth.json");
  test::put(scratch.path("x.truth.json"), as_json(some_truth()));
  EXPECT_EQ(*read_truth(scratch.path("x.truth.json")), some_truth());
  EXPECT_THAT(read_truth(scratch.path("y.truth.json")).error().message, HasSubstr("y.truth.json: cannot"));
}

TEST(Truth, SaysWhereItIsDamaged) {
  EXPECT_THAT(error_of("{\"version\": 1, "), HasSubstr("x.truth.json: byte 16: is not JSON"));
  EXPECT_THAT(error_of("[]"), HasSubstr("x.truth.json: is not an object"));
  EXPECT_THAT(error_of(changed("\"version\": 1", "\"version\": 2")), HasSubstr("has version 2"));
  EXPECT_THAT(error_of(changed("\"events\": 600", "\"events\": -1")), HasSubstr("has no number \"events\""));
  EXPECT_THAT(error_of(changed("\"later\":300", "\"later\":600")), HasSubstr("pair 2: events 20 and 600"));
  EXPECT_THAT(error_of(changed("\"later\":300", "\"later\":20")), HasSubstr("pair 2: events 20 and 20"));
  EXPECT_THAT(error_of(changed("\"race\":false", "\"race\":0")),
              HasSubstr("pair 2: has no true or false \"race\""));
  EXPECT_THAT(error_of(changed("\"earlier\":20,\"later\":300", "\"earlier\":17,\"later\":140")),
              HasSubstr("pair 2: is there twice"));
  EXPECT_THAT(error_of(changed("\"from\":3", "\"from\":\"3\"")),
              HasSubstr("pair 1: its witness has no number \"from\""));
  EXPECT_THAT(
      error_of(changed("{\"earlier\":17,\"later\":140,\"from\"", "{\"earlier\":17,\"later\":141,\"from\"")),
      HasSubstr("pair 1: its witness is of another pair"));
  EXPECT_THAT(error_of(changed("\"made\": {", "\"made\": 7, \"x\": {")), HasSubstr("has no object \"made\""));
}

TEST(Truth, IsOfATraceInItsFolder) {
  for (const char* name : {"../list.std", "/etc/passwd", "..", ""}) {
    EXPECT_THAT(error_of(changed("list_7.std", name)), HasSubstr("\"trace\" is not the name of a file"));
  }
}

TEST(Truth, RefusesWhatIsTooDeepToBeWrittenAgain) {
  const std::string deep = "[" + std::string(100'000, '[') + std::string(100'000, ']') + "]";
  EXPECT_THAT(error_of(changed("[1,2]", deep)), HasSubstr("lists in lists"));
}

TEST(Truth, RefusesNumbersThatNoTypeHolds) {
  EXPECT_FALSE(error_of(changed("\"seed\":1", "\"seed\":1e999")).empty());
}

TEST(Set, IsReadAsItWasWritten) {
  const test::Scratch scratch;
  const Set set{.complete = true,
                .made_by = "deadheat inject list.std -n 2",
                .traces = {"list_1.std", "list_2.std"},
                .counts = {{"given up", 3}, {"made", 2}},
                .options = R"({"seed":1})"};
  test::put(scratch.path("set.json"), as_json(set));
  const auto read = read_set(scratch.path(""));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, set);
}

TEST(Set, SaysWhereItIsDamaged) {
  const auto error = [](std::string_view text) { return parse_set(text, "set.json").error().message; };
  EXPECT_THAT(error("7"), HasSubstr("set.json: is not an object"));
  EXPECT_THAT(error(R"({"version": 1, "complete": true, "made_by": "", "counts": {}, "options": {},
                        "traces": ["a.std", "a.std"]})"),
              HasSubstr("set.json: trace 2: is there twice"));
  EXPECT_THAT(error(R"({"version": 1, "complete": true, "made_by": "", "counts": {"a": -1}, "options": {},
                        "traces": ["a/b.std"]})"),
              HasSubstr("set.json: trace 1: is not the name of a file"));
}

}  // namespace
}  // namespace deadheat::labels
