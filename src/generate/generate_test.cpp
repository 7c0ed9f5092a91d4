#include "generate/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/well_formed.h"
#include "oracle/blocks.h"
#include "oracle/happens_before.h"
#include "oracle/well_formed_oracle.h"

namespace deadheat::generate {
namespace {

struct Made {
  std::vector<Event> events;
  std::vector<PlantedRace> truth;
};

Made make(const Parameters& p) {
  oracle::MemorySink sink;
  Made made;
  const Status status = generate(p, sink, [&](const PlantedRace& race) { made.truth.push_back(race); });
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_TRUE(sink.finished);
  made.events = std::move(sink.events);
  return made;
}

// Small enough for the oracles, with fewer of everything so that threads meet.
Parameters small(Pattern pattern, std::uint64_t seed, std::uint64_t events) {
  Parameters p = defaults_of(pattern);
  p.seed = seed;
  p.events = events;
  p.threads = pattern == Pattern::many_threads ? 60 : 5;
  p.live = 7;
  p.locks = 4;
  p.shared = 40;
  p.local = 5;
  p.sites = 30;
  p.run_length = 6;
  if (pattern == Pattern::barrier) p.access_share = 0.8;
  return p;
}

bool well_formed(const std::vector<Event>& events) {
  model::WellFormed w;
  oracle::for_each_block(events, 1000, [&](const BlockView& view) { w.feed(view); });
  for (const auto& v : w.kept()) ADD_FAILURE() << v.at.number << ": " << describe(v, Names{});
  return w.ok();
}

std::set<std::uint32_t> racy_variables(const std::vector<Event>& events) {
  std::set<std::uint32_t> racy;
  for (const auto& [a, b] : oracle::HappensBefore(events).races()) {
    racy.insert(events[a].object);
    racy.insert(events[b].object);
  }
  return racy;
}

class EveryPattern : public testing::TestWithParam<Pattern> {};

INSTANTIATE_TEST_SUITE_P(Patterns, EveryPattern,
                         testing::Values(Pattern::mutex, Pattern::rwlock, Pattern::producer_consumer,
                                         Pattern::barrier, Pattern::atomics, Pattern::many_threads,
                                         Pattern::mixed),
                         [](const auto& pattern) {
                           std::string name(name_of(pattern.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(EveryPattern, IsWellFormedAndOfTheLengthAskedFor) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    for (const std::uint64_t events : {150u, 151u, 400u, 3000u, 60000u}) {
      const Made made = make(small(GetParam(), seed, events));
      EXPECT_EQ(made.events.size(), events);
      EXPECT_TRUE(well_formed(made.events)) << "seed " << seed << ", " << events << " events";
      if (events > 400) continue;
      EXPECT_FALSE(oracle::first_fault(made.events).has_value()) << "seed " << seed;
    }
  }
}

TEST_P(EveryPattern, AnyShapeOfItIsWellFormed) {
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    Parameters p = defaults_of(GetParam());
    p.seed = random();
    p.threads = 1 + random.below(random.one_in(2) ? 4 : 40);
    p.live = 1 + random.below(10);
    p.locks = 1 + random.below(10);
    p.shared = 1 + random.below(random.one_in(2) ? 4 : 100);
    p.local = 1 + random.below(5);
    p.sites = 1 + random.below(random.one_in(2) ? 3 : 50);
    p.nesting = 1 + random.below(5);
    p.run_length = 1 + random.below(30);
    p.access_share = random.below(100) / 100.0;
    p.read_share = random.below(101) / 100.0;
    p.sized = random.one_in(2);
    p.races = p.threads < 2 ? 0 : random.below(5);
    p.race_distance = random.below(300);
    p.fork_tree =
        p.pattern == Pattern::many_threads ? ForkTree::flat : static_cast<ForkTree>(random.below(3));
    p.events = least_events(p) + random.below(random.one_in(2) ? 50 : 3000);
    const Made made = make(p);
    EXPECT_EQ(made.events.size(), p.events);
    EXPECT_EQ(made.truth.size(), p.races);
    EXPECT_TRUE(well_formed(made.events)) << "case " << i;
    std::set<std::uint32_t> planted;
    for (const PlantedRace& race : made.truth) planted.insert(index(race.variable));
    EXPECT_EQ(racy_variables(made.events), planted) << "case " << i;
  }
}

TEST_P(EveryPattern, IsTheSameForTheSameSeedAndAnyBlockSize) {
  Parameters p = small(GetParam(), 3, 5000);
  p.races = 3;
  const Made first = make(p);
  EXPECT_EQ(make(p).events, first.events);
  p.block_events = 17;
  EXPECT_EQ(make(p).events, first.events);
  p.seed = 4;
  EXPECT_NE(make(p).events, first.events);
}

TEST_P(EveryPattern, IsRaceFreeUnlessRacesArePlanted) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Parameters p = small(GetParam(), seed, 3000);
    EXPECT_EQ(racy_variables(make(p).events), std::set<std::uint32_t>{}) << "seed " << seed;
  }
}

TEST_P(EveryPattern, HasExactlyThePlantedRaces) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const std::uint64_t distance : {0u, 1u, 100u, 100000u}) {
      Parameters p = small(GetParam(), seed, 3000);
      p.races = seed == 1 ? 200 : 10;
      p.race_distance = distance;
      const Made made = make(p);
      ASSERT_EQ(made.truth.size(), p.races);
      std::set<std::pair<std::size_t, std::size_t>> planted;
      for (const PlantedRace& race : made.truth) {
        planted.insert({race.event1, race.event2});
        const Event &e1 = made.events[race.event1], &e2 = made.events[race.event2];
        EXPECT_EQ(e1.thread, race.thread1);
        EXPECT_EQ(e2.thread, race.thread2);
        EXPECT_EQ(e1.op.kind, race.kind1);
        EXPECT_EQ(e2.op.kind, race.kind2);
        EXPECT_EQ(e1.op.site, race.site1);
        EXPECT_EQ(e2.op.site, race.site2);
        EXPECT_EQ(e1.object, index(race.variable));
        EXPECT_EQ(e2.object, index(race.variable));
      }
      const auto found = oracle::HappensBefore(made.events).races();
      EXPECT_EQ(std::set(found.begin(), found.end()), planted)
          << "seed " << seed << ", distance " << distance;
    }
  }
}

TEST(Generate, FarRacesAreFarWhereTheScheduleAllowsIt) {
  Parameters p = defaults_of(Pattern::mutex);
  p.events = 200000;
  p.locks = 1000;  // threads rarely meet
  p.access_share = 0.98;
  p.races = 50;
  p.race_distance = 200;
  const Made made = make(p);
  const auto far = std::count_if(made.truth.begin(), made.truth.end(),
                                 [](const PlantedRace& race) { return race.event2 - race.event1 >= 200; });
  EXPECT_GE(far, 45);
}

// But gaps and failed attempts, which only recordings have.
TEST(Generate, MixedHasEveryKindOfEvent) {
  std::set<EventKind> kinds, wanted;
  for (std::size_t i = 0; i < kEventKinds; ++i) {
    const EventKind kind{static_cast<std::uint8_t>(i)};
    if (!is_gap(kind) && !is_failed_attempt(kind)) wanted.insert(kind);
  }
  for (const Event& e : make(small(Pattern::mixed, 1, 20000)).events) kinds.insert(e.op.kind);
  EXPECT_EQ(kinds, wanted);
}

TEST(Generate, MutexHasTheSharesAskedFor) {
  Parameters p = defaults_of(Pattern::mutex);
  p.events = 400000;
  const Made made = make(p);
  double reads = 0, accesses = 0;
  for (const Event& e : made.events) {
    reads += e.op.kind == EventKind::read;
    accesses += is_access(e.op.kind);
  }
  EXPECT_NEAR(accesses / static_cast<double>(p.events), p.access_share, 0.005);
  EXPECT_NEAR(reads / accesses, p.read_share, 0.005);
}

// Not by happens-before alone: every pair that conflicts has a lock in common.
TEST(Generate, LockPatternsGuardEveryConflictByALock) {
  for (const Pattern pattern : {Pattern::mutex, Pattern::rwlock, Pattern::many_threads}) {
    const Made made = make(small(pattern, 5, 3000));
    std::vector<std::multiset<std::uint32_t>> now(60);
    std::vector<std::set<std::uint32_t>> held;
    for (const Event& e : made.events) {
      auto& locks = now[index(e.thread)];
      if (e.op.kind == EventKind::acquire || e.op.kind == EventKind::acquire_shared) locks.insert(e.object);
      if (e.op.kind == EventKind::release || e.op.kind == EventKind::release_shared) {
        locks.erase(locks.find(e.object));
      }
      held.emplace_back(locks.begin(), locks.end());
    }
    const oracle::HappensBefore hb(made.events);
    for (std::size_t b = 0; b < made.events.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        if (!hb.conflict(a, b)) continue;
        const bool common =
            std::any_of(held[a].begin(), held[a].end(), [&](std::uint32_t l) { return held[b].contains(l); });
        EXPECT_TRUE(common) << name_of(pattern) << ": events " << a << " and " << b;
      }
    }
  }
}

TEST(Generate, ForkTreesAreAsAskedFor) {
  for (const ForkTree tree : {ForkTree::flat, ForkTree::binary, ForkTree::none}) {
    Parameters p = small(Pattern::mutex, 2, 2000);
    p.threads = 7;
    p.fork_tree = tree;
    std::size_t forks = 0, joins = 0;
    for (const Event& e : make(p).events) {
      if (e.op.kind != EventKind::fork && e.op.kind != EventKind::join) continue;
      ++(e.op.kind == EventKind::fork ? forks : joins);
      EXPECT_EQ(index(e.thread), tree == ForkTree::flat ? 0 : (e.object - 1) / 2);
    }
    EXPECT_EQ(forks, tree == ForkTree::none ? 0u : 6u);
    EXPECT_EQ(joins, forks);
  }
}

TEST(Generate, RefusesWhatMakesNoSense) {
  const auto message = [](auto change) {
    Parameters p;
    change(p);
    oracle::MemorySink sink;
    const Status status = generate(p, sink);
    EXPECT_FALSE(status);
    EXPECT_TRUE(sink.events.empty());
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(message([](Parameters& p) { p.threads = 0; }),
            "the number of threads must be from 1 to 1048576, not 0");
  EXPECT_EQ(message([](Parameters& p) { p.events = 5; }),
            "5 events are too few: the forks, joins and planted races of this workload alone are 14");
  EXPECT_EQ(message([](Parameters& p) {
              p.threads = 1;
              p.races = 1;
            }),
            "a race needs two threads; ask for more than 1 thread");
  EXPECT_EQ(message([](Parameters& p) { p.access_share = 1; }),
            "the share of accesses must be from 0 to 0.9999, not 1");
}

class FailingSink final : public Sink {
 public:
  Status append(const BlockView&, const Names&) override {
    return ++calls < 3 ? Status{} : io_error("disk full");
  }
  Status finish() override {
    ADD_FAILURE() << "a failed sink is not finished";
    return {};
  }
  int calls = 0;
};

TEST(Generate, StopsWhenTheSinkFails) {
  FailingSink sink;
  Parameters p;
  p.events = 1'000'000'000'000;
  const Status status = generate(p, sink);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "disk full");
  EXPECT_EQ(sink.calls, 3);
}

}  // namespace
}  // namespace deadheat::generate
