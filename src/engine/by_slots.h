// Tells an order of events by slots, which several threads have one after another (order/slots.h).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/dispatch.h"
#include "engine/sorted_block.h"
#include "order/slots.h"

namespace deadheat::engine {

template <class Order>
class BySlots {
 public:
  using Time = clock::Time;

  ThreadId operator[](ThreadId t) const { return slots_[t]; }
  bool owns(ThreadId t) const { return slots_.owns(t); }
  // Of threads that got a slot since the block began.
  const std::vector<order::Slots::Owner>& news() const { return news_; }

  // By thread; the place does not change within a block.
  const std::uint32_t* by_thread() const { return slots_.by_thread(); }

  // As of orders, which know the block as one in slot `as`. Threads that act in the block and that nobody
  // forks get their slots.
  bool begin_block(Order& order, const SortedBlock& block, std::uint32_t as) {
    news_.clear();
    slots_.reserve(block.threads);
    if (!slots_.all_there()) welcome(block);
    return order.begin_block(as, slots_.count());
  }
  // An event that orders. True if the moments of all threads have changed.
  [[gnu::always_inline]] bool order_event(Order& order, ThreadId t, const Op& op, std::uint32_t object,
                                          Time time) {
    if (op.kind == EventKind::fork || op.kind == EventKind::join) [[unlikely]]
      return order_threads(order, t, op.kind, ThreadId{object}, time);
    dispatch(order, slots_[t], op, object, time);
    return false;
  }
  // The same for a fork or join alone.
  bool order_threads(Order& order, ThreadId t, EventKind kind, ThreadId u, Time time) {
    return kind == EventKind::fork ? fork(order, t, u, time) : join(order, t, u, time);
  }

  std::size_t bytes() const { return slots_.bytes(); }

 private:
  void welcome(const SortedBlock& block) {
    const BlockView& events = block.events;
    forked_.assign(block.threads, false);
    for (std::size_t i = 0; i < events.size(); ++i) {
      const ThreadId t{events.thread[i]};
      if (!slots_.has(t) && !forked_[index(t)])
        news_.push_back(slots_.give_new(t, clock::time_of(events.first)));
      if (block.classes[events.op[i]].event == EventKind::fork) forked_[events.object[i]] = true;
    }
  }
  [[gnu::noinline]] bool fork(Order& order, ThreadId t, ThreadId u, Time time) {
    bool wider = false;
    if (!slots_.has(u)) {
      std::optional<ThreadId> former;
      news_.push_back(slots_.give_any(u, time, [&](clock::Epoch end) {
        if (!order.knows(slots_[t], end)) return false;
        former = slots_.owner(index(end.thread()));
        return true;
      }));
      if (former) former_.emplace(index(*former), order.take_ended(slots_[u]));
      wider = order.reserve_threads(slots_.count());
    }
    if (slots_.owns(u)) order.fork(slots_[t], slots_[u], time);
    return wider;
  }
  [[gnu::noinline]] bool join(Order& order, ThreadId t, ThreadId u, Time time) {
    bool wider = false;
    if (!slots_.has(u)) {  // of which nothing was seen
      news_.push_back(slots_.give_new(u, time));
      wider = order.reserve_threads(slots_.count());
    }
    if (!slots_.owns(u)) {
      order.join_ended(slots_[t], former_.at(index(u)), time);
      return wider;
    }
    const bool first = !order.has_ended(slots_[u]);
    order.join(slots_[t], slots_[u], time);
    if (first) slots_.end(u, time);
    return wider;
  }

  order::Slots slots_;
  std::vector<order::Slots::Owner> news_;
  std::vector<bool> forked_;  // in this block
  // What joined threads knew whose slots are others' now: they may be joined again.
  std::unordered_map<std::uint32_t, decltype(std::declval<Order&>().take_ended(ThreadId{}))> former_;
};

}  // namespace deadheat::engine
