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
    if (threads > held_.size()) held_.resize(threads);
    return Base::begin_block(slot, threads);
  }
  Moment moment(ThreadId t) const { return {Base::moment(t).times, held_[index(t)]}; }
  const Locksets& locksets() const { return sets_; }

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

  std::size_t bytes() const { return Base::bytes() + sets_.bytes() + held_.capacity() * sizeof(LocksetId); }

 private:
  Locksets sets_;
  std::vector<LocksetId> held_;  // by thread
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
