// Sync-preserving races by their definition: a pair (e, f) is one if the closure of what comes before e and f
// in their threads has neither. Closed is a set that has, with each event, all that comes before it whichever
// thread gets a lock first, values included; and of two acquires of one lock by two threads, not both by
// readers, the earlier one's release.
#pragma once

#include <set>

#include "oracle/order.h"

namespace deadheat::oracle {

class SyncPreserving {
 public:
  explicit SyncPreserving(Trace trace) : trace_(trace), hard_(hard_rf_and_allocations_order(trace)) {
    for (const std::size_t a : edges::outermost(trace)) {
      if (edges::is_acquire(trace[a].op.kind)) acquires_.push_back(a);
    }
  }

  Pairs pairs() const {
    return conflicting_pairs(trace_, [this](std::size_t e, std::size_t f) {
      const auto set = closure(e, f);
      return !set.contains(e) && !set.contains(f);
    });
  }

 private:
  void add(std::set<std::size_t>& set, std::size_t event) const {
    for (std::size_t i = 0; i <= event; ++i) {
      if (hard_.ordered_or_same(i, event)) set.insert(i);
    }
  }
  std::set<std::size_t> closure(std::size_t e, std::size_t f) const {
    std::set<std::size_t> set;
    for (const std::size_t event : {e, f}) {
      if (const auto before = pred(trace_, event)) add(set, *before);
    }
    for (std::size_t size = 0; size != set.size();) {
      size = set.size();
      for (const std::size_t a : acquires_) {
        for (const std::size_t b : acquires_) {
          if (a < b && set.contains(a) && set.contains(b) && apart(a, b)) add(set, release_of(a));
        }
      }
    }
    return set;
  }
  bool apart(std::size_t a, std::size_t b) const {
    return trace_[a].object == trace_[b].object && trace_[a].thread != trace_[b].thread &&
           !(edges::is_shared(trace_[a].op.kind) && edges::is_shared(trace_[b].op.kind));
  }
  // An outermost one; it is there, since another thread gets the lock.
  std::size_t release_of(std::size_t acquire) const {
    const bool shared = edges::is_shared(trace_[acquire].op.kind);
    int depth = 0;
    for (std::size_t i = acquire; i < trace_.size(); ++i) {
      const Event& e = trace_[i];
      if (!is_of_lock(e.op.kind) || e.thread != trace_[acquire].thread ||
          e.object != trace_[acquire].object || edges::is_shared(e.op.kind) != shared) {
        continue;
      }
      depth += edges::is_acquire(e.op.kind) ? 1 : -1;
      if (depth == 0) return i;
    }
    return acquire;
  }

  Trace trace_;
  Order hard_;
  std::vector<std::size_t> acquires_;
};

}  // namespace deadheat::oracle
