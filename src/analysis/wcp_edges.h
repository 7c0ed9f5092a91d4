// Of pairs of events of a trace: whether weak causal precedence orders the two, and by which step the first
// one comes to be known to another thread on the way to the second. One pass for all pairs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/chain.h"
#include "engine/sorted_block.h"
#include "model/well_formed.h"
#include "order/wcp.h"

namespace deadheat::analysis {

class WcpEdges {
 public:
  // Numbers of events, the earlier one first.
  explicit WcpEdges(std::span<const std::pair<std::uint64_t, std::uint64_t>> pairs);

  // All blocks of the trace, in order.
  void see(const BlockView& block);
  // The step: what the first event's thread did, and who knew of it then; none: the pair is not ordered.
  const std::optional<Link>& of(std::size_t pair) const { return found_[pair]; }

 private:
  // A pair whose first event has come, and whose second has not.
  struct Open {
    std::size_t pair;
    std::uint64_t from, to;
    ThreadId thread;  // of the first
    // By thread: when it first knew of the first event, and by what.
    std::map<std::uint32_t, Link> knowing;
    std::map<std::uint64_t, Event> signals;  // of the first thread since, but reads and writes
    model::NumberedEvent last;               // of the first thread
  };

  void look(Open& open, const model::NumberedEvent& e);
  void conclude(const Open& open, ThreadId later);

  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs_;
  std::vector<std::size_t> by_first_;
  std::size_t next_ = 0;
  std::vector<Open> open_;
  std::vector<std::optional<Link>> found_;
  order::Wcp order_{1};
  model::WellFormed rules_{0};
};

}  // namespace deadheat::analysis
