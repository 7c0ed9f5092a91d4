// What the relations promise of each other, for all well-formed traces. Engines are compared with the
// relations elsewhere; here the relations are compared with what can really happen.
#include <gtest/gtest.h>

#include "oracle/many_traces.h"
#include "oracle/relations.h"
#include "oracle/witness.h"

namespace deadheat::oracle {
namespace {

struct Facts : Relations {
  explicit Facts(Trace t)
      : Relations(t),
        trace(t),
        possible(reorderings(t)),
        sync_preserving(reorderings(t, Keep::sync_preserving).co_enabled),
        first_race(first_flagged(t, hb_pairs)) {}

  // There is a race, and before the first one all that was found in memory came by happens-before.
  bool orderly() const { return first_race < trace.size() && memory_is_ordered(trace, hb, first_race); }

  Trace trace;
  Reorderings possible;
  Pairs sync_preserving;
  std::size_t first_race;
};

template <class Is>
bool all(const Pairs& pairs, Is is) {
  return std::all_of(pairs.begin(), pairs.end(), [&](const Pair& p) { return is(p.first, p.second); });
}

Outcome witnesses_pass(const Facts& f) {
  const WitnessChecker checker(f.trace);
  return promised(!f.possible.co_enabled.empty(), all(f.possible.co_enabled, [&](auto a, auto b) {
    return checker.check(f.possible.witnesses.at({a, b}), a, b).ok();
  }));
}

Outcome adjacent_is_co_enabled(const Facts& f) {
  return promised(!f.possible.adjacent.empty(), subset(f.possible.adjacent, f.possible.co_enabled));
}

Outcome co_enabled_writes_are_adjacent(const Facts& f) {
  const auto writes = [&](std::size_t i) { return f.trace[i].op.kind == EventKind::write; };
  return promised(!f.possible.co_enabled.empty(), all(f.possible.co_enabled, [&](auto a, auto b) {
    return !writes(a) || !writes(b) || f.possible.adjacent.contains({a, b});
  }));
}

Outcome sync_preserving_is_co_enabled(const Facts& f) {
  return promised(!f.sync_preserving.empty(), subset(f.sync_preserving, f.possible.co_enabled));
}

// Up to the first race all that was read was written before it by happens-before: so the events before the
// two accesses are a correct reordering. Only values of relaxed atomics, and memory that one thread allocates
// or frees and another uses, come without an order: relaxed-value.std, allocated-by-another.std.
Outcome first_hb_race_is_co_enabled(const Facts& f) {
  return promised(f.orderly(),
                  !f.orderly() || subset(pairs_of(f.hb_pairs, f.first_race), f.possible.co_enabled));
}

Outcome shb_flags_the_first_hb_race(const Facts& f) {
  return promised(f.orderly(), !f.orderly() || first_flagged(f.trace, f.shb_pairs) == f.first_race);
}

Outcome shb_is_hb(const Facts& f) { return promised(!f.shb_pairs.empty(), subset(f.shb_pairs, f.hb_pairs)); }

// Values of relaxed atomics are ordered by SHB, allocations are not.
Outcome shb_is_co_enabled_if_allocations_are_ordered(const Facts& f) {
  if (!has_edges(f.shb, edges::allocations(f.trace), f.trace.size())) return Outcome::says_nothing;
  return promised(!f.shb_pairs.empty(), subset(f.shb_pairs, f.sync_preserving));
}

Outcome shb_is_co_enabled_if_allocations_order(const Facts& f) {
  const Pairs pairs = shb_pairs(shb_and_allocations_order(f.trace));
  return promised(!pairs.empty(), subset(pairs, f.sync_preserving));
}

Outcome only_atomics_bring_an_order(const Facts& f) {
  const Pairs conflicts = conflicting_pairs(f.trace);
  return promised(!conflicts.empty(), all(conflicts, [&](auto a, auto b) {
    return is_atomic(f.trace[b].op.kind) || f.hb.ordered(a, b) == f.hb.before_pred(a, b);
  }));
}

Outcome tsan1_is_between_hb_and_lockset(const Facts& f) {
  return promised(!f.hb_pairs.empty(),
                  subset(f.hb_pairs, f.tsan1_pairs) && subset(f.tsan1_pairs, f.lockset_pairs));
}

Outcome lockset_has_all_co_enabled(const Facts& f) {
  return promised(!f.possible.co_enabled.empty(), subset(f.possible.co_enabled, f.lockset_pairs));
}

// An atomic read that acquires is after what it synchronises with, which need not be done when it is next:
// own-synchronisation.std. Such pairs are co-enabled, and yet ordered.
Outcome tsan1_has_all_co_enabled(const Facts& f) {
  return promised(!f.possible.co_enabled.empty(), all(f.possible.co_enabled, [&](auto a, auto b) {
    return (f.tsan1_pairs.contains({a, b}) || before_own_synchronisation(f.hard, a, b)) &&
           (f.tsan1_wrd_pairs.contains({a, b}) || before_own_synchronisation(f.hard_rf, a, b));
  }));
}

Outcome nothing_is_lost_against_the_event_before(const Facts& f) {
  return promised(!f.possible.co_enabled.empty(), all(f.possible.co_enabled, [&](auto a, auto b) {
    return !f.hard_rf.before_pred(a, b) && !f.hard.before_pred(a, b);
  }));
}

struct Promise {
  const char* says;
  Outcome (*holds)(const Facts&);
};
constexpr Promise kPromises[] = {
    {"every witness passes the checker", witnesses_pass},
    {"adjacent pairs are co-enabled", adjacent_is_co_enabled},
    {"co-enabled plain writes are adjacent", co_enabled_writes_are_adjacent},
    {"sync-preserving pairs are co-enabled", sync_preserving_is_co_enabled},
    {"the first HB race is co-enabled, if memory is ordered before it", first_hb_race_is_co_enabled},
    {"SHB flags the first HB race, if memory is ordered before it", shb_flags_the_first_hb_race},
    {"SHB pairs are HB pairs", shb_is_hb},
    {"SHB pairs are sync-preserving, if allocations are ordered",
     shb_is_co_enabled_if_allocations_are_ordered},
    {"SHB pairs are sync-preserving, if allocations order", shb_is_co_enabled_if_allocations_order},
    {"only atomic reads bring an order with them", only_atomics_bring_an_order},
    {"tsan1 has all HB pairs, lockset all of tsan1", tsan1_is_between_hb_and_lockset},
    {"lockset has all co-enabled pairs", lockset_has_all_co_enabled},
    {"tsan1 and tsan1-wrd have all co-enabled pairs, but one's own synchronisation",
     tsan1_has_all_co_enabled},
    {"what is before the event before is not co-enabled", nothing_is_lost_against_the_event_before},
};

DEADHEAT_MANY_TRACES(Promises);

// All of them on each trace: the search is what takes time.
TEST_P(Promises, Hold) {
  const Seeds seeds(1000);
  std::vector<Tally> tallies;
  for (const Promise& promise : kPromises) tallies.emplace_back(promise.says);
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    const auto trace = small_trace(seed, options());
    const Facts facts(trace);
    for (std::size_t i = 0; i < std::size(kPromises); ++i) {
      const Outcome outcome = kPromises[i].holds(facts);
      tallies[i].add(outcome);
      if (outcome != Outcome::fails) continue;
      const auto small =
          shrink(trace, [&](Trace t) { return kPromises[i].holds(Facts(t)) == Outcome::fails; });
      FAIL() << kPromises[i].says << ": not so, seed " << seed << ", made small:\n" << as_text(small);
    }
  }
  for (const Tally& tally : tallies) tally.conclude(seeds.count);
}

}  // namespace
}  // namespace deadheat::oracle
