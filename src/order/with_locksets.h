// Orders whose moments also say which locks are held.
#pragma once

#include <vector>

#include "model/bytes.h"
#include "order/locksets.h"

namespace deadheat::order {

// An order, and besides: the locks that each thread holds.
template <class Base>
class WithLocksets : public Base {
 public:
  using Base::Base;
  using typename Base::Time;

  bool begin_block(std::uint32_t slot, std::uint32_t threads) {
    make_room(threads);
    return Base::begin_block(slot, threads);
  }
  // Where ids are of slots: what a thread held at its end the next owner does not.
  bool reserve_threads(std::uint32_t threads) {
    make_room(threads);
    return Base::reserve_threads(threads);
  }
  auto take_ended(ThreadId u) {
    held_[index(u)] = LocksetId::empty;
    return Base::take_ended(u);
  }
  Moment moment(ThreadId t) const { return {Base::moment(t).times, held_[index(t)], eras_[index(t)]}; }
  const Locksets& locksets() const { return sets_; }
  Locksets& locksets() { return sets_; }

  void acquire(ThreadId t, LockId l, Time time) {
    Base::acquire(t, l, time);
    held_[index(t)] = sets_.with(held_[index(t)], l, Locksets::exclusive);
  }
  void release(ThreadId t, LockId l, Time time) {
    Base::release(t, l, time);
    held_[index(t)] = sets_.without(held_[index(t)], l, Locksets::exclusive);
  }
  void acquire_shared(ThreadId t, LockId l, Time time) {
    Base::acquire_shared(t, l, time);
    held_[index(t)] = sets_.with(held_[index(t)], l, Locksets::shared);
  }
  void release_shared(ThreadId t, LockId l, Time time) {
    Base::release_shared(t, l, time);
    held_[index(t)] = sets_.without(held_[index(t)], l, Locksets::shared);
  }

  // What others may come to be ordered after. (Locks and values aside: histories that want to know the eras
  // are not for orders that go by these.)
  void fork(ThreadId t, ThreadId u, Time time) {
    Base::fork(t, u, time);
    tell(t);
  }
  void send(ThreadId t, ChannelId c, Time time) {
    Base::send(t, c, time);
    tell(t);
  }
  void barrier_enter(ThreadId t, BarrierId b, std::uint64_t generation, Time time) {
    Base::barrier_enter(t, b, generation, time);
    tell(t);
  }
  void fence(ThreadId t, MemoryOrder order, Time time) {
    Base::fence(t, order, time);
    tell(t);
  }
  void atomic(ThreadId t, VarId x, const Op& op, Time time) {
    Base::atomic(t, x, op, time);
    if (op.kind != EventKind::atomic_load) tell(t);
  }

  std::size_t bytes() const {
    return Base::bytes() + sets_.bytes() + held_.capacity() * (sizeof(LocksetId) + sizeof(std::uint32_t));
  }

 private:
  void make_room(std::uint32_t threads) {
    if (threads <= held_.size()) return;
    held_.resize(threads);
    eras_.resize(threads);
  }
  void tell(ThreadId t) {
    if (eras_[index(t)] != kEraUnknown) ++eras_[index(t)];
  }

  Locksets sets_;
  std::vector<LocksetId> held_;      // by thread
  std::vector<std::uint32_t> eras_;  // by thread
};

// Program order alone. Its moments have no times: of other threads a thread knows nothing.
class NoOrder {
 public:
  using Time = clock::Time;

  explicit NoOrder(std::uint32_t /*slots*/) {}

  bool begin_block(std::uint32_t, std::uint32_t) { return false; }
  Moment moment(ThreadId) const { return {}; }
  const Time* knows_nothing() const { return nullptr; }

  void fork(ThreadId, ThreadId, Time) {}
  void join(ThreadId, ThreadId, Time) {}
  void send(ThreadId, ChannelId, Time) {}
  void recv(ThreadId, ChannelId, Time) {}
  void barrier_enter(ThreadId, BarrierId, std::uint64_t, Time) {}
  void barrier_exit(ThreadId, BarrierId, std::uint64_t, Time) {}
  void fence(ThreadId, MemoryOrder, Time) {}
  void atomic(ThreadId, VarId, const Op&, Time) {}
  bool has_atomics() const { return false; }
  void plain_write(VarId, const Op&, Time) {}
  void narrow_plain_write(std::uint32_t, model::ByteMask, Time) {}
  static constexpr bool kFollowsValues = false;
  void acquire(ThreadId, LockId, Time) {}
  void release(ThreadId, LockId, Time) {}
  void acquire_shared(ThreadId, LockId, Time) {}
  void release_shared(ThreadId, LockId, Time) {}
  std::size_t bytes() const { return 0; }
};

}  // namespace deadheat::order
