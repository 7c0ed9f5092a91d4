#include "analysis/race_log.h"

#include <gtest/gtest.h>

namespace deadheat::analysis {
namespace {

model::RacePair pair(std::uint64_t earlier, std::uint32_t site, std::uint64_t later, std::uint32_t other,
                     std::uint32_t variable = 0) {
  return {VarId{variable},
          {earlier, ThreadId{0}, SiteId{site}, EventKind::write},
          {later, ThreadId{1}, SiteId{other}, EventKind::write}};
}

TEST(RaceLog, GroupsByUnorderedPairOfSites) {
  RaceLog one, two;
  one.race(pair(5, 1, 9, 2));
  one.race(pair(3, 2, 7, 1, 4));
  two.race(pair(1, 1, 8, 2));
  two.race(pair(1, 1, 8, 3));
  const auto findings = RaceLog::put_together({{{&one}, {}}, {{&two}, {}}});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].first, pair(3, 2, 7, 1, 4));
  EXPECT_EQ(findings[0].instances, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(findings[0].variables, 2u);
  EXPECT_EQ(findings[1].first, pair(1, 1, 8, 3));
}

TEST(RaceLog, ShowsAnInstanceOfTheBestGradeAndKeepsOthers) {
  RaceLog suspected, seen;
  for (std::uint64_t i = 0; i < 20; ++i) suspected.race(pair(2 * i, 1, 100 + i, 2));
  seen.race(pair(50, 1, 104, 2));
  const auto findings =
      RaceLog::put_together({{{&suspected}, engine::Grade::candidate}, {{&seen}, engine::Grade::observed}});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].first, pair(50, 1, 104, 2));
  ASSERT_EQ(findings[0].others.size(), kInstancesKept - 1);
  EXPECT_EQ(findings[0].others[1], pair(2, 1, 101, 2));
}

TEST(RaceLog, TakesARowAsItsPairs) {
  std::vector<std::uint64_t> events;
  for (std::uint64_t i = 0; i < 20; ++i) events.push_back(3 * i);
  RaceLog row, pairs;
  for (const std::uint64_t later : {90, 80}) {
    for (const std::uint64_t earlier : events) pairs.race(pair(earlier, 1, later, 2, 7));
    const model::RacePair first = pair(0, 1, later, 2, 7);
    row.races({first.variable, first.earlier, events, first.later});
  }
  EXPECT_EQ(row.pairs(), 40u);
  const auto a = RaceLog::put_together({{{&row}, {}}}), b = RaceLog::put_together({{{&pairs}, {}}});
  ASSERT_EQ(a.size(), 1u);
  EXPECT_EQ(a[0].first, b[0].first);
  EXPECT_EQ(a[0].others, b[0].others);
  EXPECT_EQ(a[0].instances, b[0].instances);
  EXPECT_EQ(a[0].variables, b[0].variables);
}

TEST(RaceLog, TellsVariablesApartWhereASiteIsMissing) {
  RaceLog log;
  log.race(pair(1, 0, 2, 3, 7));
  log.race(pair(1, 3, 2, 0, 7));
  log.race(pair(4, 0, 5, 3, 8));
  EXPECT_EQ(RaceLog::put_together({{{&log}, {}}}).size(), 2u);
}

TEST(RaceLog, TakesAWidePairWithoutSitesForOneRace) {
  RaceLog log;
  for (std::uint32_t cell = 0; cell < 4096; ++cell) log.race(pair(1, 0, 2, 0, cell));
  const auto findings = RaceLog::put_together({{{&log}, {}}});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].instances[0], 512u) << "once a line";
}

TEST(RaceLog, CountsThePairsThatThereIsNoRoomFor) {
  RaceLog log(nullptr, std::make_shared<std::atomic<std::uint64_t>>(2));
  for (std::uint32_t site = 1; site <= 5; ++site) log.race(pair(site, site, 10 + site, 9, 7));
  EXPECT_EQ(RaceLog::put_together({{{&log}, {}}}).size(), 2u);
  EXPECT_EQ(log.pairs(), 5u);
  EXPECT_EQ(log.pairs_not_kept(), 3u);
}

TEST(RaceLog, CountsAPairThatMeetsInSeveralCellsOnceALine) {
  RaceLog log;
  const auto meet = [&](std::uint32_t cell, std::uint64_t earlier) {
    log.race({VarId{cell},
              {earlier, ThreadId{0}, SiteId{1}, EventKind::write},
              {9, ThreadId{1}, SiteId{2}, EventKind::read}});
  };
  for (const std::uint32_t cell : {6u, 7u, 8u, 9u}) {
    meet(cell, 3);
    meet(cell, 4);
  }
  const auto findings = RaceLog::put_together({{{&log}, {}}});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].instances, std::vector<std::uint64_t>{4});
  EXPECT_EQ(findings[0].variables, 4u);
  EXPECT_EQ(log.pairs(), 4u);
}

}  // namespace
}  // namespace deadheat::analysis
