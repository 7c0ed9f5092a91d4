// Check and order, event by event, for clocks that change in place: what a thread knew at an access cannot be
// asked later. So the accesses cannot be divided among threads.
#pragma once

#include "engine/by_slots.h"
#include "engine/check.h"
#include "engine/engine.h"
#include "engine/in_place_now.h"
#include "history/access.h"

namespace deadheat::engine {

template <class Order, class History>
class InPlaceDetector final : public Engine {
 public:
  explicit InPlaceDetector(Shape shape) : order_(1), shape_(shape) {}

  void order(const SortedBlock& block, RaceSink& races) override {
    by_slots_.begin_block(order_, block, 0);
    met_ = 0;
    meet_owners();
    history_.reserve(block.variables);
    const bool writes_end_sequences = block.atomics || order_.has_atomics();
    const BlockView& events = block.events;
    const std::size_t n = events.size();
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i + SortedBlock::kSlack < n) history_.prefetch(events.object[i + SortedBlock::kSlack]);
      const OpClass c = block.classes[events.op[i]];
      const ThreadId thread{events.thread[i]};
      const std::uint32_t object = events.object[i];
      const clock::Time time = clock::time_of(events.first + i);
      if (c.kind == OpClass::other || (c.kind == OpClass::write && writes_end_sequences)) {
        if (!block.is_inner(i)) {
          by_slots_.order_event(order_, thread, events.ops[events.op[i]], object, time);
          meet_owners();
        }
        if (!is_of_memory(c.event)) continue;
      }
      if (!block.is_checked(i)) continue;
      const ThreadId t = by_slots_[thread];
      const InPlaceNow<Order> now{order_.clock_of(t)};
      const history::Access a{t, time, object, c.bytes, c.event, c.site};
      if (c.kind == OpClass::other || !check_quickly(history_, a, now)) [[unlikely]] {
        check_with_care(history_, block, {Sharding{}, 0, shape_.many_cells, t, &owners_}, i, now, races);
      }
    }
  }
  std::uint64_t bytes() const override { return order_.bytes() + by_slots_.bytes() + history_.bytes(); }

 private:
  void meet_owners() {
    for (; met_ < by_slots_.news().size(); ++met_) owners_.add(by_slots_.news()[met_]);
  }

  Order order_;
  BySlots<Order> by_slots_;
  order::Owners owners_;
  std::size_t met_ = 0;  // of the news of the block
  History history_;
  Shape shape_;
};

}  // namespace deadheat::engine
