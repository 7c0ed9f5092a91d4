// What schedules keep of gaps, said slowly. A gap stands for accesses of its thread that are not in the
// trace, each of them free of races: ordered by happens-before with all that conflicts with it. So a hidden
// read can be of those bytes whose writes are all ordered with the gap, a hidden write of those whose
// accesses all are. An alloc makes new memory of its bytes, and comes before
// what is done to it; what was done to the old memory, or will be to the next, is not asked.
//
//   O1  A gap comes after all gaps that happen before it and may have touched the same bytes.
//   O2  Every byte that it may have read has the same last write as in the trace.
//   O3  Between a read of a byte and its last write are those gaps that may have written it and are there in
//       the trace, and no others.
#pragma once

#include <vector>

#include "oracle/order.h"

namespace deadheat::oracle {

class Gaps {
 public:
  explicit Gaps(Trace trace) : trace_(trace) {
    for (std::size_t i = 0; i < trace.size(); ++i) {
      if (is_gap(trace[i].op.kind)) gaps_.push_back(i);
    }
    if (!gaps_.empty()) hb_.emplace_back(hb_order(trace));
  }

  const std::vector<std::size_t>& all() const { return gaps_; }
  bool happens_before(std::size_t a, std::size_t b) const { return hb_[0].ordered(a, b); }

  bool covers(std::size_t gap, std::uint64_t byte) const {
    return trace_[gap].op.kind == EventKind::gap || bytes_of(trace_[gap]).contain(byte);
  }
  bool overlap(std::size_t a, std::size_t b) const {
    return trace_[a].op.kind == EventKind::gap || trace_[b].op.kind == EventKind::gap ||
           bytes_of(trace_[a]).overlap(bytes_of(trace_[b]));
  }
  // The gap may have read, or written, this byte.
  bool may_read(std::size_t gap, std::uint64_t byte) const { return may(gap, byte, sets); }
  bool may_write(std::size_t gap, std::uint64_t byte) const { return may(gap, byte, is_memory); }

 private:
  bool may(std::size_t gap, std::uint64_t byte, bool (*conflicts)(EventKind)) const {
    if (!covers(gap, byte)) return false;
    const auto ordered = [&](std::size_t i) {
      if (!conflicts(trace_[i].op.kind) || !bytes_of(trace_[i]).contain(byte)) return true;
      return hb_[0].ordered(i, gap) || hb_[0].ordered(gap, i);
    };
    const auto is_new = [&](std::size_t i) {
      return trace_[i].op.kind == EventKind::alloc && bytes_of(trace_[i]).contain(byte);
    };
    for (std::size_t i = gap; i-- > 0;) {
      if (!ordered(i)) return false;
      if (is_new(i)) break;
    }
    for (std::size_t i = gap + 1; i < trace_.size() && !is_new(i); ++i) {
      if (!ordered(i)) return false;
    }
    return true;
  }

  Trace trace_;
  std::vector<std::size_t> gaps_;
  std::vector<Order> hb_;  // one, where there are gaps
};

}  // namespace deadheat::oracle
