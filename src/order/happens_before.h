// Happens-before: program order, release to acquire, and all other synchronisation.
// Flanagan & Freund, "FastTrack: Efficient and Precise Dynamic Race Detection" (PLDI 2009), figure 3.
// Reader-writer locks: a shared release orders later exclusive acquires only.
#pragma once

#include "order/synchronisation.h"

namespace deadheat::order {

template <class Clocks>
class HappensBefore : public Synchronisation<Clocks> {
 public:
  using typename Synchronisation<Clocks>::Time;
  using typename Synchronisation<Clocks>::Message;
  using Synchronisation<Clocks>::Synchronisation;

  void acquire(ThreadId t, LockId l, Time time) {
    const Lock& lock = locks_[index(l)];
    clocks_.join(living(t).clock, t, time, lock.released);
    clocks_.join(living(t).clock, t, time, lock.shared_released);
  }
  void release(ThreadId t, LockId l, Time time) {
    Lock& lock = locks_[index(l)];
    clocks_.assign(lock.released, living(t).clock, t, time);
    clocks_.clear(lock.shared_released);  // its readers came before the acquire that this release ends
  }
  void acquire_shared(ThreadId t, LockId l, Time time) {
    clocks_.join(living(t).clock, t, time, locks_[index(l)].released);
  }
  void release_shared(ThreadId t, LockId l, Time time) {
    clocks_.add(locks_[index(l)].shared_released, living(t).clock, t, time);
  }

 protected:
  using Synchronisation<Clocks>::clocks_;
  using Synchronisation<Clocks>::living;

  struct Lock {
    Message released, shared_released;
  };

  model::Table<Lock> locks_;
};

}  // namespace deadheat::order
