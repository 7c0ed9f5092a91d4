// Orders of events, said slowly: every edge is drawn between two events, and reachability is closed over all
// of them. Quadratic in events, and more in edges. What engines compute with clocks is compared with this.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "oracle/edges.h"

namespace deadheat::oracle {

// The event that b's thread had just done: its previous one whatever its kind, for a first event the fork of
// the thread. None: the thread was there from the start.
inline std::optional<std::size_t> pred(Trace trace, std::size_t b) {
  for (std::size_t i = b; i-- > 0;) {
    if (trace[i].thread == trace[b].thread) return i;
    if (trace[i].op.kind == EventKind::fork && trace[i].object == index(trace[b].thread)) return i;
  }
  return std::nullopt;
}

class Order {
 public:
  Order(Trace trace, std::initializer_list<EdgeGroup> groups)
      : trace_(trace), words_((trace.size() + 63) / 64), earlier_(trace.size()), into_(trace.size()) {
    for (const EdgeGroup group : groups) draw(group(trace));
    close();
  }

  // More edges, for orders whose rules ask what is ordered already. True if that ordered anything new.
  bool add(const Edges& edges) {
    const auto before = earlier_;
    draw(edges);
    close();
    return earlier_ != before;
  }

  // a before b; never of an event and itself.
  bool ordered(std::size_t a, std::size_t b) const { return (earlier_[b][a / 64] >> (a % 64) & 1) != 0; }
  bool ordered_or_same(std::size_t a, std::size_t b) const { return a == b || ordered(a, b); }

  // a is done whenever b is the next event of its thread, as far as this order knows.
  bool before_pred(std::size_t a, std::size_t b) const {
    const auto p = pred(trace_, b);
    return p && ordered_or_same(a, *p);
  }

  // The conflicting pairs that are not ordered.
  Pairs unordered() const {
    return conflicting_pairs(trace_, [this](std::size_t a, std::size_t b) { return !ordered(a, b); });
  }

  Trace trace() const { return trace_; }

 private:
  void draw(const Edges& edges) {
    for (const auto& [a, b] : edges) into_[b].push_back(a);
  }
  // Edges point forward in the trace, so one pass in its order closes them.
  void close() {
    for (std::size_t b = 0; b < trace_.size(); ++b) {
      earlier_[b].assign(words_, 0);
      for (const std::size_t a : into_[b]) {
        for (std::size_t w = 0; w <= a / 64; ++w) earlier_[b][w] |= earlier_[a][w];
        earlier_[b][a / 64] |= std::uint64_t{1} << (a % 64);
      }
    }
  }

  Trace trace_;
  std::size_t words_;
  std::vector<std::vector<std::uint64_t>> earlier_;  // by event: a bit for each earlier one that is before it
  std::vector<std::vector<std::size_t>> into_;       // by event: the other ends of its edges
};

// Happens-before.
inline Order hb_order(Trace trace) {
  return {
      trace,
      {edges::program_order, edges::locks, edges::threads, edges::messages, edges::barriers, edges::atomics}};
}
// Schedulable happens-before: with the last write of each byte before its read.
inline Order shb_order(Trace trace) {
  return {trace,
          {edges::program_order, edges::locks, edges::threads, edges::messages, edges::barriers,
           edges::atomics, edges::reads_from}};
}
// The same with what reorderings keep of allocations. Where memory passes between threads without
// synchronisation, schedulable happens-before tells pairs that cannot happen; this order does not.
inline Order shb_and_allocations_order(Trace trace) {
  Order order = shb_order(trace);
  order.add(edges::allocations(trace));
  return order;
}
// What holds whichever thread gets a lock first.
inline Order hard_order(Trace trace) {
  return {trace, {edges::program_order, edges::threads, edges::messages, edges::barriers, edges::atomics}};
}
inline Order hard_rf_order(Trace trace) {
  return {trace,
          {edges::program_order, edges::threads, edges::messages, edges::barriers, edges::atomics,
           edges::reads_from}};
}
// The same with what reorderings keep of allocations, as above.
inline Order hard_rf_and_allocations_order(Trace trace) {
  Order order = hard_rf_order(trace);
  order.add(edges::allocations(trace));
  return order;
}

// Whether a is before b for what b, an atomic that acquires, synchronises with.
inline bool before_own_synchronisation(const Order& order, std::size_t a, std::size_t b) {
  if (!is_atomic(order.trace()[b].op.kind)) return false;
  const Edges edges = edges::atomics(order.trace());
  return std::any_of(edges.begin(), edges.end(), [&](const Pair& edge) {
    return edge.second == b && order.ordered_or_same(a, edge.first);
  });
}

// The pairs that schedulable happens-before tells: conflicting, and the earlier one need not be done when the
// later one is next. An atomic read that acquires brings an order of its own with it: what is before it for
// that is not told (own-synchronisation.std, and after a value synchronised-value.std).
inline Pairs shb_pairs(const Order& shb) {
  return conflicting_pairs(shb.trace(), [&](std::size_t a, std::size_t b) {
    return !shb.before_pred(a, b) && !before_own_synchronisation(shb, a, b);
  });
}

}  // namespace deadheat::oracle
