#include "labels/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scratch.h"
#include "support/source_path.h"

namespace deadheat::labels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kCorpus = test::source_path("test/corpus/");
constexpr const char* kTrace = "T0|w(x)|1\nT1|w(x)|2\n";

class FolderTest : public testing::Test {
 protected:
  void put_trace(const std::string& name) const {
    test::put(scratch_.path(name), kTrace);
    Truth truth{.trace = name, .events = 2};
    truth.pairs.push_back({.earlier = 0, .later = 1});
    test::put(scratch_.path(truth_path(name)), as_json(truth));
  }
  void put_set(bool complete, std::vector<std::string> traces) const {
    test::put(scratch_.path("set.json"),
              as_json(Set{.complete = complete, .made_by = "me", .traces = std::move(traces)}));
  }
  std::string error(Partial partial = Partial::refused) const {
    const auto folder = read_folder(scratch_.path(""), partial, {});
    return folder ? "" : folder.error().message;
  }

  test::Scratch scratch_;
};

TEST_F(FolderTest, HasTheTracesOfItsSet) {
  put_trace("a.std");
  put_trace("b.std");
  put_trace("c.std");
  put_set(true, {"b.std", "a.std"});
  const auto folder = read_folder(scratch_.path(""), Partial::refused, {});
  ASSERT_TRUE(folder) << folder.error().message;
  ASSERT_EQ(folder->traces.size(), 2u);
  EXPECT_EQ(folder->made_by, "me");
  EXPECT_EQ(folder->traces[0].name, "b");
  EXPECT_EQ(folder->traces[1].path, scratch_.path("/a.std"));
  EXPECT_EQ(folder->traces[1].truth.pairs.size(), 1u);
}

TEST_F(FolderTest, HalfASetIsNotTakenForAWholeOne) {
  put_trace("a.std");
  EXPECT_THAT(error(), HasSubstr("has truths but no set.json"));
  put_set(false, {"a.std", "b.std"});
  EXPECT_THAT(error(), HasSubstr("the set is not whole; run the same 'deadheat inject' again"));
  const auto folder = read_folder(scratch_.path(""), Partial::taken, {});
  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_EQ(folder->traces.size(), 1u);
  put_set(true, {"a.std", "b.std"});
  EXPECT_THAT(error(), HasSubstr("b.truth.json: cannot open"));
}

TEST_F(FolderTest, NeedsTheTraces) {
  put_trace("a.std");
  put_set(true, {"a.std"});
  std::filesystem::remove(scratch_.path("a.std"));
  EXPECT_THAT(error(), HasSubstr("a.truth.json: its trace a.std is not there"));
  put_trace("a.std");
  put_set(true, {"a.dht"});
  EXPECT_THAT(error(), HasSubstr("is about a.std, and not about a.dht"));
  put_set(true, {});
  EXPECT_THAT(error(), HasSubstr("has no traces"));
}

TEST_F(FolderTest, WithoutLabelsSaysWhatMakesThem) {
  EXPECT_THAT(error(), HasSubstr("'deadheat inject' makes some"));
  EXPECT_THAT(read_folder("/nonexistent", Partial::refused, {}).error().message,
              HasSubstr("/nonexistent: cannot"));
}

TEST(RaceInjectorFolder, HasTheInjectedPairs) {
  const auto folder = read_folder(kCorpus + "raceinjector", Partial::refused, {});
  ASSERT_TRUE(folder) << folder.error().message;
  ASSERT_EQ(folder->traces.size(), 2u);
  const LabelledTrace& treeset = folder->traces[1];
  EXPECT_EQ(treeset.name, "treeset_injectedTrace100");
  ASSERT_EQ(treeset.truth.pairs.size(), 1u);
  EXPECT_EQ(treeset.truth.pairs[0].earlier, 490u);
  EXPECT_EQ(treeset.truth.pairs[0].later, 629u);
  EXPECT_EQ(treeset.truth.pairs[0].distance, 138u);
  EXPECT_FALSE(treeset.truth.complete);
  EXPECT_THAT(*treeset.published_as_missed_by, ElementsAre("hb", "shb", "wcp"));
  ASSERT_EQ(folder->warnings.size(), 1u);
  EXPECT_EQ(folder->warnings[0].count, 28u);
}

TEST(PrecisionFolder, HasAllRaces) {
  const auto folder = read_folder(kCorpus + "precision", Partial::refused, {});
  ASSERT_TRUE(folder) << folder.error().message;
  ASSERT_EQ(folder->traces.size(), 33u);
  EXPECT_TRUE(folder->traces[0].truth.complete);
  EXPECT_TRUE(folder->traces[0].truth.pairs.empty());
  ASSERT_EQ(folder->traces[1].truth.pairs.size(), 1u);
  EXPECT_EQ(folder->traces[1].truth.pairs[0].earlier, 0u);
  EXPECT_EQ(folder->traces[1].truth.pairs[0].later, 7u);
}

TEST_F(FolderTest, SaysWhichLineOfATableIsDamaged) {
  test::put(scratch_.path("A.std"), kTrace);
  test::put(scratch_.path("truth.tsv"), "case\tpublished\texact\tpairs\nA\t1\t1\t2-1\n");
  EXPECT_THAT(error(), HasSubstr("truth.tsv:2: \"2-1\" is not a pair of lines"));
  test::put(scratch_.path("truth.tsv"), "case\tpublished\texact\tpairs\n\nB\t1\t1\t1-2\n");
  EXPECT_THAT(error(), HasSubstr("truth.tsv:3: its trace B.std is not there"));
  test::put(scratch_.path("truth.tsv"), "case\tpublished\texact\tpairs\nA\t1\n");
  EXPECT_THAT(error(), HasSubstr("truth.tsv:2: has 2 columns where 4 are wanted"));
  test::put(scratch_.path("truth.tsv"), "case\tpublished\texact\tpairs\n../A\t1\t1\t1-2\n");
  EXPECT_THAT(error(), HasSubstr("truth.tsv:2: the first column is not the name"));
}

TEST_F(FolderTest, HasPlantedRaces) {
  test::put(scratch_.path("a.std"), kTrace);
  const std::string head = "event1\tevent2\tthread1\tthread2\tvariable\tkind\tsite1\tsite2\tgrade\n";
  test::put(scratch_.path("a.std.truth.tsv"), head + "0\t1\tT0\tT1\tx\tw-w\t1\t2\tobserved\n");
  const auto folder = read_folder(scratch_.path(""), Partial::refused, {});
  ASSERT_TRUE(folder) << folder.error().message;
  ASSERT_EQ(folder->traces.size(), 1u);
  EXPECT_FALSE(folder->traces[0].truth.complete);
  ASSERT_EQ(folder->traces[0].truth.pairs.size(), 1u);
  EXPECT_EQ(folder->traces[0].truth.pairs[0].kind, "write-write");
  EXPECT_EQ(folder->traces[0].truth.pairs[0].proof, "observed");
  test::put(scratch_.path("a.std.truth.tsv"), head + "1\tone\tT0\tT1\tx\tw-w\t1\t2\tobserved\n");
  EXPECT_THAT(error(), HasSubstr("a.std.truth.tsv:2: \"1\" and \"one\" are not two events"));
}

}  // namespace
}  // namespace deadheat::labels
