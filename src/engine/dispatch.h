// From an event to the handler of an order: the one switch over event kinds.
#pragma once

#include "clock/time.h"
#include "deadheat/event.h"

namespace deadheat::engine {

template <class Order>
[[gnu::noinline]] void dispatch_any(Order& order, ThreadId t, const Op& op, std::uint32_t object,
                                    clock::Time time) {
  const LockId l{object};
  switch (op.kind) {
    case EventKind::read:
      return;
    case EventKind::write:
    case EventKind::alloc:
    case EventKind::free:
      return order.plain_write(VarId{object}, op, time);
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_rmw:
      return order.atomic(t, VarId{object}, op, time);
    case EventKind::fence:
      return order.fence(t, op.order, time);
    case EventKind::acquire:
      return order.acquire(t, l, time);
    case EventKind::release:
      return order.release(t, l, time);
    case EventKind::acquire_shared:
      return order.acquire_shared(t, l, time);
    case EventKind::release_shared:
      return order.release_shared(t, l, time);
    case EventKind::fork:
      return order.fork(t, ThreadId{object}, time);
    case EventKind::join:
      return order.join(t, ThreadId{object}, time);
    case EventKind::begin:
    case EventKind::end:
    case EventKind::gap:
    case EventKind::gap_range:
    case EventKind::try_acquire_failed:
    case EventKind::try_recv_failed:
    case EventKind::try_join_failed:
      return;
    case EventKind::send:
      return order.send(t, ChannelId{object}, time);
    case EventKind::recv:
      return order.recv(t, ChannelId{object}, time);
    case EventKind::barrier_enter:
      return order.barrier_enter(t, BarrierId{object}, op.value, time);
    case EventKind::barrier_exit:
      return order.barrier_exit(t, BarrierId{object}, op.value, time);
  }
}

// Tells `order` of an event. Acquires of a lock that the thread holds already, and their releases, are not to
// be told: SortedBlock::inner. Locks are most of what orders.
template <class Order>
[[gnu::always_inline]] inline void dispatch(Order& order, ThreadId t, const Op& op, std::uint32_t object,
                                            clock::Time time) {
  if (op.kind == EventKind::acquire) return order.acquire(t, LockId{object}, time);
  if (op.kind == EventKind::release) return order.release(t, LockId{object}, time);
  dispatch_any(order, t, op, object, time);
}

}  // namespace deadheat::engine
