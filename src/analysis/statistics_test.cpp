#include "analysis/statistics.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>

#include "oracle/blocks.h"
#include "oracle/random_trace.h"
#include "trace/summarize.h"

namespace deadheat::analysis::statistics_tests {
namespace {

using Trace = std::vector<Event>;
using K = EventKind;

Event make(std::uint32_t t, K kind, std::uint32_t object = 0) {
  return {ThreadId{t}, {.kind = kind}, object};
}

Statistics count(const Trace& trace, std::size_t block = 7) {
  Statistics s;
  oracle::for_each_block(trace, block, [&](const BlockView& view) { s.feed(view); });
  return s;
}

TEST(Statistics, AContendedAcquireIsOneByAnotherThreadThanTheOneBefore) {
  const auto locks =
      count({make(0, K::acquire, 1), make(0, K::acquire, 1), make(0, K::release, 1), make(0, K::release, 1),
             make(0, K::acquire, 1), make(0, K::release, 1), make(70, K::acquire_shared, 1),
             make(0, K::acquire_shared, 1), make(1, K::acquire, 0)})
          .top_locks(10);
  ASSERT_EQ(locks.size(), 2u);
  EXPECT_EQ(locks[0].lock, LockId{1});
  EXPECT_EQ(locks[0].acquires, 4u);
  EXPECT_EQ(locks[0].shared, 2u);
  EXPECT_EQ(locks[0].reentries, 1u);
  EXPECT_EQ(locks[0].contended, 2u);
  EXPECT_EQ(locks[0].threads, 2u);
  EXPECT_EQ(locks[1].contended, 0u);
}

TEST(Statistics, VariablesWithMoreThreadsComeFirst) {
  Trace trace;
  for (int i = 0; i < 9; ++i) trace.push_back(make(0, K::read, 5));
  for (const std::uint32_t t : {0u, 63u, 64u, 65u, 64u, 1000u, 64u}) trace.push_back(make(t, K::write, 9));
  const auto variables = count(trace).top_variables(1);
  ASSERT_EQ(variables.size(), 1u);
  EXPECT_EQ(variables[0].variable, VarId{9});
  EXPECT_EQ(variables[0].threads, 5u);
  EXPECT_EQ(variables[0].accesses, 7u);
  EXPECT_EQ(variables[0].writes, 7u);
}

TEST(Statistics, TheFirstOfManyAreTheSameAsOfAllSorted) {
  Trace trace;
  for (std::uint32_t x = 0; x < 5000; ++x) {
    for (std::uint32_t i = 0; i <= x * 7919 % 13; ++i) trace.push_back(make(i % 3, K::read, x));
  }
  const Statistics s = count(trace, 1000);
  const auto all = s.top_variables(5000), some = s.top_variables(50);
  ASSERT_EQ(all.size(), 5000u);
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].variable, all[i].variable);
    EXPECT_GE(all[i].threads, all[i + 1].threads);
  }
}

TEST(Statistics, RunsGoOnAcrossBlocks) {
  const Trace trace = {make(0, K::read), make(0, K::read), make(0, K::read), make(1, K::read),
                       make(0, K::read)};
  for (const std::size_t block : {1, 2, 3, 100}) {
    const Statistics s = count(trace, block);
    EXPECT_EQ(s.runs(), 3u);
    EXPECT_EQ(s.longest_run(), 3u);
  }
}

// Said slowly, one question at a time.
void agrees_with_counting(const Trace& trace, const Statistics& s) {
  std::map<std::uint32_t, std::uint64_t> accesses, writes, sites;
  std::map<std::uint32_t, std::set<ThreadId>> threads;
  for (const Event& e : trace) {
    ++sites[index(e.op.site)];
    if (!is_access(e.op.kind)) continue;
    ++accesses[e.object];
    writes[e.object] += e.op.kind != K::read && e.op.kind != K::atomic_load;
    threads[e.object].insert(e.thread);
  }
  const auto variables = s.top_variables(1000);
  RC_ASSERT(variables.size() == accesses.size());
  for (const VariableUse& x : variables) {
    const std::uint32_t id = index(x.variable);
    RC_ASSERT(x.accesses == accesses[id]);
    RC_ASSERT(x.writes == writes[id]);
    RC_ASSERT(x.threads == threads[id].size());
  }
  sites.erase(0);
  RC_ASSERT(s.sites_used() == sites.size());
  for (const SiteUse& site : s.top_sites(1000)) RC_ASSERT(site.events == sites[index(site.site)]);
}

// The footer of a .dht is written by the Summarizer: both say the same.
void agrees_with_the_footer(const Trace& trace, const Statistics& s) {
  trace::Summarizer footer;
  trace::Bounds bounds;
  for (const Event& e : trace) {
    const ObjectKind kind = object_kind(e.op.kind);
    const std::uint64_t end = e.object + (kind == ObjectKind::variable ? cells(e.op) : 1);
    bounds.of(kind) = std::max(bounds.of(kind), static_cast<std::uint32_t>(end));
    bounds.of(ObjectKind::thread) = std::max(bounds.of(ObjectKind::thread), index(e.thread) + 1);
    bounds.sites = std::max(bounds.sites, index(e.op.site) + 1);
  }
  oracle::for_each_block(trace, 11, [&](const BlockView& view) { footer.add(view, bounds); });
  if (!trace.empty()) RC_ASSERT(s.summary() == footer.summary());
}

TEST(Statistics, AgreesWithCountingAndWithTheFooterOnRandomTraces) {
  EXPECT_TRUE(rc::check([] {
    Trace trace = oracle::random_well_formed(*rc::gen::inRange<std::size_t>(0, 200));
    if (*rc::gen::inRange(0, 2) == 0) trace = oracle::mutate(std::move(trace));
    for (Event& e : trace) {
      if (*rc::gen::inRange(0, 3) == 0 && is_of_memory(e.op.kind)) {
        e.thread = ThreadId{60 + *rc::gen::inRange<std::uint32_t>(0, 9)};
      }
    }
    const Statistics s = count(trace, *rc::gen::inRange<std::size_t>(1, 50));
    agrees_with_counting(trace, s);
    agrees_with_the_footer(trace, s);
  }));
}

}  // namespace
}  // namespace deadheat::analysis::statistics_tests
