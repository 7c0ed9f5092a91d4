// What rex and rex-lockset promise: leaving out changes no pair of places that races.
#include "filter/rex.h"

#include <tuple>

#include "engines/promises.h"
#include "filter/contexts.h"
#include "filter/remembered.h"
#include "oracle/blocks.h"
#include "support/run_filter.h"
#include "support/source_path.h"

namespace deadheat::test::rex_tests {
namespace {

using Kept = std::vector<bool>;

class Rex : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, Rex, testing::Values("basic", "all", "readers", "atomics", "meetings"),
                         [](const auto& profile) { return std::string(profile.param); });

// On each cell, the unordered pairs of (site, kind) that race there: what the promise is about.
using Place = std::pair<SiteId, EventKind>;
using Places = std::set<std::tuple<std::uint64_t, Place, Place>>;
Places places_of(Trace trace, const Pairs& pairs, const Kept& kept) {
  Places found;
  for (const auto& [a, b] : pairs) {
    if (!kept[a] || !kept[b]) continue;
    Place p{trace[a].op.site, trace[a].op.kind}, q{trace[b].op.site, trace[b].op.kind};
    if (q < p) std::swap(p, q);
    const oracle::Bytes bytes = oracle::bytes_of(trace[a]).common(oracle::bytes_of(trace[b]));
    for (std::uint64_t cell = bytes.first / kCellBytes; cell * kCellBytes < bytes.end; ++cell) {
      const oracle::Bytes part = bytes.common({cell * kCellBytes, (cell + 1) * kCellBytes});
      if (oracle::any_kept(trace, a, b, part)) found.insert({cell, p, q});
    }
  }
  return found;
}

bool some_left_out(const Kept& kept) { return std::ranges::find(kept, false) != kept.end(); }

// The pairs stay, and so do the racy variables of the engines.
Outcome keeps(Trace trace, const Pairs& pairs, const Kept& kept, std::initializer_list<const char*> engines) {
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (!kept[i] && !is_access(trace[i].op.kind)) return Outcome::fails;
  }
  if (!some_left_out(kept)) return Outcome::says_nothing;
  if (places_of(trace, pairs, kept) != places_of(trace, pairs, Kept(trace.size(), true))) {
    return Outcome::fails;
  }
  for (const char* engine : engines) {
    const RaceList with = run_filtered(engine, kept, trace, any_cut(trace));
    const RaceList without = run_engine(engine, trace, any_cut(trace));
    std::set<std::uint32_t> some, all;
    for (const auto& pair : with.pairs) some.insert(index(pair.variable));
    for (const auto& pair : without.pairs) all.insert(index(pair.variable));
    if (some != all) return Outcome::fails;
    if (!oracle::subset(pairs_of(with), pairs) || !told_truly(with, trace)) return Outcome::fails;
  }
  return Outcome::holds;
}

// Few things to do, so that they are done again and again.
oracle::SmallTraceOptions repetitive(oracle::SmallTraceOptions options) {
  options.max_variables = 2;
  options.max_threads = 3;
  options.max_events = 30;
  return options;
}

TEST_P(Rex, KeepsThePlacesThatRaceByHappensBeforeAndTheRacyVariables) {
  oracle::for_many_traces(repetitive(options()), kTraces, [](Trace trace) {
    const Kept kept = kept_by("rex", trace, any_cut(trace).block);
    if (!some_left_out(kept)) return Outcome::says_nothing;
    return keeps(trace, oracle::hb_order(trace).unordered(), kept, {"djit", "fasttrack", "fasttrack-tree"});
  });
}

TEST_P(Rex, LocksetKeepsThePlacesOfTsan1AndOfLockset) {
  oracle::for_many_traces(repetitive(options()), kTraces, [](Trace trace) {
    const Kept kept = kept_by("rex-lockset", trace, any_cut(trace).block);
    if (!some_left_out(kept)) return Outcome::says_nothing;
    const Pairs lockset = oracle::lockset_pairs(trace);
    if (keeps(trace, lockset, kept, {"lockset"}) == Outcome::fails) return Outcome::fails;
    return keeps(trace, oracle::tsan1_pairs(lockset, oracle::hard_order(trace)), kept, {"tsan1"});
  });
}

// With little memory, short rests and accesses that do not repeat in between.
TEST_P(Rex, KeepsThemIfItForgetsAndRests) {
  auto longer = repetitive(options());
  longer.min_events = 30;
  longer.max_events = 80;
  oracle::for_many_traces(longer, kTraces / 3, [](Trace trace) {
    filter::Rex<filter::OwnReleases, filter::ByOneThread> rex({}, 64, 7);
    filter::Rex<filter::LocksHeld, filter::ByOneThread> rex_lockset({}, 64, 7);
    const std::size_t block = any_cut(trace).block;
    const Kept by_rex = kept_by(rex, trace, block), by_lockset = kept_by(rex_lockset, trace, block);
    if (!some_left_out(by_rex) && !some_left_out(by_lockset)) return Outcome::says_nothing;
    const Pairs lockset = oracle::lockset_pairs(trace);
    const Pairs tsan1 = oracle::tsan1_pairs(lockset, oracle::hard_order(trace));
    if (keeps(trace, oracle::hb_order(trace).unordered(), by_rex, {"djit", "fasttrack"}) == Outcome::fails ||
        keeps(trace, lockset, by_lockset, {"lockset"}) == Outcome::fails ||
        keeps(trace, tsan1, by_lockset, {"tsan1"}) == Outcome::fails) {
      return Outcome::fails;
    }
    return Outcome::holds;
  });
}

TEST_P(Rex, LeavesOutTheSameHoweverTheTraceIsCut) {
  oracle::for_many_traces(repetitive(options()), kTraces / 10, [](Trace trace) {
    for (const char* name : {"rex:window=3", "rex:window=3:cross-thread", "rex-lockset:window=3"}) {
      const Kept whole = kept_by(name, trace, 1000);
      for (const std::size_t block : {1, 2, 7}) {
        if (kept_by(name, trace, block) != whole) return Outcome::fails;
      }
    }
    return Outcome::holds;
  });
}

// Without locks a thread's context changes at the same moments for both.
TEST_P(Rex, AndRexLocksetAreTheSameWhereThereAreNoLocks) {
  auto none = repetitive(options());
  for (const EventKind kind : {EventKind::acquire, EventKind::acquire_shared}) none.weight(kind) = 0;
  oracle::for_many_traces(none, kTraces / 10, [](Trace trace) {
    const Kept kept = kept_by("rex", trace);
    return oracle::promised(some_left_out(kept), kept == kept_by("rex-lockset", trace));
  });
}

// What it may leave out, as slow as it is said: for each cell there is the same by the same thread before,
// with nothing passed on in between, and the cell not made new.
bool redundant(Trace trace, const std::vector<std::size_t>& outermost, std::size_t b) {
  const Event& e = trace[b];
  for (std::uint64_t cell = 0; cell < cells(e.op); ++cell) {
    const std::uint64_t at = e.object + cell;
    bool found = false;
    for (std::size_t a = b; a-- > 0 && !found;) {
      const Event& f = trace[a];
      const bool there = oracle::is_memory(f.op.kind) && f.object <= at && at < f.object + cells(f.op);
      found = there && f.thread == e.thread && f.op.site == e.op.site && f.op.kind == e.op.kind &&
              model::bytes_in_cell(f.op, at - f.object) == model::bytes_in_cell(e.op, cell);
      if (there && f.op.kind == EventKind::alloc) break;
      if (f.thread != e.thread) continue;
      const bool release = f.op.kind == EventKind::release || f.op.kind == EventKind::release_shared;
      if (filter::passes_on(f.op) || (release && std::ranges::find(outermost, a) != outermost.end())) {
        found = false;
        break;
      }
    }
    if (!found) return false;
  }
  return true;
}
TEST_P(Rex, LeavesOutWhatIsRedundantAndMostOfIt) {
  std::uint64_t may = 0, does = 0;
  oracle::for_many_traces(repetitive(options()), kTraces, [&](Trace trace) {
    const Kept kept = kept_by("rex", trace, any_cut(trace).block);
    const auto outermost = oracle::edges::outermost(trace);
    for (std::size_t i = 0; i < trace.size(); ++i) {
      if (!is_access(trace[i].op.kind)) continue;
      const bool can = redundant(trace, outermost, i);
      if (!kept[i] && !can) return Outcome::fails;
      may += can;
      does += !kept[i];
    }
    return oracle::promised(some_left_out(kept), true);
  });
  EXPECT_GT(does, may / 2);
}

Event event_of(std::uint32_t t, EventKind kind, std::uint32_t object, std::uint32_t site = 1,
               std::uint64_t value = 0, MemoryOrder order = MemoryOrder::relaxed) {
  return {ThreadId{t}, {.kind = kind, .order = order, .site = SiteId{site}, .value = value}, object};
}
using K = EventKind;

// What stands between two equal accesses, and whether the second one must be looked at then.
TEST(RexContexts, ChangeWithAllThatPassesOnAndNothingElse) {
  struct Case {
    std::vector<Event> between;
    bool matters, matters_for_locksets;
  };
  const auto order = [](K kind, MemoryOrder o) { return event_of(0, kind, 9, 2, 0, o); };
  const std::vector<Case> cases = {
      {{event_of(0, K::fork, 1)}, true, true},
      {{event_of(0, K::send, 0)}, true, true},
      {{event_of(0, K::barrier_enter, 0)}, true, true},
      {{event_of(0, K::acquire, 0), event_of(0, K::release, 0)}, true, false},
      {{event_of(0, K::acquire_shared, 0), event_of(0, K::release_shared, 0)}, true, false},
      {{event_of(0, K::acquire, 0)}, false, true},
      {{event_of(0, K::read, 0, 2), event_of(0, K::read, 1), event_of(0, K::write, 0)}, false, false},
      {{event_of(1, K::acquire, 0), event_of(1, K::write, 0), event_of(1, K::release, 0)}, false, false},
      {{event_of(1, K::send, 0), event_of(0, K::recv, 0)}, false, false},
      {{order(K::fence, MemoryOrder::release)}, true, true},
      {{order(K::fence, MemoryOrder::acquire)}, false, false},
      {{order(K::atomic_store, MemoryOrder::release)}, true, true},
      {{order(K::atomic_store, MemoryOrder::relaxed)}, false, false},
      {{order(K::atomic_rmw, MemoryOrder::acq_rel)}, true, true},
      {{order(K::atomic_rmw, MemoryOrder::acquire)}, false, false},
      {{order(K::atomic_load, MemoryOrder::seq_cst)}, false, false},
      {{event_of(0, K::alloc, 0)}, true, true},
      {{event_of(1, K::alloc, 0, 1, 8)}, true, true},
      {{event_of(1, K::alloc, 1'000'000)}, false, false},
      {{event_of(0, K::free, 0)}, false, false},
  };
  for (const Case& c : cases) {
    std::vector<Event> trace = {event_of(0, K::read, 0)};
    trace.insert(trace.end(), c.between.begin(), c.between.end());
    trace.push_back(event_of(0, K::read, 0));
    const std::string what(name_of(c.between[0].op.kind));
    EXPECT_EQ(kept_by("rex", trace).back(), c.matters) << what;
    EXPECT_EQ(kept_by("rex-lockset", trace).back(), c.matters_for_locksets) << what;
  }
}

TEST(RexContexts, ReEnteredLocksDoNotChangeThem) {
  const std::vector<Event> trace = {event_of(0, K::acquire, 0), event_of(0, K::read, 0),
                                    event_of(0, K::acquire, 0), event_of(0, K::release, 0),
                                    event_of(0, K::read, 0),    event_of(0, K::release, 0)};
  EXPECT_FALSE(kept_by("rex", trace)[4]);
  EXPECT_FALSE(kept_by("rex-lockset", trace)[4]);
}

TEST(RexKeys, HaveThreadSiteKindVariableAndBytes) {
  const auto sized = [](std::uint8_t offset, std::uint64_t size) {
    Event e = event_of(0, K::read, 0, 1, size);
    e.op.offset = offset;
    return e;
  };
  const std::vector<Event> different = {event_of(0, K::read, 0),
                                        event_of(1, K::read, 0),
                                        event_of(0, K::read, 1),
                                        event_of(0, K::read, 0, 2),
                                        event_of(0, K::write, 0),
                                        event_of(0, K::atomic_load, 0),
                                        sized(0, 4),
                                        sized(4, 4),
                                        event_of(0, K::atomic_store, 0),
                                        sized(0, 1),
                                        event_of(0, K::atomic_rmw, 0),
                                        event_of(0, K::read, 0, 0),
                                        event_of(0, K::write, 0, 0),
                                        event_of(0, K::read, 1000, 0),
                                        event_of(0, K::free, 5),
                                        event_of(0, K::free, 5)};
  EXPECT_EQ(kept_by("rex", different), Kept(different.size(), true));
  for (const Event& e : different) {
    EXPECT_EQ(kept_by("rex", std::vector{e, e}), (Kept{true, e.op.kind == K::free})) << name_of(e.op.kind);
  }
}

TEST(RexKeys, AWideAccessIsLeftOutIfAllOfItsCellsAreKnown) {
  const auto wide = [](std::uint32_t x, std::uint64_t bytes) { return event_of(0, K::write, x, 1, bytes); };
  EXPECT_EQ(kept_by("rex", std::vector{wide(0, 24), wide(0, 16), wide(1, 16), wide(1, 24), wide(0, 32)}),
            (Kept{true, false, false, true, false}));
  EXPECT_EQ(kept_by("rex", std::vector{wide(0, 24), event_of(1, K::alloc, 2, 1, 8), wide(0, 24)}),
            (Kept{true, true, true}));
  EXPECT_EQ(kept_by("rex", std::vector{wide(0, 1 << 20), wide(0, 1 << 20)}), (Kept{true, true}))
      << "so much is not remembered";
}

TEST(RexMemory, ManyAllocationsOfOnePlaceAreToldApart) {
  std::vector<Event> trace;
  for (int i = 0; i < 3000; ++i) {
    trace.push_back(event_of(0, K::alloc, 0, 1, 8));
    trace.push_back(event_of(0, K::read, 0));
  }
  EXPECT_EQ(kept_by("rex", trace, 100), Kept(trace.size(), true));
}

TEST(RexMemory, AnAllocOfMuchMemoryRenewsAllOfIt) {
  const std::vector<Event> trace = {event_of(0, K::read, 77'777), event_of(1, K::alloc, 5, 1, 8u << 20),
                                    event_of(0, K::read, 77'777), event_of(0, K::read, 77'777)};
  EXPECT_EQ(kept_by("rex", trace), (Kept{true, true, true, false}));
  EXPECT_EQ(kept_by("rex-lockset", trace), (Kept{true, true, true, false}));
}

TEST(RexMemory, WhatHasNoPlaceIsKeptAndCounted) {
  filter::Rex<filter::OwnReleases, filter::ByOneThread> rex({}, 320, 0);
  const std::vector<Event> trace = {event_of(0, K::read, 9), event_of(0, K::read, 10),
                                    event_of(0, K::read, 9), event_of(0, K::read, 10)};
  EXPECT_EQ(kept_by(rex, trace), (Kept{true, true, false, true}));
  EXPECT_EQ(rex.counters()[0].value, 2u);
}

TEST(RexMemory, SitesOfHighNumbersAreKept) {
  const std::vector<Event> trace(2, event_of(0, K::read, 0, filter::kMostSites));
  EXPECT_EQ(kept_by("rex", trace), (Kept{true, true}));
}

TEST(RexRest, ComesWhereLittleIsLeftOutAndIsCounted) {
  std::vector<Event> trace;
  for (std::uint32_t i = 0; i < 4000; ++i) trace.push_back(event_of(0, K::read, i));
  for (std::uint32_t i = 0; i < 4000; ++i) trace.push_back(event_of(0, K::read, 0));
  filter::Rex<filter::OwnReleases, filter::ByOneThread> rex({}, 1 << 20, 100);
  const Kept kept = kept_by(rex, trace, 64);
  EXPECT_TRUE(std::all_of(kept.begin(), kept.begin() + 4000, [](bool k) { return k; }));
  const auto left_out = std::count(kept.begin() + 4000, kept.end(), false);
  EXPECT_GT(left_out, 700);
  EXPECT_LT(left_out, 3999) << "it was still resting";
  EXPECT_GT(rex.counters()[3].value, 3000u);
}

std::vector<Event> corpus(const std::string& name) {
  auto source = open_source(test::source_path("test/corpus/promises/") + name + ".std");
  std::vector<Event> trace;
  while (source) {
    const auto block = (*source)->next();
    if (!block || *block == nullptr) break;
    for (std::size_t i = 0; i < (*block)->size(); ++i) trace.push_back((**block)[i]);
  }
  return trace;
}
std::string left_out_of(const std::string& name, std::string_view filter) {
  std::string out;
  const Kept kept = kept_by(filter, corpus(name));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) out += (out.empty() ? "" : " ") + std::to_string(i + 1);
  }
  return out.empty() ? "-" : out;
}

// Events from 1, as the corpus counts them.
TEST(RexCorpus, LeavesOutWhatThePageOfTheTracesSays) {
  struct Row {
    const char *trace, *rex, *cross_thread, *lockset;
  };
  const std::vector<Row> rows = {
      {"rex-flagged-site", "3", "3", "3"}, {"rex-fork-in-history", "-", "-", "-"},
      {"rex-two-threads", "-", "7", "-"},  {"rex-two-threads-release", "-", "3", "-"},
      {"rex-lockset-hb", "-", "-", "6"},   {"rex-two-threads-tsan1", "-", "4", "-"},
      {"rex-before-shb", "3", "3", "3"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(left_out_of(row.trace, "rex"), row.rex) << row.trace;
    EXPECT_EQ(left_out_of(row.trace, "rex:cross-thread"), row.cross_thread) << row.trace;
    EXPECT_EQ(left_out_of(row.trace, "rex-lockset"), row.lockset) << row.trace;
  }
}

// The paper's rule for two threads, and what it costs.
TEST(RexCorpus, TheRuleForTwoThreadsLosesTheRaceOfTheThird) {
  for (const char* name : {"rex-two-threads", "rex-two-threads-release"}) {
    const auto trace = corpus(name);
    EXPECT_FALSE(run_engine("djit", trace).pairs.empty()) << name;
    EXPECT_EQ(run_filtered("djit", kept_by("rex", trace), trace).pairs, run_engine("djit", trace).pairs)
        << name;
    EXPECT_NE(run_filtered("djit", kept_by("rex:cross-thread", trace), trace).flagged(),
              run_engine("djit", trace).flagged())
        << name;
  }
}

// How much is lost by it in random traces: some places that race, and now and then a racy variable.
TEST(RexCrossThread, LosesPlacesThatRaceInSomeTraces) {
  std::uint64_t lost = 0, places = 0, lost_variables = 0, variables = 0, more = 0;
  const oracle::Seeds seeds(kTraces);
  auto options = oracle::SmallTraceOptions::basic();
  options.max_variables = 1;
  options.max_threads = 5;
  options.max_events = 30;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    const auto trace = oracle::small_trace(seed, options);
    const Kept own = kept_by("rex", trace), cross = kept_by("rex:cross-thread", trace);
    more += std::ranges::count(cross, false) > std::ranges::count(own, false);
    const Pairs pairs = oracle::hb_order(trace).unordered();
    const std::size_t all = places_of(trace, pairs, Kept(trace.size(), true)).size();
    const std::size_t left = places_of(trace, pairs, cross).size();
    places += all;
    lost += all - left;
    variables += all > 0;
    lost_variables += all > 0 && left == 0;
  }
  EXPECT_GT(more, seeds.count / 50);
  EXPECT_GT(lost, 0u);
  EXPECT_LT(lost, places / 10);
  if (std::getenv("DEADHEAT_TRACES") == nullptr) return;
  std::printf("cross-thread: lost %llu of %llu places, %llu of %llu variables, in %llu traces\n", 1ULL * lost,
              1ULL * places, 1ULL * lost_variables, 1ULL * variables, 1ULL * seeds.count);
}

}  // namespace
}  // namespace deadheat::test::rex_tests
