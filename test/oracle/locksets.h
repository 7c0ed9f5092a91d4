// Which locks a thread holds, and the pairs of accesses that no common lock keeps apart.
#pragma once

#include <map>
#include <vector>

#include "oracle/order.h"

namespace deadheat::oracle {

// Whether a lock is held exclusively, by lock.
using Lockset = std::map<std::uint32_t, bool>;

// The locks that the thread of event i holds at it. One held in both modes is held exclusively.
inline Lockset locks_held(Trace trace, std::size_t i) {
  std::map<std::uint32_t, int> exclusive, shared;
  for (std::size_t k = 0; k < i; ++k) {
    const EventKind kind = trace[k].op.kind;
    if (trace[k].thread != trace[i].thread || !is_of_lock(kind)) continue;
    (edges::is_shared(kind) ? shared : exclusive)[trace[k].object] += edges::is_acquire(kind) ? 1 : -1;
  }
  Lockset held;
  for (const auto& [lock, depth] : shared) {
    if (depth > 0) held[lock] = false;
  }
  for (const auto& [lock, depth] : exclusive) {
    if (depth > 0) held[lock] = true;
  }
  return held;
}

// A lock that both hold, at least one of them exclusively.
inline bool keep_apart(const Lockset& a, const Lockset& b) {
  for (const auto& [lock, exclusive] : a) {
    const auto other = b.find(lock);
    if (other != b.end() && (exclusive || other->second)) return true;
  }
  return false;
}

// The conflicting pairs that no lock keeps apart.
inline Pairs lockset_pairs(Trace trace) {
  std::vector<Lockset> held;
  for (std::size_t i = 0; i < trace.size(); ++i) held.push_back(locks_held(trace, i));
  return conflicting_pairs(trace,
                           [&](std::size_t a, std::size_t b) { return !keep_apart(held[a], held[b]); });
}

// Those of them that the hard order leaves unordered.
inline Pairs tsan1_pairs(const Pairs& lockset, const Order& hard) {
  Pairs found;
  for (const auto& [a, b] : lockset) {
    if (!hard.ordered(a, b)) found.insert({a, b});
  }
  return found;
}

// The same with write-read dependencies: what must be done when the later access is next does not race with
// it, and neither does what an atomic read is ordered after by its own synchronisation
// (synchronised-value.std).
inline Pairs tsan1_wrd_pairs(const Pairs& lockset, const Order& hard_rf) {
  Pairs found;
  for (const auto& [a, b] : lockset) {
    if (!hard_rf.before_pred(a, b) && !before_own_synchronisation(hard_rf, a, b)) found.insert({a, b});
  }
  return found;
}

}  // namespace deadheat::oracle
