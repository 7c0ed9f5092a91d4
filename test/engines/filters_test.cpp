// What filters have in common, and what samplers promise: each pair told is one of the trace, and as much is
// looked at as was asked for.
#include <cmath>
#include <set>

#include "engines/promises.h"
#include "support/run_filter.h"

namespace deadheat::test::filters_tests {
namespace {

using Kept = std::vector<bool>;

class Samplers : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, Samplers, testing::Values("basic", "all", "atomics"),
                         [](const auto& profile) { return std::string(profile.param); });

const std::vector<const char*> kSamplers = {"events:rate=0.5",           "addresses:rate=0.5:period=7",
                                            "periods:rate=0.5:length=5", "windows:rate=0.5:length=5",
                                            "cold:burst=1:least=0.2",    "sites:only=even"};

TEST(Filters, AllSamplersAreTried) {
  for (const filter::Row& row : filter::rows()) {
    if (row.role != filter::Role::sample || row.windows != nullptr) continue;
    EXPECT_EQ(std::ranges::count_if(kSamplers, [&](const char* s) { return engine::name_in(s) == row.name; }),
              1)
        << row.name;
  }
}

TEST_P(Samplers, LetEnginesTellOnlyPairsThatRace) {
  oracle::for_many_traces(options(), kTraces / 3, [](Trace trace) {
    const Pairs pairs = oracle::hb_order(trace).unordered();
    const Pairs co_enabled = oracle::shb_pairs(oracle::shb_and_allocations_order(trace));
    for (const char* sampler : kSamplers) {
      const Kept kept = kept_by(sampler, trace, any_cut(trace).block);
      // djit, restricted to what is looked at.
      Pairs among;
      for (const auto& [a, b] : pairs) {
        if (kept[a] && kept[b]) among.insert({a, b});
      }
      const RaceList djit = run_filtered("djit", kept, trace, any_cut(trace));
      if (!oracle::subset(pairs_of(djit), pairs) || djit.flagged() != flagged(among)) return Outcome::fails;
      const RaceList shb = run_filtered("shb", kept, trace, any_cut(trace));
      if (!oracle::subset(pairs_of(shb), co_enabled)) return Outcome::fails;
    }
    return oracle::promised(!pairs.empty(), true);
  });
}

TEST_P(Samplers, LookAtTheSameHoweverTheTraceIsCut) {
  oracle::for_many_traces(options(), kTraces / 10, [](Trace trace) {
    for (const char* sampler : kSamplers) {
      const Kept whole = kept_by(sampler, trace, 1000);
      for (const std::size_t block : {1, 2, 7}) {
        if (kept_by(sampler, trace, block) != whole) return Outcome::fails;
      }
    }
    return Outcome::holds;
  });
}

// However many shards there are, and whether it is asked for all events or for numbers of accesses.
TEST_P(Samplers, LeaveInABlockWhatTheyKeep) {
  oracle::for_many_traces(options(), kTraces / 10, [](Trace trace) {
    for (const char* sampler : kSamplers) {
      const Kept kept = kept_by(sampler, trace, 7);
      for (const std::uint32_t shard_bits : {0, 2}) {
        auto chain = filter::Chain::make(std::vector{choose_filter(sampler)});
        if (!chain) return Outcome::fails;
        std::set<std::uint64_t> left, expected;
        for_each_block(trace, 7, shard_bits, [&](engine::SortedBlock& block) {
          chain->filter(block);
          for (std::uint32_t shard = 0; shard < block.sharding.shards(); ++shard) {
            for (const engine::Position& at : block.accesses(shard)) {
              left.insert(block.events.first + at.event);
              if (!block.is_checked(at.event)) left.insert(trace.size());
            }
          }
        });
        for (std::size_t i = 0; i < trace.size(); ++i) {
          if (is_of_memory(trace[i].op.kind) && kept[i]) expected.insert(i);
        }
        if (left != expected) return Outcome::fails;
      }
    }
    return Outcome::holds;
  });
}

Event access(std::uint32_t t, std::uint32_t x, std::uint32_t site = 1, std::uint64_t bytes = 0) {
  return {ThreadId{t}, {.kind = EventKind::write, .site = SiteId{site}, .value = bytes}, x};
}
double share(const Kept& kept) {
  return static_cast<double>(std::ranges::count(kept, true)) / static_cast<double>(kept.size());
}

// Four times the deviation that independent choices would have.
void expect_rate(const std::string& sampler, const std::vector<Event>& trace, double rate, double choices) {
  const double deviation = std::sqrt(rate * (1 - rate) / choices);
  EXPECT_NEAR(share(kept_by(sampler, trace, 1000)), rate, 4 * deviation) << sampler;
}

TEST(Rates, AreThoseThatWereAskedFor) {
  constexpr std::size_t kEvents = 200'000;
  std::vector<Event> trace;
  for (std::uint32_t i = 0; i < kEvents; ++i) trace.push_back(access(i % 4, i % 40'000));
  for (const char* rate : {"0.001", "0.03", "0.5", "1"}) {
    const double p = std::atof(rate);
    const std::string with = std::string(":rate=") + rate;
    for (const char* seed : {":seed=1", ":seed=7"}) {
      expect_rate("events" + with + seed, trace, p, kEvents);
      expect_rate("addresses" + with + seed, trace, p, 40'000 / 8);
      expect_rate("periods:length=20" + with + seed, trace, p, kEvents / 20);
      expect_rate("windows:length=20" + with + seed, trace, p, kEvents / 40);
    }
  }
  EXPECT_EQ(share(kept_by("events:rate=0", trace)), 0);
  EXPECT_EQ(share(kept_by("addresses:rate=0", trace)), 0);
  EXPECT_EQ(share(kept_by("periods:rate=0", trace)), 0);
}

TEST(Rates, OtherSeedsLookAtOthers) {
  std::vector<Event> trace;
  for (std::uint32_t i = 0; i < 5000; ++i) trace.push_back(access(0, i));
  for (const char* sampler : {"events:rate=0.5", "addresses:rate=0.5", "periods:rate=0.5:length=50",
                              "windows:rate=0.5:length=50"}) {
    EXPECT_NE(kept_by(std::string(sampler) + ":seed=1", trace),
              kept_by(std::string(sampler) + ":seed=2", trace))
        << sampler;
  }
}

// The share of pairs of which both are looked at: two accesses of a variable, so many events apart.
double pairs_seen(const std::string& sampler, std::uint32_t apart) {
  std::vector<Event> trace;
  for (std::uint32_t group = 0; group < 100'000; group += apart) {
    for (std::uint32_t i = 0; i < apart; ++i) trace.push_back(access(0, 8 * (group + i)));
    for (std::uint32_t i = 0; i < apart; ++i) trace.push_back(access(1, 8 * (group + i)));
  }
  const Kept kept = kept_by(sampler, trace, 1000);
  double seen = 0, all = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (i / apart % 2 != 0) continue;
    all += 1;
    seen += kept[i] && kept[i + apart] ? 1 : 0;
  }
  return seen / all;
}

TEST(Pairs, AreSeenWithTheRateOrItsSquare) {
  for (const std::uint32_t apart : {2u, 5000u}) {
    EXPECT_NEAR(pairs_seen("events:rate=0.1", apart), 0.01, 0.002);
    EXPECT_NEAR(pairs_seen("addresses:rate=0.1", apart), 0.1, 0.01);
  }
  EXPECT_NEAR(pairs_seen("periods:rate=0.1:length=100", 2), 0.1, 0.03);
  EXPECT_NEAR(pairs_seen("periods:rate=0.1:length=100", 5000), 0.01, 0.01);
  EXPECT_NEAR(pairs_seen("windows:rate=0.1:length=100", 2), 0.1, 0.03);
  EXPECT_NEAR(pairs_seen("windows:rate=0.1:length=100", 5000), 0.01, 0.01);
}

TEST(Addresses, OfOneLineAreTogetherAndAWideAccessIsInIfAnyOfItsLinesIs) {
  std::vector<Event> trace;
  for (std::uint32_t x = 0; x < 8000; ++x) trace.push_back(access(0, x));
  const Kept kept = kept_by("addresses:rate=0.3", trace);
  for (std::uint32_t x = 0; x < 8000; ++x) EXPECT_EQ(kept[x], kept[x / 8 * 8]) << x;
  std::vector<Event> wide;
  for (std::uint32_t x = 0; x < 7000; x += 8) wide.push_back(access(0, x + 4, 1, 64));
  const Kept of_wide = kept_by("addresses:rate=0.3", wide);
  for (std::size_t i = 0; i < wide.size(); ++i) EXPECT_EQ(of_wide[i], kept[8 * i] || kept[8 * i + 8]) << i;
}

TEST(Addresses, ChangeAfterEachPeriod) {
  std::vector<Event> trace;
  for (int round = 0; round < 4; ++round) {
    for (std::uint32_t x = 0; x < 1000; ++x) trace.push_back(access(0, 8 * x));
  }
  const Kept kept = kept_by("addresses:rate=0.5:period=2000", trace);
  const auto part = [&](int round) {
    return Kept(kept.begin() + 1000 * round, kept.begin() + 1000 * (round + 1));
  };
  EXPECT_EQ(part(0), part(1));
  EXPECT_NE(part(1), part(2));
  EXPECT_EQ(part(2), part(3));
}

TEST(Cold, SeesTheFirstAccessesOfEachThreadAndSiteAndThenFewer) {
  std::vector<Event> trace;
  for (std::uint32_t i = 0; i < 100'000; ++i) trace.push_back(access(i % 2, i, 1));
  for (std::uint32_t i = 0; i < 10; ++i) trace.push_back(access(0, i, 2));
  trace.push_back({ThreadId{0}, {.kind = EventKind::free, .site = SiteId{1}}, 0});
  const Kept kept = kept_by("cold", trace, 1000);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_TRUE(kept[i]) << i;
  for (std::size_t i = 100'000; i < trace.size(); ++i) EXPECT_TRUE(kept[i]) << i;
  const auto hot = [&](std::size_t from, std::size_t to) {
    return std::count(kept.begin() + static_cast<std::ptrdiff_t>(from),
                      kept.begin() + static_cast<std::ptrdiff_t>(to), true);
  };
  EXPECT_EQ(hot(20, 100), 0) << "at a tenth there are 90 before the next 10, more or less";
  EXPECT_LT(hot(0, 100'000), 200);
  EXPECT_GT(hot(30'000, 100'000), 20) << "but never none";
}

TEST(Sites, AreLookedAtIfTheyAreInTheSet) {
  std::vector<Event> trace;
  for (std::uint32_t i = 0; i < 1000; ++i) trace.push_back(access(i % 3, i, i % 7));
  trace.push_back({ThreadId{0}, {.kind = EventKind::free, .site = SiteId{1}}, 0});
  trace.push_back({ThreadId{0}, {.kind = EventKind::alloc, .site = SiteId{1}}, 0});
  trace.push_back({ThreadId{0}, {.kind = EventKind::free, .site = SiteId{2}}, 0});
  const Kept kept = kept_by("sites:only=even", trace, 64);
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(kept[i], i % 7 % 2 == 0) << i;
  EXPECT_FALSE(kept[1000]);
  EXPECT_TRUE(kept[1001]) << "an alloc makes memory new";
  EXPECT_TRUE(kept[1002]);
}

// Filters leave alone what is not an access: what orders, and what makes memory new.
TEST(Filters, LeaveOutOnlyAccessesAndFrees) {
  const auto options = oracle::SmallTraceOptions::all();
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto trace = oracle::small_trace(seed, options);
    for (const char* name : {"rex", "rex:cross-thread", "rex-lockset", "events:rate=0", "addresses:rate=0",
                             "periods:rate=0", "windows:rate=1e-9", "cold", "sites:only=even"}) {
      const Kept kept = kept_by(name, trace);
      for (std::size_t i = 0; i < trace.size(); ++i)
        EXPECT_TRUE(kept[i] || filter::may_leave_out(trace[i].op.kind)) << name;
    }
  }
}

TEST(Filters, ACallerSeesOnlyWhatTheOnesBeforeHaveLeft) {
  std::vector<filter::Choice> choices = {choose_filter("rex:window=0"), choose_filter("events:rate=0.5")};
  auto chain = filter::Chain::make(choices);
  ASSERT_TRUE(chain);
  std::vector<Event> trace;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    for (int again = 0; again < 3; ++again) trace.push_back(access(0, i));
  }
  trace.push_back({ThreadId{0}, {.kind = EventKind::alloc}, 0});
  std::uint64_t positions = 0;
  for (const std::uint32_t bits : {0u, 1u}) {
    for_each_block(trace, 64, bits, [&](engine::SortedBlock& block) {
      if (bits > 0) return;
      chain->filter(block);
      positions += block.accesses(0).size();
    });
  }
  const auto& links = chain->links();
  EXPECT_EQ(links[0].seen, 3000u) << "an alloc is no access";
  EXPECT_EQ(links[0].kept, 1000u);
  EXPECT_EQ(links[1].seen, 1000u);
  EXPECT_NEAR(static_cast<double>(links[1].kept), 500, 64);
  EXPECT_EQ(positions, links[1].kept + 1);
}

TEST(Filters, CountTheSameForAnyNumberOfShards) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto trace = oracle::small_trace(seed, oracle::SmallTraceOptions::all());
    std::vector<std::pair<std::uint64_t, std::uint64_t>> counts;
    for (const std::uint32_t bits : {0u, 2u}) {
      auto chain = filter::Chain::make(std::vector{choose_filter("events:rate=0.5")});
      for_each_block(trace, 5, bits, [&](engine::SortedBlock& block) { chain->filter(block); });
      counts.emplace_back(chain->links()[0].seen, chain->links()[0].kept);
    }
    EXPECT_EQ(counts[0], counts[1]);
    EXPECT_EQ(counts[0].first, static_cast<std::uint64_t>(std::ranges::count_if(
                                   trace, [](const Event& e) { return filter::may_leave_out(e.op.kind); })));
  }
}

TEST(Filters, AreRefusedBeforeEnginesThatWouldBeWrongBehindThem) {
  using B = engine::Basis;
  for (const filter::Row& row : filter::rows()) {
    for (const engine::Row& engine : engine::rows()) {
      bool fits = engine.basis == B::nothing;
      if (row.name == "rex") fits |= engine.basis == B::happens_before;
      if (row.name == "rex-lockset") fits |= engine.basis == B::locksets;
      if (row.role == filter::Role::sample) fits |= engine.basis != B::accesses;
      // In windows ids are others.
      if (row.windows != nullptr) {
        fits = engine.basis == B::happens_before || (engine.basis == B::nothing && engine.name != "print");
      }
      EXPECT_EQ(row.refuses(engine).empty(), fits) << row.name << " " << engine.name;
    }
  }
}

}  // namespace
}  // namespace deadheat::test::filters_tests
