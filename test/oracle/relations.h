// All that the oracles say of one trace.
#pragma once

#include <algorithm>

#include "oracle/happens_before.h"
#include "oracle/locksets.h"
#include "oracle/reorderings.h"

namespace deadheat::oracle {

struct Relations {
  explicit Relations(Trace trace)
      : hb(hb_order(trace)),
        shb(shb_order(trace)),
        hard(hard_order(trace)),
        hard_rf(hard_rf_order(trace)),
        hb_pairs(hb.unordered()),
        shb_pairs(oracle::shb_pairs(shb)),
        lockset_pairs(oracle::lockset_pairs(trace)),
        tsan1_pairs(oracle::tsan1_pairs(lockset_pairs, hard)),
        tsan1_wrd_pairs(oracle::tsan1_wrd_pairs(lockset_pairs, hard_rf)) {}

  Order hb, shb, hard, hard_rf;
  Pairs hb_pairs, shb_pairs, lockset_pairs, tsan1_pairs, tsan1_wrd_pairs;
};

inline bool subset(const Pairs& a, const Pairs& b) {
  return std::includes(b.begin(), b.end(), a.begin(), a.end());
}

// Whether the order has these edges, as far as they lie before event `end`.
inline bool has_edges(const Order& order, const Edges& edges, std::size_t end) {
  return std::all_of(edges.begin(), edges.end(), [&](const Pair& edge) {
    return edge.second >= end || order.ordered(edge.first, edge.second);
  });
}
// Whether all that events before `end` find in memory came to them by happens-before. Not so of a relaxed
// atomic's value, and of memory that passes between threads without synchronisation.
inline bool memory_is_ordered(Trace trace, const Order& hb, std::size_t end) {
  return has_edges(hb, edges::reads_from(trace), end) && has_edges(hb, edges::allocations(trace), end);
}

// The first event that has a pair with an earlier one, or the trace's length.
inline std::size_t first_flagged(Trace trace, const Pairs& pairs) {
  std::size_t first = trace.size();
  for (const auto& [a, b] : pairs) first = std::min(first, b);
  return first;
}
// The earlier events that are in a pair with this one.
inline Pairs pairs_of(const Pairs& pairs, std::size_t b) {
  Pairs found;
  for (const Pair& pair : pairs) {
    if (pair.second == b) found.insert(pair);
  }
  return found;
}

}  // namespace deadheat::oracle
