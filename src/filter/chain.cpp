#include "filter/chain.h"

namespace deadheat::filter {

Result<Chain> Chain::make(std::span<const Choice> choices) {
  Chain chain;
  for (const Choice& choice : choices) {
    auto filter = choice.make();
    if (!filter) return fail(filter.error());
    chain.links_.push_back({std::move(*filter)});
  }
  return chain;
}

void Chain::filter(SortedBlock& block) {
  if (links_.empty()) return;
  const BlockView& events = block.events;
  kept_.fill(events.size());
  std::uint64_t seen = 0;
  for (const std::uint16_t op : events.op) seen += may_leave_out(events.ops[op].kind) ? 1 : 0;
  std::size_t left = events.size();
  for (Link& link : links_) {
    link.filter->filter(block, kept_);
    link.seen += seen;
    const std::size_t now = kept_.count();
    seen -= left - now;
    left = now;
    link.kept += seen;
  }
  // Nothing to go through where nothing was left out.
  if (left < events.size()) block.check_only(kept_);
}

}  // namespace deadheat::filter
