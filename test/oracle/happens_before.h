// Happens-before and its races. What it is made of is said in edges.h, what conflicts in memory.h.
// For well-formed traces of some thousands of events.
#pragma once

#include <map>
#include <vector>

#include "oracle/order.h"

namespace deadheat::oracle {

class HappensBefore {
 public:
  explicit HappensBefore(Trace trace) : order_(hb_order(trace)) {}

  // a before b, in the trace and by happens-before.
  bool ordered(std::size_t a, std::size_t b) const { return order_.ordered(a, b); }

  // Both are accesses that conflict; a < b.
  bool conflict(std::size_t a, std::size_t b) const { return conflicting(order_.trace(), a, b); }

  // All racing pairs (a, b) with a < b.
  std::vector<Pair> races() const {
    const Trace trace = order_.trace();
    std::map<std::uint64_t, std::vector<std::size_t>> by_cell;
    Pairs found;
    for (std::size_t b = 0; b < trace.size(); ++b) {
      if (!can_race(trace[b].op.kind)) continue;
      const Bytes bytes = bytes_of(trace[b]);
      for (std::uint64_t cell = bytes.first / kCellBytes; cell * kCellBytes < bytes.end; ++cell) {
        for (const std::size_t a : by_cell[cell]) {
          if (!ordered(a, b) && conflict(a, b)) found.insert({a, b});
        }
        by_cell[cell].push_back(b);
      }
    }
    return {found.begin(), found.end()};
  }

  const Order& order() const { return order_; }

 private:
  Order order_;
};

}  // namespace deadheat::oracle
