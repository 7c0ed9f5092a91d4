#include "filter/chain.h"

#include <algorithm>

namespace deadheat::filter {

namespace {

bool is_alloc(const Op& op) { return op.kind == EventKind::alloc; }

// Accesses and frees.
std::uint64_t shown(const SortedBlock& block) {
  const BlockView& events = block.events;
  const auto counts = [&](std::size_t i) { return may_leave_out(events.ops[events.op[i]].kind) ? 1u : 0u; };
  std::uint64_t sum = 0;
  if (block.sharding.shards() == 1) {
    // The sorted block has them in a list, and allocs besides.
    sum = block.accesses(0).size();
    if (std::ranges::none_of(events.ops, is_alloc)) return sum;
    for (const std::uint16_t i : block.order()) sum -= is_alloc(events.ops[events.op[i]]) ? 1 : 0;
    return sum;
  }
  for (std::size_t i = 0; i < events.size(); ++i) sum += counts(i);
  return sum;
}

}  // namespace

Result<Chain> Chain::make(std::span<const Choice> choices) {
  Chain chain;
  for (const Choice& choice : choices) {
    auto filter = choice.make();
    if (!filter) return fail(filter.error());
    chain.links_.push_back({std::move(*filter)});
  }
  return chain;
}

// A sampler alone, that skips from one access to the next: what is left out costs nothing.
bool Chain::pick(SortedBlock& block) {
  if (links_.size() != 1 || block.sharding.shards() != 1) return false;
  if (std::ranges::any_of(block.events.ops, is_alloc)) return false;
  Link& link = links_[0];
  const std::size_t accesses = block.accesses(0).size();
  if (!link.filter->pick(accesses, picked_)) return false;
  link.seen += accesses;
  link.kept += picked_.size();
  block.check_picked(picked_);
  return true;
}

void Chain::filter(SortedBlock& block) {
  if (links_.empty() || pick(block)) return;
  const BlockView& events = block.events;
  kept_.fill(events.size());
  std::uint64_t seen = shown(block);
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
