// PWR and WDP by their definitions: what holds whichever thread gets a lock first, and what critical sections
// add to it. Sulzmann & Stadtmueller, "Efficient, Near Complete and Often Sound Hybrid Dynamic Data Race
// Prediction" (2020), definitions 3.1 and 3.6; the latter as example 2.5 shows that it is meant.
//
// Two sections of one lock exclude each other if they are of two threads and not both of readers. With two
// such, C first, in a run that has an event of C before one of C', C is over before C' begins: all rules
// follow from that, and are of such sections alone. An acquire and its release are in their section.
#pragma once

#include <optional>
#include <vector>

#include "oracle/locksets.h"
#include "oracle/order.h"

namespace deadheat::oracle {

struct Section {
  std::size_t acquire;
  std::optional<std::size_t> release;  // none: it is still open at the end
};

inline std::vector<Section> sections(Trace trace) {
  std::vector<Section> found;
  for (const std::size_t i : edges::outermost(trace)) {
    const EventKind kind = trace[i].op.kind;
    if (edges::is_acquire(kind)) {
      found.push_back({i, std::nullopt});
      continue;
    }
    for (Section& s : found) {
      const Event& a = trace[s.acquire];
      if (!s.release && a.thread == trace[i].thread && a.object == trace[i].object &&
          edges::is_shared(a.op.kind) == edges::is_shared(kind)) {
        s.release = i;
      }
    }
  }
  return found;
}
inline bool is_in(Trace trace, const Section& s, std::size_t i) {
  return trace[i].thread == trace[s.acquire].thread && s.acquire <= i &&
         i <= s.release.value_or(trace.size());
}
// C comes first, and is over before C' begins.
inline bool excludes(Trace trace, const Section& c, const Section& later) {
  const Event &a = trace[c.acquire], &b = trace[later.acquire];
  return a.object == b.object && a.thread != b.thread && c.acquire < later.acquire &&
         !(edges::is_shared(a.op.kind) && edges::is_shared(b.op.kind));
}

// Adds the edges of rule(c, later, e, f), for all events e of C and f of C', until there are no new ones.
template <class Rule>
Order close_by_sections(Order order, Rule rule) {
  const Trace trace = order.trace();
  const auto all = sections(trace);
  for (bool changed = true; changed;) {
    Edges edges;
    for (const Section& c : all) {
      for (const Section& later : all) {
        if (!excludes(trace, c, later)) continue;
        for (std::size_t e = c.acquire; e <= *c.release; ++e) {
          for (std::size_t f = later.acquire; is_in(trace, c, e) && f < trace.size(); ++f) {
            if (is_in(trace, later, f)) rule(order, c, later, e, f, edges);
          }
        }
      }
    }
    changed = order.add(edges);
  }
  return order;
}

// Release-order dependency: e < f gives rel(C) < f.
inline Order pwr_order(Trace trace) {
  return close_by_sections(
      hard_rf_and_allocations_order(trace),
      [](const Order& order, const Section& c, const Section&, std::size_t e, std::size_t f, Edges& edges) {
        if (order.ordered(e, f)) edges.push_back({*c.release, f});
      });
}
// Weak release-conflict dependency: if f reads what e wrote, rel(C) < f. Release-release dependency: e < f
// gives rel(C) < rel(C').
inline Order wdp_order(Trace trace) {
  Order hard = hard_order(trace);
  hard.add(edges::allocations(trace));
  const Edges reads_from = edges::reads_from(trace);
  const Pairs read(reads_from.begin(), reads_from.end());
  return close_by_sections(std::move(hard),
                           [&read](const Order& order, const Section& c, const Section& later, std::size_t e,
                                   std::size_t f, Edges& edges) {
                             if (read.contains({e, f})) edges.push_back({*c.release, f});
                             if (later.release && order.ordered(e, f))
                               edges.push_back({*c.release, *later.release});
                           });
}

// What an order tells with locks: no lock keeps the two apart, and the earlier one need not be done when the
// later one is next.
inline Pairs lockset_and_pred_pairs(const Order& order) {
  Pairs found;
  for (const auto& [a, b] : lockset_pairs(order.trace())) {
    if (!order.before_pred(a, b)) found.insert({a, b});
  }
  return found;
}
// The paper's (definitions 3.2 and 3.3, as algorithm 1 has them): no lock keeps the two apart, and they are
// not ordered, or the later one reads what the earlier one wrote and that need not be done when it is next.
inline Pairs lockset_and_order_pairs(const Order& order) {
  const Trace trace = order.trace();
  Pairs found;
  for (const auto& [a, b] : lockset_pairs(trace)) {
    const bool read = reads(trace[b].op.kind) && edges::sources_of(trace, b).contains(a);
    if (!order.ordered(a, b) || (read && !order.before_pred(a, b))) found.insert({a, b});
  }
  return found;
}

}  // namespace deadheat::oracle
