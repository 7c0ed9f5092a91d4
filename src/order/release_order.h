// PWR without the values (reads_from.h adds these): what holds whichever thread gets a lock first, and the
// release-order rule. For sections C and C' of one lock, C first: if an event of C is ordered before f in C',
// the release of C is ordered before f too.
// Sulzmann & Stadtmueller, "Efficient, Near Complete and Often Sound Hybrid Dynamic Data Race Prediction"
// (2020), definition 3.1, algorithm 1 (w3) and appendices E.2, F.1, F.4.
// Reader-writer locks: the rule is of sections that exclude each other, so not of two readers'. (If C and C'
// do, and something of C comes before something of C', C was over when C' began, also with a reader in one of
// them.) Departs: w3 is applied to all locks that are held until nothing new is known, the lock of an acquire
// among them; the paper's single pass leaves events unordered that its definition orders. It is applied where
// a thread has learnt something or taken a lock: meanwhile others cannot have had a section that excludes its
// own.
#pragma once

#include "order/with_sections.h"

namespace deadheat::order {

template <class Base>
class ReleaseOrder : public WithSections<Base> {
  using Sections = WithSections<Base>;

 public:
  using Sections::Sections;
  using typename Sections::Time;

  // The thread may know more than before, by the event at this time: call this before it tells others.
  void learnt(ThreadId t, Time time) {
    const auto& held = this->held(t);
    for (bool news = !held.empty(); news;) {
      news = false;
      for (const auto& section : held) news |= this->catch_up(t, section, time);
    }
  }

  void acquire(ThreadId t, LockId l, Time time) { take(t, l, Sections::exclusive, time); }
  void acquire_shared(ThreadId t, LockId l, Time time) { take(t, l, Sections::shared, time); }
  void release(ThreadId t, LockId l, Time time) { give(t, l, Sections::exclusive, time); }
  void release_shared(ThreadId t, LockId l, Time time) { give(t, l, Sections::shared, time); }

  using typename Sections::Left;
  void leave_to_readers(Left& left, ThreadId t, Time time) {
    Sections::leave_to_readers(left, t, time);
    this->tells(t, time);
  }

  void join(ThreadId t, ThreadId u, Time time) {
    Sections::join(t, u, time);
    learnt(t, time);
  }
  void join_ended(ThreadId t, const typename Sections::Message& ended, Time time) {
    Sections::join_ended(t, ended, time);
    learnt(t, time);
  }
  void recv(ThreadId t, ChannelId c, Time time) {
    Sections::recv(t, c, time);
    learnt(t, time);
  }
  void barrier_exit(ThreadId t, BarrierId b, std::uint64_t generation, Time time) {
    Sections::barrier_exit(t, b, generation, time);
    learnt(t, time);
  }
  void fence(ThreadId t, MemoryOrder order, Time time) {
    if (order == MemoryOrder::acq_rel || order == MemoryOrder::seq_cst) {
      Sections::fence(t, MemoryOrder::acquire, time);
      learnt(t, time);
      Sections::fence(t, MemoryOrder::release, time);
    } else {
      Sections::fence(t, order, time);
      learnt(t, time);
    }
  }
  // What a read-modify-write tells others is put right when its value is known: ReadsFrom::accessed().
  void atomic(ThreadId t, VarId x, const Op& op, Time time) {
    Sections::atomic(t, x, op, time);
    learnt(t, time);
  }

 private:
  using Mode = typename Sections::Mode;

  void take(ThreadId t, LockId l, Mode mode, Time time) {
    if (this->catch_up(t, this->enter(t, l, mode, time), time)) learnt(t, time);
  }
  void give(ThreadId t, LockId l, Mode mode, Time time) { this->leave(t, this->inside(t, l, mode), time); }
};

}  // namespace deadheat::order
