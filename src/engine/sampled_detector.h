// Check and order where only a sample of the accesses counts, with clocks that change in place. Goes over
// what synchronises and over the accesses that filters left, and looks at no other event.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "engine/check.h"
#include "engine/clock_counters.h"
#include "engine/dispatch.h"
#include "engine/engine.h"
#include "engine/in_place_now.h"
#include "history/access.h"

namespace deadheat::engine {

template <class Order, class History>
class SampledDetector final : public Engine {
 public:
  explicit SampledDetector(Shape shape) : order_(1), many_cells_(shape.many_cells) {}

  void order(const SortedBlock& block, RaceSink& races) override {
    order_.begin_block(0, block.threads);
    history_.reserve(block.variables);
    if (block.atomics || order_.has_atomics()) return order_all(block, races);
    gather_accesses(block);
    // From one access to the next.
    std::span<const std::uint16_t> order = block.order();
    for (const std::uint16_t access : accesses_) {
      const auto before = static_cast<std::size_t>(std::ranges::lower_bound(order, access) - order.begin());
      order_events(block, order.first(before));
      order = order.subspan(before);
      check_access(block, access, races);
    }
    order_events(block, order);
  }

  std::vector<Counter> counters() const override {
    std::vector<Counter> counters = counters_of(order_.work());
    counters.insert(counters.begin(), {"accesses in the sample", sampled_});
    return counters;
  }
  std::uint64_t bytes() const override { return order_.bytes() + history_.bytes(); }

 private:
  // accesses_ := events of accesses, allocs and frees that are to be checked, in order.
  void gather_accesses(const SortedBlock& block) {
    accesses_.clear();
    if (block.sharding.shards() == 1) {
      for (const Position& at : block.accesses(0)) accesses_.push_back(at.event);
      return;
    }
    set_.clear(block.events.size());
    for (std::uint32_t shard = 0; shard < block.sharding.shards(); ++shard) {
      for (const Position& at : block.accesses(shard)) set_.add(at.event);
    }
    for (std::size_t w = 0; w < set_.words().size(); ++w) {
      for (std::uint64_t word = set_.words()[w]; word != 0; word &= word - 1) {
        accesses_.push_back(
            static_cast<std::uint16_t>(64 * w + static_cast<unsigned>(std::countr_zero(word))));
      }
    }
  }
  // Where there are atomics every write counts: it may end a release sequence.
  void order_all(const SortedBlock& block, RaceSink& races) {
    const BlockView& events = block.events;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      const OpClass c = block.classes[events.op[i]];
      const bool access = is_of_memory(c.event) && block.is_checked(i);
      if (access) mark(block, i);
      if (c.kind == OpClass::write) {
        order_.narrow_plain_write(events.object[i], c.bytes, clock::time_of(events.first + i));
      } else if (c.kind == OpClass::other && !block.is_inner(i)) {
        order_event(block, i);
      }
      if (access) check_event(block, i, races);
    }
  }
  void order_events(const SortedBlock& block, std::span<const std::uint16_t> order) {
    const std::uint32_t* const threads = block.events.thread.data();
    const std::uint32_t* const objects = block.events.object.data();
    const std::uint16_t* const codes = block.events.op.data();
    const OpClass* const classes = block.classes.data();
    const std::uint64_t first = block.events.first;
    for (const std::uint16_t i : order) {
      const EventKind kind = classes[codes[i]].event;
      const ThreadId t{threads[i]};
      const LockId l{objects[i]};
      if (kind == EventKind::acquire) {
        order_.acquire(t, l, clock::time_of(first + i));
      } else if (kind == EventKind::release) {
        order_.release(t, l, clock::time_of(first + i));
      } else {
        order_event(block, i);
      }
    }
  }
  void order_event(const SortedBlock& block, std::uint32_t i) {
    const BlockView& events = block.events;
    dispatch(order_, ThreadId{events.thread[i]}, events.ops[events.op[i]], events.object[i],
             clock::time_of(events.first + i));
  }

  // Before what the access itself orders, which includes it.
  void mark(const SortedBlock& block, std::uint32_t i) {
    const BlockView& events = block.events;
    if (block.classes[events.op[i]].event == EventKind::alloc) return;
    ++sampled_;
    order_.sampled(ThreadId{events.thread[i]}, clock::time_of(events.first + i));
  }
  void check_event(const SortedBlock& block, std::uint32_t i, RaceSink& races) {
    const BlockView& events = block.events;
    const OpClass c = block.classes[events.op[i]];
    const ThreadId t{events.thread[i]};
    const InPlaceNow<Order> now{order_.clock_of(t)};
    const history::Access a{t, clock::time_of(events.first + i), events.object[i], c.bytes, c.event, c.site};
    if (c.kind == OpClass::other || !check_quickly(history_, a, now)) [[unlikely]] {
      check_with_care(history_, block, {Sharding{}, 0, many_cells_, t}, i, now, races);
    }
  }
  void check_access(const SortedBlock& block, std::uint32_t i, RaceSink& races) {
    mark(block, i);
    check_event(block, i, races);
  }

  Order order_;
  std::uint64_t many_cells_;
  History history_;
  std::uint64_t sampled_ = 0;
  std::vector<std::uint16_t> accesses_;
  EventSet set_;
};

}  // namespace deadheat::engine
