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

// Event i of the block, an access, alloc or free: its cells in the shard.
template <class History, class Now>
[[gnu::noinline]] void check_with_care(History& history, const SortedBlock& block, Sharding sharding,
                                       std::uint32_t shard, std::uint32_t i, const Now& now,
                                       RaceSink& races) {
  const Op& op = block.events.ops[block.events.op[i]];
  const model::ByteRange range{VarId{block.events.object[i]}, op};
  range.each_cell([&](std::uint32_t cell, model::ByteMask bytes) {
    if (sharding.shard(cell) != shard) return;
    const history::Access a{ThreadId{block.events.thread[i]},
                            clock::time_of(block.events.first + i),
                            sharding.place(cell),
                            bytes,
                            op.kind,
                            op.site};
    const auto race = [&](const history::Met& met) { tell(races, VarId{cell}, a, met); };
    if (op.kind == EventKind::read) {
      history.read(a, now, race);
    } else if (op.kind == EventKind::write || op.kind == EventKind::free) {
      history.write(a, now, race);
    } else if (op.kind == EventKind::alloc) {
      history.alloc(a);
    } else {
      history.atomic(a, now, race);
    }
  });
}

}  // namespace deadheat::engine
