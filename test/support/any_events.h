// Random events of every kind for property tests: well typed, not well formed.
#pragma once

#include <rapidcheck.h>

#include <vector>

#include "deadheat/event.h"
#include "deadheat/names.h"
#include "model/block_builder.h"

namespace deadheat::test {

// Mostly small numbers, so that ids repeat; sometimes anything below `end`.
inline rc::Gen<std::uint32_t> id_below(std::uint32_t end) {
  return rc::gen::weightedOneOf<std::uint32_t>({{6, rc::gen::inRange<std::uint32_t>(0, std::min(end, 6u))},
                                                {2, rc::gen::inRange<std::uint32_t>(0, std::min(end, 400u))},
                                                {1, rc::gen::inRange<std::uint32_t>(0, end)}});
}

inline rc::Gen<Event> any_event() {
  return rc::gen::exec([] {
    Event e;
    e.op.kind = static_cast<EventKind>(*rc::gen::inRange<unsigned>(0, kEventKinds));
    e.thread = ThreadId{*id_below(1000)};
    e.op.site = SiteId{*id_below(100000)};
    e.op.stack =
        StackId{*rc::gen::weightedOneOf<std::uint32_t>({{3, rc::gen::just(0u)}, {1, id_below(5000)}})};
    if (has_order(e.op.kind))
      e.op.order = static_cast<MemoryOrder>(*rc::gen::inRange<unsigned>(0, kMemoryOrders));
    switch (object_kind(e.op.kind)) {
      case ObjectKind::none:
        break;
      case ObjectKind::variable:
        e.object = *id_below(4000000000u);
        break;
      default:
        e.object = *id_below(30000);
        break;
    }
    if (has_offset(e.op.kind))
      e.op.offset = static_cast<std::uint8_t>(*rc::gen::inRange<unsigned>(0, kCellBytes));
    if (object_kind(e.op.kind) == ObjectKind::variable) {
      e.op.value =
          *rc::gen::weightedOneOf<std::uint64_t>({{3, rc::gen::element<std::uint64_t>(0, 1, 2, 4, 8, 16)},
                                                  {1, rc::gen::inRange<std::uint64_t>(0, 1 << 20)}});
    } else if (is_barrier(e.op.kind)) {
      e.op.value = *rc::gen::inRange<std::uint64_t>(0, 1ull << 40);
    }
    return e;
  });
}

inline std::vector<Event> events_of(const BlockView& block) {
  std::vector<Event> out;
  for (std::size_t i = 0; i < block.size(); ++i) out.push_back(block[i]);
  return out;
}

}  // namespace deadheat::test
