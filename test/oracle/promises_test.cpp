// What the relations promise of each other, for all well-formed traces. Engines are compared with the
// relations elsewhere; here the relations are compared with what can really happen.
#include <gtest/gtest.h>

#include "oracle/many_traces.h"
#include "oracle/relations.h"

namespace deadheat::oracle {
namespace {

constexpr std::uint64_t kTraces = 1000;

class Promises : public testing::TestWithParam<const char*> {
 public:
  SmallTraceOptions options() const {
    return std::string(GetParam()) == "basic" ? SmallTraceOptions::basic() : SmallTraceOptions::all();
  }
};
INSTANTIATE_TEST_SUITE_P(Profiles, Promises, testing::Values("basic", "all"),
                         [](const auto& profile) { return std::string(profile.param); });

// Up to the first race all that was read was written before it by happens-before: so the events before the
// two accesses are a correct reordering. Only values of relaxed atomics, and memory that one thread allocates
// or frees and another uses, come without an order: relaxed-value.std, allocated-by-another.std.
TEST_P(Promises, FirstHbRaceIsCoEnabledIfMemoryIsOrderedBeforeIt) {
  for_many_traces(options(), kTraces, [](Trace trace) {
    const Relations r(trace);
    const std::size_t e = first_flagged(trace, r.hb_pairs);
    if (e == trace.size() || !memory_is_ordered(trace, r.hb, e)) return Outcome::says_nothing;
    return promised(true, subset(pairs_of(r.hb_pairs, e), reorderings(trace).co_enabled));
  });
}

TEST_P(Promises, ShbFlagsTheSameFirstEventAsHbIfMemoryIsOrderedBeforeIt) {
  for_many_traces(options(), kTraces, [](Trace trace) {
    const Relations r(trace);
    const std::size_t e = first_flagged(trace, r.hb_pairs);
    if (e == trace.size() || !memory_is_ordered(trace, r.hb, e)) return Outcome::says_nothing;
    return promised(true, first_flagged(trace, r.shb_pairs) == e);
  });
}

// Values of relaxed atomics are ordered by SHB, allocations are not.
TEST_P(Promises, ShbPairsAreCoEnabledIfAllocationsAreOrdered) {
  for_many_traces(options(), kTraces, [](Trace trace) {
    const Relations r(trace);
    if (!has_edges(r.shb, edges::allocations(trace), trace.size())) return Outcome::says_nothing;
    return promised(!r.shb_pairs.empty(), subset(r.shb_pairs, reorderings(trace).co_enabled));
  });
}

TEST_P(Promises, ShbPairsAreSyncPreservingAndCoEnabledIfAllocationsOrder) {
  for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs pairs = shb_pairs(shb_and_allocations_order(trace));
    const Pairs kept = reorderings(trace, Keep::sync_preserving).co_enabled;
    return promised(!kept.empty(), subset(pairs, kept) && subset(kept, reorderings(trace).co_enabled));
  });
}

TEST_P(Promises, ShbPairsAreHbPairs) {
  for_many_traces(options(), kTraces, [](Trace trace) {
    const Relations r(trace);
    return promised(!r.shb_pairs.empty(), subset(r.shb_pairs, r.hb_pairs));
  });
}

TEST_P(Promises, OnlyAtomicReadsBringAnOrderWithThem) {
  for_many_traces(options(), kTraces, [](Trace trace) {
    const Relations r(trace);
    const Pairs all = conflicting_pairs(trace);
    return promised(!all.empty(), std::all_of(all.begin(), all.end(), [&](const Pair& p) {
      return is_atomic(trace[p.second].op.kind) ||
             r.hb.ordered(p.first, p.second) == r.hb.before_pred(p.first, p.second);
    }));
  });
}

TEST_P(Promises, LocksetAndTsan1PairsContainTheHbPairs) {
  for_many_traces(options(), kTraces, [](Trace trace) {
    const Relations r(trace);
    return promised(!r.hb_pairs.empty(),
                    subset(r.tsan1_pairs, r.lockset_pairs) && subset(r.hb_pairs, r.tsan1_pairs));
  });
}

TEST_P(Promises, LocksetPairsContainTheCoEnabledPairs) {
  for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs possible = reorderings(trace).co_enabled;
    return promised(!possible.empty(), subset(possible, Relations(trace).lockset_pairs));
  });
}

// An atomic read that acquires is after what it synchronises with, which need not be done when it is next:
// own-synchronisation.std. Such pairs are co-enabled, and yet ordered.
Pairs not_ordered_by_itself(const Pairs& possible, const Order& order) {
  Pairs found;
  for (const auto& [a, b] : possible) {
    if (!before_own_synchronisation(order, a, b)) found.insert({a, b});
  }
  return found;
}

TEST_P(Promises, Tsan1AndTsan1WrdPairsContainTheCoEnabledPairsButOnesOwnSynchronisation) {
  for_many_traces(options(), kTraces, [](Trace trace) {
    const Relations r(trace);
    const Pairs possible = reorderings(trace).co_enabled;
    return promised(!possible.empty(),
                    subset(not_ordered_by_itself(possible, r.hard), r.tsan1_pairs) &&
                        subset(not_ordered_by_itself(possible, r.hard_rf), r.tsan1_wrd_pairs) &&
                        subset(r.tsan1_wrd_pairs, r.tsan1_pairs));
  });
}

}  // namespace
}  // namespace deadheat::oracle
