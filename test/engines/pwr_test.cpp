// The promises of pwr-ee, its variants with limits, and wdp.
#include <filesystem>
#include <fstream>

#include "engines/promises.h"
#include "oracle/release_order.h"
#include "support/load_trace.h"
#include "support/scratch.h"
#include "support/source_path.h"

namespace deadheat::test::pwr_tests {
namespace {

RaceList run(const std::string& engine, Trace trace) { return run_engine(engine, trace, any_cut(trace)); }
Pairs told(const std::string& engine, Trace trace) { return pairs_of(run(engine, trace)); }

class Pwr : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, Pwr, testing::Values("basic", "all", "readers", "atomics", "meetings"),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_P(Pwr, TellsExactlyThePairsOfItsOrder) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const oracle::Order order = oracle::pwr_order(trace);
    const Pairs pairs = oracle::lockset_and_pred_pairs(order);
    const bool paper = exactly(run("pwr-ee:paper", trace), oracle::lockset_and_order_pairs(order), trace);
    return oracle::promised(!pairs.empty(), exactly(run("pwr-ee", trace), pairs, trace) && paper);
  });
}

TEST_P(Pwr, WdpTellsExactlyThePairsOfItsOrder) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const oracle::Order order = oracle::wdp_order(trace);
    const Pairs pairs = oracle::lockset_and_pred_pairs(order);
    const bool paper = exactly(run("wdp:paper", trace), oracle::lockset_and_order_pairs(order), trace);
    return oracle::promised(!pairs.empty(), exactly(run("wdp", trace), pairs, trace) && paper);
  });
}

TEST_P(Pwr, AllPairsThatCanMeetAreTold) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const oracle::Reorderings possible = oracle::reorderings(trace);
    const Pairs pwr = told("pwr-ee", trace);
    return oracle::promised(!possible.co_enabled.empty(),
                            oracle::subset(possible.co_enabled, pwr) &&
                                oracle::subset(possible.co_enabled, told("wdp", trace)) &&
                                oracle::subset(possible.adjacent, told("pwr-ee:paper", trace)) &&
                                oracle::subset(possible.adjacent, told("wdp:paper", trace)));
  });
}

TEST_P(Pwr, PairsOfPwrArePairsOfWdp) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs pwr = told("pwr-ee", trace);
    return oracle::promised(!pwr.empty(), oracle::subset(pwr, told("wdp", trace)));
  });
}

// Each access is told with one other, and is flagged as without a limit.
TEST_P(Pwr, ALimitOfPairsLeavesSomeAndCountsWhereItDoes) {
  oracle::for_many_traces(options(), kTraces / 3, [](Trace trace) {
    bool holds = true, limited = false;
    for (const std::string engine : {"pwr-ee", "wdp"}) {
      const Pairs all = told(engine, trace);
      const RaceList races = run(engine + ":pairs=1", trace);
      const Pairs some = pairs_of(races);
      limited |= some.size() < all.size();
      holds &= oracle::subset(some, all) && flagged(some) == flagged(all) &&
               (some == all || counted(races, "accesses that reached the limit of pairs") > 0);
    }
    return oracle::promised(limited, holds);
  });
}

TEST_P(Pwr, OfTwoThreadsPairsCanMeetIfTheEarlierHoldsNoLock) {
  auto two = options();
  two.max_threads = 2;
  oracle::for_many_traces(two, kTraces, [](Trace trace) {
    const Pairs possible = oracle::reorderings(trace).co_enabled;
    Pairs without_lock;
    for (const Pair& pair : told("pwr-ee", trace)) {
      if (oracle::locks_held(trace, pair.first).empty()) without_lock.insert(pair);
    }
    return oracle::promised(!without_lock.empty(), oracle::subset(without_lock, possible));
  });
}

TEST_P(Pwr, EdgesLeftOutLeaveOutPairs) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs all = told("pwr-ee", trace);
    bool missing = false;
    for (const std::string engine : {"pwr-l:sections=unlimited", "pwr-ee-l:edges=0:sections=unlimited",
                                     "pwr-ee-l:edges=1:sections=unlimited", "pwr-ee-l:sections=unlimited"}) {
      const RaceList races = run(engine, trace);
      std::set<std::size_t> incomplete;
      for (const Pair& pair : all) {
        if (!pairs_of(races).contains(pair)) incomplete.insert(pair.second);
      }
      missing |= !incomplete.empty();
      if (!oracle::subset(pairs_of(races), all) || !told_once(races) || !told_truly(races, trace) ||
          counted(races, "critical sections dropped") != 0 ||
          incomplete.size() > counted(races, "accesses with pairs that may be missing") ||
          (!incomplete.empty() && counted(races, "edges dropped") == 0))
        return Outcome::fails;
    }
    return oracle::promised(missing, true);
  });
}

TEST_P(Pwr, SectionsLeftOutAddPairs) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs all = told("pwr-ee", trace);
    for (const char* limit : {"0", "1", "2", "5"}) {
      const RaceList races = run(std::string("pwr-ee-l:edges=unlimited:sections=") + limit, trace);
      const bool differs = pairs_of(races) != all;
      if (!oracle::subset(all, pairs_of(races)) || !told_once(races) || !told_truly(races, trace) ||
          (differs && counted(races, "times a dropped critical section may have been needed") == 0))
        return Outcome::fails;
    }
    return oracle::promised(!all.empty(), true);
  });
}

TEST_P(Pwr, WithoutLimitsItIsPwrEe) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs all = told("pwr-ee", trace);
    return oracle::promised(!all.empty(), told("pwr-ee-l:edges=unlimited:sections=unlimited", trace) == all);
  });
}

// Sections that bring in others, and many accesses to a variable, need more events than can be searched.
TEST_P(Pwr, LongTracesAreToldAsDefined) {
  oracle::for_many_traces(longer(), kTraces / 20, [](Trace trace) {
    const Pairs pwr = oracle::lockset_and_pred_pairs(oracle::pwr_order(trace));
    const Pairs wdp = oracle::lockset_and_pred_pairs(oracle::wdp_order(trace));
    return oracle::promised(
        !pwr.empty(), exactly(run("pwr-ee", trace), pwr, trace) && exactly(run("wdp", trace), wdp, trace));
  });
}

class Groups : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, Groups, testing::Values("basic", "all", "memory"),
                         [](const auto& profile) { return std::string(profile.param); });

// Accesses of any size, of which parts are allocated anew, among them.
TEST_P(Groups, TellTheSame) {
  for (const auto& traces : {options(), longer()}) {
    oracle::for_many_traces(traces, kTraces / 3, [](Trace trace) {
      bool any = false;
      for (const std::string engine : {"pwr-ee", "wdp", "wdp:paper", "shb-ee:limit=unlimited"}) {
        Cut cut = any_cut(trace);
        cut.many_met = UINT64_MAX;
        const RaceList single = run_engine(engine, trace, cut);
        for (const std::uint64_t many : {0, 1, 3}) {
          cut.many_met = many;
          const RaceList grouped = run_engine(engine, trace, cut);
          if (grouped.pairs != single.pairs) return Outcome::fails;
        }
        any |= !single.pairs.empty();
      }
      return oracle::promised(any, true);
    });
  }
}

// Counts pairs, and how often it was told of some.
class CountedPairs final : public engine::RaceSink {
 public:
  void race(const model::RacePair&) override { ++pairs, ++calls; }
  void races(const model::RaceRow& row) override { pairs += row.events.size(), ++calls; }
  std::uint64_t pairs = 0, calls = 0;
};

CountedPairs told_of(const std::string& engine, Trace trace) {
  auto made = engine::choose(engine)->make({});
  CountedPairs counted;
  model::WellFormed rules;
  for (std::size_t first = 0; first < trace.size();) {
    model::BlockBuilder builder(kMaxBlockEvents);
    std::size_t at = first;
    while (at < trace.size() && !builder.full()) builder.append(trace[at++]);
    engine::SortedBlock block(0, {});
    block.sort(builder.view(first));
    rules.feed(block.events, block.order());
    (*made)->order(block, counted);
    first = at;
  }
  return counted;
}

// One by one, five thousand million pairs would take minutes.
TEST(ARaceThatFiresOften, CostsNoMoreThanItsAccesses) {
  constexpr std::uint64_t kTimes = 100'000;
  for (const std::uint64_t bytes : {8, 16, 4}) {
    std::vector<Event> trace;
    std::uint64_t pairs = 0;
    for (std::uint64_t i = 0; i < kTimes; ++i) {
      // What is read or written besides meets in a part, or in all of it.
      const std::uint64_t size = i % 1000 == 17 ? 2 * bytes : bytes;
      trace.push_back({ThreadId{0}, {.kind = EventKind::write, .site = SiteId{1}, .value = size}, 0});
      trace.push_back({ThreadId{1}, {.kind = EventKind::write, .site = SiteId{2}, .value = bytes}, 0});
      pairs += 2 * i + 1;
    }
    for (const char* engine : {"pwr-ee", "wdp", "shb-ee:limit=unlimited"}) {
      const CountedPairs told = told_of(engine, trace);
      EXPECT_EQ(told.pairs, pairs) << engine << ", " << bytes << " bytes";
      EXPECT_LT(told.calls, 3 * kTimes) << engine << ", " << bytes << " bytes";
    }
  }
}

const std::string kFolder = test::source_path("test/corpus/pwr/");

// "1-4 2-4", events numbered from 1.
std::string shown(const Pairs& pairs) {
  std::string text;
  for (const auto& [a, b] : pairs) {
    text += (text.empty() ? "" : " ") + std::to_string(a + 1) + "-" + std::to_string(b + 1);
  }
  return text.empty() ? "-" : text;
}

// What is said of a trace: by the orders' definitions, which the engines must agree with.
struct Said {
  explicit Said(const std::string& name) : trace(load_trace(kFolder + name + ".std")) {
    const oracle::Order pwr_order = oracle::pwr_order(trace), wdp_order = oracle::wdp_order(trace);
    pwr = oracle::lockset_and_pred_pairs(pwr_order);
    pwr_paper = oracle::lockset_and_order_pairs(pwr_order);
    wdp = oracle::lockset_and_pred_pairs(wdp_order);
    wdp_paper = oracle::lockset_and_order_pairs(wdp_order);
    const oracle::Reorderings possible = oracle::reorderings(trace);
    co_enabled = possible.co_enabled;
    adjacent = possible.adjacent;
    EXPECT_EQ(told("pwr-ee", trace), pwr) << name;
    EXPECT_EQ(told("pwr-ee-l", trace), pwr) << name;
    EXPECT_EQ(told("pwr-ee:paper", trace), pwr_paper) << name;
    EXPECT_EQ(told("wdp", trace), wdp) << name;
    EXPECT_EQ(told("wdp:paper", trace), wdp_paper) << name;
  }
  std::vector<Event> trace;
  Pairs pwr, pwr_paper, wdp, wdp_paper, co_enabled, adjacent;
};

TEST(PwrExamples, ThePairsAreThoseOfTheTable) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".std") names.insert(entry.path().stem());
  }
  EXPECT_EQ(names.size(), 16u);
  std::string table = "trace\tpwr\tpwr, paper\twdp\twdp, paper\tco-enabled\tadjacent\n";
  for (const std::string& name : names) {
    const Said s(name);
    table += name;
    for (const Pairs* pairs : {&s.pwr, &s.pwr_paper, &s.wdp, &s.wdp_paper, &s.co_enabled, &s.adjacent})
      (table += "\t") += shown(*pairs);
    table += "\n";
  }
  if (std::getenv("DEADHEAT_UPDATE") != nullptr) std::ofstream(kFolder + "pairs.tsv") << table;
  EXPECT_EQ(contents(kFolder + "pairs.tsv"), table);
}

// What the paper says; "race" is its own notion, one right before the other.
struct Claim {
  const char* trace;
  std::size_t a, b;  // from 1
  bool race, pwr, wdp;
};

TEST(PwrExamples, ThePairsAreWhatThePaperSays) {
  constexpr bool kYes = true, kNo = false;
  constexpr Claim kClaims[] = {
      {"example-2.1-a", 1, 5, kYes, kYes, kYes},     {"example-2.1-b", 2, 5, kNo, kNo, kYes},
      {"example-2.2", 1, 6, kYes, kYes, kYes},       {"example-2.2", 3, 6, kNo, kNo, kNo},
      {"example-2.3", 2, 5, kNo, kNo, kNo},          {"example-2.4", 4, 9, kYes, kYes, kYes},
      {"example-2.5", 1, 8, kNo, kNo, kNo},          {"example-2.6", 3, 10, kNo, kNo, kYes},
      {"example-2.7", 2, 10, kNo, kNo, kNo},         {"example-3.9", 4, 11, kNo, kYes, kYes},
      {"example-3.9-locks", 8, 23, kNo, kYes, kYes}, {"example-4.6", 5, 7, kYes, kYes, kYes},
      {"example-4.6", 1, 7, kNo, kNo, kYes},         {"example-D.1", 1, 2, kYes, kYes, kYes},
      {"example-D.1", 2, 7, kYes, kYes, kYes},       {"example-E.4", 3, 9, kNo, kNo, kYes},
      {"example-F.1", 1, 4, kNo, kYes, kYes},        {"example-F.2", 6, 7, kYes, kYes, kYes},
      {"example-F.2", 1, 7, kYes, kYes, kYes},       {"example-F.3", 5, 7, kYes, kYes, kYes},
      {"example-F.3", 1, 7, kYes, kYes, kYes},       {"example-F.3", 3, 7, kNo, kNo, kNo},
  };
  for (const Claim& c : kClaims) {
    const Said s(c.trace);
    const Pair pair{c.a - 1, c.b - 1};
    EXPECT_EQ(s.adjacent.contains(pair), c.race) << c.trace << " " << c.a << "-" << c.b << " adjacent";
    EXPECT_EQ(s.pwr.contains(pair), c.pwr) << c.trace << " " << c.a << "-" << c.b << " pwr";
    EXPECT_EQ(s.pwr_paper.contains(pair), c.pwr) << c.trace << " " << c.a << "-" << c.b << " pwr, paper";
    EXPECT_EQ(s.wdp.contains(pair), c.wdp) << c.trace << " " << c.a << "-" << c.b << " wdp";
  }
}

// Among them traces that the paper's algorithm gets wrong: one application of its rule is not enough, and the
// lock of an acquire counts.
TEST(PwrCorpus, TellsThePairsOfTheCorpus) {
  std::size_t traces = 0;
  for (const char* folder : {"promises", "precision"}) {
    const std::string corpus = test::source_path("test/corpus/");
    for (const auto& entry : std::filesystem::directory_iterator(corpus + folder)) {
      if (entry.path().extension() != ".std") continue;
      ++traces;
      const auto trace = load_trace(entry.path().string());
      const oracle::Order pwr = oracle::pwr_order(trace), wdp = oracle::wdp_order(trace);
      EXPECT_EQ(told("pwr-ee", trace), oracle::lockset_and_pred_pairs(pwr)) << entry.path();
      EXPECT_EQ(told("pwr-ee:paper", trace), oracle::lockset_and_order_pairs(pwr)) << entry.path();
      EXPECT_EQ(told("wdp", trace), oracle::lockset_and_pred_pairs(wdp)) << entry.path();
      EXPECT_EQ(told("wdp:paper", trace), oracle::lockset_and_order_pairs(wdp)) << entry.path();
    }
  }
  EXPECT_GT(traces, 60u);
  const auto iterated = load_trace(test::source_path("test/corpus/promises/pwr-w3-iterates.std"));
  EXPECT_FALSE(told("pwr-ee:paper", iterated).contains({0, 12}));
}

TEST(PwrOptions, SaysWhatALimitMayBe) {
  for (const char* wrong : {"pwr-ee-l:edges=", "pwr-ee-l:sections=-1", "pwr-l:sections=all", "wdp:edges=2x",
                            "pwr-ee:pairs=few"}) {
    const auto choice = engine::choose(wrong);
    ASSERT_FALSE(choice) << wrong;
    EXPECT_NE(choice.error().message.find("0 or more, or 'unlimited'"), std::string::npos)
        << choice.error().message;
  }
  EXPECT_EQ(engine::choose("pwr-ee-l:edges=25:sections=5")->name(), "pwr-ee-l");
}

TEST(PwrExamples, WithoutEdgesTheWriteThatWasReplacedIsMissed) {
  const auto trace = load_trace(kFolder + "example-2.2.std");
  EXPECT_TRUE(told("pwr-l", trace).empty());  // example 2.8
  EXPECT_EQ(shown(told("pwr-ee-l:edges=1", trace)), "1-6");
}

}  // namespace
}  // namespace deadheat::test::pwr_tests
