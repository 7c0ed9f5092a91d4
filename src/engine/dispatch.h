// From an event to the handler of an order: the one switch over event kinds.
#pragma once

#include "clock/time.h"
#include "deadheat/event.h"
#include "model/held_locks.h"

namespace deadheat::engine {

// Tells `order` of an event. `held` keeps the nesting of re-entrant locks: only the outermost acquire and
// release are told.
template <class Order>
void dispatch(Order& order, model::HeldLocks& held, ThreadId t, const Op& op, std::uint32_t object,
              clock::Time time) {
  using model::HeldLocks;
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
      if (held.acquire(t, l, HeldLocks::Mode::exclusive, time - 1)) order.acquire(t, l, time);
      return;
    case EventKind::release:
      if (held.release(t, l, HeldLocks::Mode::exclusive) == HeldLocks::Release::outermost)
        order.release(t, l, time);
      return;
    case EventKind::acquire_shared:
      if (held.acquire(t, l, HeldLocks::Mode::shared, time - 1)) order.acquire_shared(t, l, time);
      return;
    case EventKind::release_shared:
      if (held.release(t, l, HeldLocks::Mode::shared) == HeldLocks::Release::outermost)
        order.release_shared(t, l, time);
      return;
    case EventKind::fork:
      return order.fork(t, ThreadId{object}, time);
    case EventKind::join:
      return order.join(t, ThreadId{object}, time);
    case EventKind::begin:
    case EventKind::end:
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

}  // namespace deadheat::engine
