// One access against a history: all that is not quick. Not inlined, to keep the loops around it small.
#pragma once

#include "engine/engine.h"
#include "engine/unaccessed.h"
#include "history/access.h"
#include "order/slots.h"

namespace deadheat::engine {

// Which part of the trace is looked at: what is divided how, what is much, and who acts.
struct Scope {
  Sharding sharding;
  std::uint32_t shard = 0;
  std::uint64_t many_cells = kManyCells;
  ThreadId as{};                          // the acting thread, or its slot: histories know it as this
  const order::Owners* owners = nullptr;  // of slots, if it is that

  ThreadId thread_of(clock::Epoch e) const { return owners == nullptr ? e.thread() : owners->of(e); }
};

inline void tell(RaceSink& races, VarId x, const history::Access& a, const history::Met& met,
                 const Scope& in = {}) {
  races.race({x,
              {met.epoch.event(), in.thread_of(met.epoch), met.site, met.kind},
              {a.time - 1, in.thread_of(a.epoch()), a.site, a.kind}});
}

// A plain access within one cell that meets nothing but what is ordered before it. False, and nothing done,
// if there is more to it, or the history cannot tell at once.
template <class History, class Now>
[[gnu::always_inline]] inline bool check_quickly(History& history, const history::Access& a, const Now& now) {
  if (history.quick(a, now)) return true;
  if constexpr (requires { history.quick_in_parts(a, now); }) {
    return history.quick_in_parts(a, now);
  } else {
    return false;
  }
}

// One cell of event i, which is an access, alloc or free.
template <class History, class Now>
void check_cell(History& history, const SortedBlock& block, std::uint32_t i, VarId cell, std::uint32_t place,
                model::ByteMask bytes, const Scope& in, const Now& now, RaceSink& races) {
  const Op& op = block.events.ops[block.events.op[i]];
  const history::Access a{in.as, clock::time_of(block.events.first + i), place, bytes, op.kind, op.site};
  const auto race = [&](const history::Met& met) { tell(races, cell, a, met, in); };
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

// An alloc or free, event i, of so much that only what was accessed is looked at cell by cell: programs map
// gigabytes of which they use little. All the rest is looked at as a whole.
template <class History, class Now>
void check_many(History& history, const SortedBlock& block, const Scope& in, std::uint32_t i, const Now& now,
                RaceSink& races) {
  const Op& op = block.events.ops[block.events.op[i]];
  const std::uint32_t first = block.events.object[i];
  const model::Stretch stretch = in.sharding.stretch(in.shard, first, op);
  const history::Access a{in.as, clock::time_of(block.events.first + i), 0, 0, op.kind, op.site};
  const auto cell_at = [&](std::uint64_t place) {
    return static_cast<std::uint32_t>(in.sharding.variable(in.shard, place));
  };
  Unaccessed met(in.sharding);
  const auto tell_up_to = [&](std::uint64_t place) {
    met.tell_up_to(place, [&](std::uint32_t at, const history::Met& earlier) {
      tell(races, VarId{cell_at(at)}, a, earlier, in);
    });
  };
  if (op.kind == EventKind::free && !stretch.empty()) {
    history.write_unaccessed(
        stretch, a, now, [&](model::Stretch part, const history::Met& earlier) { met.add(part, earlier); });
  }
  const std::uint64_t end = (stretch.end + kCellBytes - 1) / kCellBytes;
  history.each_accessed(stretch.begin / kCellBytes, end, [&](std::uint32_t place) {
    tell_up_to(place);
    met.pass(place);
    const std::uint32_t cell = cell_at(place);
    check_cell(history, block, i, VarId{cell}, place, model::bytes_in_cell(op, cell - first), in, now, races);
  });
  tell_up_to(end);
}

// Event i of the block: all of its cells in the shard.
template <class History, class Now>
[[gnu::noinline]] void check_with_care(History& history, const SortedBlock& block, const Scope& in,
                                       std::uint32_t i, const Now& now, RaceSink& races) {
  const Op& op = block.events.ops[block.events.op[i]];
  if (op.kind == EventKind::alloc) {
    history.alloc_unaccessed(in.sharding.stretch(in.shard, block.events.object[i], op));
  }
  if (is_allocation(op.kind) && cells(op) > in.many_cells)
    return check_many(history, block, in, i, now, races);
  const OpClass c = block.classes[block.events.op[i]];
  if (c.kind != OpClass::other) {
    const std::uint32_t place = in.sharding.place(block.events.object[i]);
    const history::Access a{in.as, clock::time_of(block.events.first + i), place, c.bytes, c.event, c.site};
    if (history.take_over(place) && history.quick(a, now)) return;
  }
  const bool wide = c.kind == OpClass::other && (op.kind == EventKind::read || op.kind == EventKind::write);
  const clock::Time time = clock::time_of(block.events.first + i);
  model::ByteRange{VarId{block.events.object[i]}, op}.each_cell(
      [&](std::uint32_t cell, model::ByteMask bytes) {
        if (in.sharding.shard(cell) != in.shard) return;
        const history::Access a{in.as, time, in.sharding.place(cell), bytes, op.kind, op.site};
        if (wide && check_quickly(history, a, now)) return;
        check_cell(history, block, i, VarId{cell}, in.sharding.place(cell), bytes, in, now, races);
      });
}

}  // namespace deadheat::engine
