// The engines of happens-before against its closure, on random traces of all event kinds.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>

#include "oracle/happens_before.h"
#include "oracle/random_trace.h"
#include "support/run_engine.h"

namespace deadheat::engine {
namespace {

using test::Cut;
using test::run_engine;

Cut any_cut() {
  return {*rc::gen::inRange<std::size_t>(1, 40), *rc::gen::inRange<std::uint32_t>(0, 3),
          *rc::gen::inRange<std::uint32_t>(1, 5)};
}

std::vector<std::uint64_t> closure_flags(const oracle::HappensBefore& hb) {
  std::set<std::uint64_t> flags;
  for (const auto& [a, b] : hb.races()) flags.insert(b);
  return {flags.begin(), flags.end()};
}

TEST(Djit, FlagsExactlyTheAccessesThatRaceWithAnEarlierOne) {
  EXPECT_TRUE(rc::check([] {
    const auto trace = oracle::random_well_formed(*rc::gen::inRange<std::size_t>(1, 80));
    const oracle::HappensBefore hb(trace);
    RC_ASSERT(run_engine("djit", trace, any_cut()).flagged() == closure_flags(hb));
  }));
}

TEST(Djit, TellsOnlyPairsThatRace) {
  EXPECT_TRUE(rc::check([] {
    const auto trace = oracle::random_well_formed(*rc::gen::inRange<std::size_t>(1, 80));
    const oracle::HappensBefore hb(trace);
    for (const auto& pair : run_engine("djit", trace, any_cut()).pairs) {
      RC_ASSERT(hb.conflict(pair.earlier.event, pair.later.event));
      RC_ASSERT(!hb.ordered(pair.earlier.event, pair.later.event));
      for (const auto* side : {&pair.earlier, &pair.later}) {
        const Event& event = trace[side->event];
        RC_ASSERT(side->thread == event.thread);
        RC_ASSERT(side->site == event.op.site);
        RC_ASSERT(side->kind == event.op.kind);
      }
    }
  }));
}

}  // namespace
}  // namespace deadheat::engine
