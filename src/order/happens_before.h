// Happens-before: program order, release to acquire, and all other synchronisation.
// Flanagan & Freund, "FastTrack: Efficient and Precise Dynamic Race Detection" (PLDI 2009), figure 3;
// rules.h.
#pragma once

#include "order/synchronisation.h"

namespace deadheat::order {

template <class Clocks>
class HappensBefore : public Synchronisation<Clocks> {
 public:
  using typename Synchronisation<Clocks>::Time;
  using typename Synchronisation<Clocks>::Message;
  using typename Synchronisation<Clocks>::Rule;
  using Synchronisation<Clocks>::Synchronisation;

  void acquire(ThreadId t, LockId l, Time time) { Rule::acquire(clocks_, actor(t, time), locks_[index(l)]); }
  void release(ThreadId t, LockId l, Time time) { Rule::release(clocks_, actor(t, time), locks_[index(l)]); }
  void acquire_shared(ThreadId t, LockId l, Time time) {
    Rule::acquire_shared(clocks_, actor(t, time), locks_[index(l)]);
  }
  void release_shared(ThreadId t, LockId l, Time time) {
    Rule::release_shared(clocks_, actor(t, time), locks_[index(l)]);
  }

 protected:
  using Synchronisation<Clocks>::actor;
  using Synchronisation<Clocks>::clocks_;
  using Synchronisation<Clocks>::living;
  using Lock = typename Rule::Lock;

  model::Table<Lock> locks_;
};

}  // namespace deadheat::order
