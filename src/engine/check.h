// One access against a history: all that is not quick. Not inlined, to keep the loops around it small.
#pragma once

#include "engine/engine.h"
#include "history/access.h"

namespace deadheat::engine {

inline void tell(RaceSink& races, VarId x, const history::Access& a, const history::Met& met) {
  races.race({x,
              {met.epoch.event(), met.epoch.thread(), met.site, met.kind},
              {a.time - 1, a.thread, a.site, a.kind}});
}

// One cell of event i, which is an access, alloc or free.
template <class History, class Now>
void check_cell(History& history, const SortedBlock& block, std::uint32_t i, VarId cell, std::uint32_t place,
                model::ByteMask bytes, const Now& now, RaceSink& races) {
  const Op& op = block.events.ops[block.events.op[i]];
  const history::Access a{ThreadId{block.events.thread[i]},
                          clock::time_of(block.events.first + i),
                          place,
                          bytes,
                          op.kind,
                          op.site};
  const auto race = [&](const history::Met& met) { tell(races, cell, a, met); };
  if (op.kind == EventKind::read) {
    history.read(a, now, race);
  } else if (op.kind == EventKind::write || op.kind == EventKind::free) {
    history.write(a, now, race);
  } else if (op.kind == EventKind::alloc) {
    history.alloc(a);
  } else {
    history.atomic(a, now, race);
  }
}

// An alloc or free of more cells than this looks only at memory that was accessed before: programs map
// gigabytes of which they use little.
inline constexpr std::uint64_t kManyCells = 4096;

// Event i of the block: all of its cells in the shard.
template <class History, class Now>
[[gnu::noinline]] void check_with_care(History& history, const SortedBlock& block, Sharding sharding,
                                       std::uint32_t shard, std::uint32_t i, const Now& now,
                                       RaceSink& races) {
  const Op& op = block.events.ops[block.events.op[i]];
  const std::uint64_t first = block.events.object[i], count = cells(op);
  if (is_allocation(op.kind) && count > kManyCells) {
    const std::uint64_t end = sharding.places(first + count);
    return history.each_accessed(sharding.place(static_cast<std::uint32_t>(first)) & ~std::uint64_t{7}, end,
                                 [&](std::uint32_t place) {
                                   const std::uint64_t cell = sharding.variable(shard, place);
                                   if (cell < first || cell >= first + count) return;
                                   check_cell(history, block, i, VarId{static_cast<std::uint32_t>(cell)},
                                              place, model::bytes_in_cell(op, cell - first), now, races);
                                 });
  }
  model::ByteRange{VarId{block.events.object[i]}, op}.each_cell(
      [&](std::uint32_t cell, model::ByteMask bytes) {
        if (sharding.shard(cell) != shard) return;
        check_cell(history, block, i, VarId{cell}, sharding.place(cell), bytes, now, races);
      });
}

}  // namespace deadheat::engine
