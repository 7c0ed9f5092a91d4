// Random small traces of all event kinds: well formed, or with something wrong.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <vector>

#include "deadheat/event.h"
#include "oracle/well_formed_oracle.h"

namespace deadheat::oracle {

// Any event over few ids, so that rules meet. One in sixteen has an attribute drawn without care.
inline Event random_event(std::uint32_t threads = 4) {
  const auto draw = [](std::uint32_t below) { return *rc::gen::inRange<std::uint32_t>(0, below); };
  Event e;
  e.thread = ThreadId{draw(threads)};
  e.op.kind = static_cast<EventKind>(draw(kEventKinds));
  e.op.site = SiteId{draw(3)};
  switch (object_kind(e.op.kind)) {
    case ObjectKind::none:
      break;
    case ObjectKind::thread:
      e.object = draw(threads);
      break;
    default:
      e.object = draw(2);
  }
  const bool careless = draw(16) == 0;
  if (has_order(e.op.kind)) e.op.order = static_cast<MemoryOrder>(draw(kMemoryOrders));
  if (!careless && e.op.kind == EventKind::atomic_load && e.op.order >= MemoryOrder::release) {
    e.op.order = MemoryOrder::seq_cst;
  }
  if (!careless && e.op.kind == EventKind::atomic_store && e.op.order != MemoryOrder::release) {
    e.op.order = MemoryOrder::relaxed;
  }
  if (has_offset(e.op.kind)) e.op.offset = static_cast<std::uint8_t>(draw(careless ? 10 : 8));
  if (has_size(e.op.kind)) e.op.value = draw(9);
  if (is_barrier(e.op.kind)) e.op.value = draw(3);
  if (careless && draw(4) == 0) e.op.value = draw(3);
  if (careless && draw(8) == 0) e.op.order = MemoryOrder::acquire;
  return e;
}

// Random events, those left out that would break a rule.
inline std::vector<Event> random_well_formed(std::size_t tries) {
  std::vector<Event> trace;
  for (std::size_t i = 0; i < tries; ++i) {
    const Event e = random_event();
    // An end or a join that comes early leaves little to happen afterwards.
    const bool final = e.op.kind == EventKind::end || e.op.kind == EventKind::join;
    if (final && *rc::gen::inRange(0, 4) != 0) continue;
    if (broken_by(trace, e).empty()) trace.push_back(e);
  }
  return trace;
}

// One event lost, doubled, swapped with its neighbour, given to another thread, or replaced.
inline std::vector<Event> mutate(std::vector<Event> trace) {
  if (trace.empty()) return {random_event()};
  const auto at = *rc::gen::inRange<std::size_t>(0, trace.size());
  const auto here = trace.begin() + static_cast<std::ptrdiff_t>(at);
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      trace.erase(here);
      break;
    case 1:
      trace.insert(here, trace[at]);
      break;
    case 2:
      if (at + 1 < trace.size()) std::swap(trace[at], trace[at + 1]);
      break;
    case 3:
      trace[at].thread = ThreadId{*rc::gen::inRange<std::uint32_t>(0, 4)};
      break;
    default:
      trace[at] = random_event();
  }
  return trace;
}

}  // namespace deadheat::oracle
