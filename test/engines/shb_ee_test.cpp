// The promises of shb-ee: all pairs of schedulable happens-before, or those that a limit leaves.
#include <filesystem>

#include "deadheat/trace.h"
#include "engines/promises.h"
#include "support/load_trace.h"
#include "support/source_path.h"

namespace deadheat::test {
namespace {

constexpr const char* kLimited[] = {"shb-ee:limit=0", "shb-ee:limit=1", "shb-ee:limit=3", "shb-ee"};

Pairs all_pairs(Trace trace) { return oracle::shb_pairs(oracle::shb_and_allocations_order(trace)); }
// The paper's: what is not ordered, and each read with what it reads, if that is not ordered before the event
// before the read.
Pairs paper_pairs(Trace trace) {
  Pairs pairs = oracle::shb_and_allocations_order(trace).unordered();
  for (const Pair& pair : all_pairs(trace)) {
    if (oracle::reads(trace[pair.second].op.kind) &&
        oracle::edges::sources_of(trace, pair.second).contains(pair.first)) {
      pairs.insert(pair);
    }
  }
  return pairs;
}

class ShbEe : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, ShbEe, testing::Values("basic", "all"),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_P(ShbEe, UnlimitedTellsExactlyThePairsOfWhichTheEarlierNeedNotComeFirst) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs pairs = all_pairs(trace);
    const RaceList races = run_engine("shb-ee:limit=unlimited", trace, any_cut(trace));
    return oracle::promised(!pairs.empty(),
                            exactly(races, pairs, trace) && counted(races, "edges dropped") == 0 &&
                                counted(races, "accesses with pairs that may be missing") == 0);
  });
}

TEST_P(ShbEe, AsThePaperHasItTellsUnorderedPairsAndReadsWithTheirWrites) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs pairs = paper_pairs(trace);
    const RaceList races = run_engine("shb-ee:limit=unlimited:paper", trace, any_cut(trace));
    return oracle::promised(!pairs.empty(), exactly(races, pairs, trace));
  });
}

TEST_P(ShbEe, ALimitLeavesSomeOfThePairsAndAllFlags) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs pairs = all_pairs(trace), of_paper = paper_pairs(trace);
    const auto flagged_by_shb = run_engine("shb", trace, any_cut(trace)).flagged();
    for (const std::string engine : kLimited) {
      const RaceList races = run_engine(engine, trace, any_cut(trace));
      if (!oracle::subset(pairs_of(races), pairs) || !told_once(races) || !told_truly(races, trace) ||
          races.flagged() != flagged_by_shb)
        return Outcome::fails;
      const RaceList some = run_engine(engine + ":paper", trace, any_cut(trace));
      if (!oracle::subset(pairs_of(some), of_paper) || !told_once(some)) return Outcome::fails;
    }
    return oracle::promised(!pairs.empty(), true);
  });
}

TEST_P(ShbEe, PairsAreMissingOnlyWhereThatIsCounted) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs pairs = all_pairs(trace);
    bool missing = false;
    for (const char* engine : kLimited) {
      const RaceList races = run_engine(engine, trace, any_cut(trace));
      std::set<std::size_t> incomplete;
      for (const Pair& pair : pairs) {
        if (!pairs_of(races).contains(pair)) incomplete.insert(pair.second);
      }
      missing |= !incomplete.empty();
      if (incomplete.size() > counted(races, "accesses with pairs that may be missing"))
        return Outcome::fails;
      if (!incomplete.empty() && counted(races, "edges dropped") == 0) return Outcome::fails;
    }
    return oracle::promised(missing, true);
  });
}

// Small traces have few accesses to one variable.
TEST_P(ShbEe, ManyAccessesToAVariableAreToldAsWell) {
  auto longer = options();
  longer.min_events = 100;
  longer.max_events = 300;
  oracle::for_many_traces(longer, kTraces / 30, [](Trace trace) {
    const Pairs pairs = all_pairs(trace);
    if (!exactly(run_engine("shb-ee:limit=unlimited", trace, any_cut(trace)), pairs, trace))
      return Outcome::fails;
    std::size_t fewer = 0;
    for (const char* engine : {"shb-ee:limit=0", "shb-ee:limit=5", "shb-ee:limit=8", "shb-ee"}) {
      const RaceList races = run_engine(engine, trace, any_cut(trace));
      if (!oracle::subset(pairs_of(races), pairs) || races.pairs.size() < fewer || !told_once(races))
        return Outcome::fails;
      fewer = races.pairs.size();
    }
    return oracle::promised(!pairs.empty(), true);
  });
}

TEST(ShbEe, TwentySevenWritesOfOneThreadLoseTheFirstToTheLimit) {
  std::vector<Event> trace;
  for (int i = 0; i < 27; ++i)
    trace.push_back({ThreadId{0}, {.kind = EventKind::write, .site = SiteId{1}}, 0});
  trace.push_back({ThreadId{1}, {.kind = EventKind::write, .site = SiteId{2}}, 0});
  const RaceList all = run_engine("shb-ee:limit=unlimited", trace), some = run_engine("shb-ee", trace);
  EXPECT_EQ(all.pairs.size(), 27u);
  ASSERT_EQ(some.pairs.size(), 26u);
  EXPECT_EQ(some.pairs.front().earlier.event, 1u);
  EXPECT_EQ(counted(some, "edges dropped"), 1u);
  EXPECT_EQ(counted(some, "accesses with pairs that may be missing"), 1u);
  EXPECT_EQ(run_engine("shb-ee:limit=0", trace).pairs.size(), 1u);
}

const std::string kCorpus = test::source_path("test/corpus/");

TEST(ShbEe, TellsThePairsOfTheCorpus) {
  std::size_t traces = 0;
  for (const char* folder : {"promises", "precision"}) {
    for (const auto& entry : std::filesystem::directory_iterator(kCorpus + folder)) {
      if (entry.path().extension() != ".std") continue;
      ++traces;
      const auto trace = load_trace(entry.path().string());
      EXPECT_EQ(pairs_of(run_engine("shb-ee:limit=unlimited", trace)), all_pairs(trace)) << entry.path();
      EXPECT_EQ(pairs_of(run_engine("shb-ee:limit=unlimited:paper", trace)), paper_pairs(trace))
          << entry.path();
    }
  }
  EXPECT_GT(traces, 60u);
}

TEST(ShbEe, ThePaperMissesAWriteThatIsNotTheOneRead) {
  const auto trace = load_trace(kCorpus + "promises/write-not-read.std");
  EXPECT_TRUE(pairs_of(run_engine("shb-ee", trace)).contains({0, 2}));
  EXPECT_FALSE(pairs_of(run_engine("shb-ee:paper", trace)).contains({0, 2}));
}

TEST(ShbEe, SaysWhatALimitMayBe) {
  for (const char* wrong : {"shb-ee:limit=", "shb-ee:limit=-1", "shb-ee:limit=2x", "shb-ee:limit=all",
                            "shb-ee:limit=99999999999999999999"}) {
    const auto choice = engine::choose(wrong);
    ASSERT_FALSE(choice) << wrong;
    EXPECT_NE(choice.error().message.find("0 or more, or 'unlimited'"), std::string::npos)
        << choice.error().message;
  }
  for (const char* right : {"shb-ee:limit=18446744073709551615", "shb-ee:limit=25", "shb-ee:paper"}) {
    EXPECT_TRUE(engine::choose(right)) << right;
  }
  EXPECT_EQ(engine::choose("shb-ee:limit=25")->name(), "shb-ee");
}

}  // namespace
}  // namespace deadheat::test
