// A filter says which accesses engines look at. What is left out is not checked and not kept; all that orders
// still counts.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/engine.h"

namespace deadheat::filter {

using engine::Counter;
using engine::EventSet;
using engine::SortedBlock;

// Only accesses and frees may be left out, never an alloc: memory is new from there on.
inline bool may_leave_out(EventKind kind) { return is_access(kind) || kind == EventKind::free; }

class Filter {
 public:
  virtual ~Filter() = default;
  // Removes from `kept` what is to be left out. Blocks come in order; `kept` is what the filters before have
  // left of this one: all of its events, if this is the first.
  virtual void filter(const SortedBlock& block, EventSet& kept) = 0;
  // The same for a block of which so many accesses and frees are to be judged in their order, whatever they
  // are: the numbers of those that are kept. False, and nothing done, if it has to look at them.
  virtual bool pick(std::size_t /*accesses*/, std::vector<std::uint32_t>& /*kept*/) { return false; }
  // What it counted besides how many it left out.
  virtual std::vector<Counter> counters() const { return {}; }
  virtual std::uint64_t bytes() const { return 0; }  // of its tables
};

// Removes the accesses and frees that a sampler does not want: wants(i) is asked in order, and only for those
// that the filters before have left.
template <class Wants>
void keep_if(const SortedBlock& block, EventSet& kept, Wants&& wants) {
  const BlockView& events = block.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!may_leave_out(events.ops[events.op[i]].kind) || !kept.has(i)) continue;
    if (!wants(i)) kept.remove(i);
  }
}

}  // namespace deadheat::filter
