// WDP: what holds whichever thread gets a lock first, and for sections C and C' of one lock, C first:
//   - if a read f in C' finds what was written in C, the release of C is ordered before f;
//   - if an event of C is ordered before one of C', the release of C is ordered before that of C'.
// That a value was written before it is read is no part of it, if not by these rules.
// Genc, Roemer, Xu & Bond, "Dependence-Aware, Unbounded Sound Predictive Race Detection" (OOPSLA 2019), as
// told by Sulzmann & Stadtmueller (2020), definition 3.6; its printed rule has C and C' mixed up, example 2.5
// shows what is meant. Sections of two readers do not exclude each other: no rule is of two such.
// To be used below ReadsFrom, and above WithLocksets.
#pragma once

#include "order/locksets.h"
#include "order/with_sections.h"

namespace deadheat::order {

template <class Base>
class WeakOrder : public WithSections<Base> {
  using Sections = WithSections<Base>;

 public:
  using Sections::Sections;
  using typename Sections::Time;

  void acquire(ThreadId t, LockId l, Time time) {
    Base::acquire(t, l, time);
    this->enter(t, l, Sections::exclusive, time);
  }
  void acquire_shared(ThreadId t, LockId l, Time time) {
    Base::acquire_shared(t, l, time);
    this->enter(t, l, Sections::shared, time);
  }
  void release(ThreadId t, LockId l, Time time) {
    give(t, l, Sections::exclusive, time);
    Base::release(t, l, time);
  }
  void release_shared(ThreadId t, LockId l, Time time) {
    give(t, l, Sections::shared, time);
    Base::release_shared(t, l, time);
  }

  // A write leaves word of itself, and of the sections that it was in.
  struct Left {
    clock::Epoch write;
    LocksetId held;
  };
  void leave_to_readers(Left& left, ThreadId t, Time time) {
    left = {clock::Epoch(t, time), Base::moment(t).held};
    this->tells(t, time);
  }
  void find_what_was_left(ThreadId t, const Left& left, Time time) {
    if (left.write.thread() == t || left.held == LocksetId::empty) return;
    for (const auto& section : this->held(t)) {
      const std::uint32_t modes = Base::locksets().modes_of(left.held, section.lock);
      if ((modes & Locksets::exclusive) != 0)
        this->join_section_with(t, section, Sections::exclusive, left.write, time);
      if ((modes & Locksets::shared) != 0 && section.mode == Sections::exclusive)
        this->join_section_with(t, section, Sections::shared, left.write, time);
    }
  }
  static bool knows_what_was_left(ThreadId t, const Moment&, const Left& left) {
    return !left.write.none() && left.write.thread() == t;
  }
  static bool nothing_left(const Left& left) { return left.write.none(); }
  static Left share_left(const Left& left) { return left; }
  static void drop_left(Left& left) { left = {}; }
  static void prefetch_left(const Left&) {}

 private:
  void give(ThreadId t, LockId l, typename Sections::Mode mode, Time time) {
    const auto& section = this->inside(t, l, mode);
    while (this->catch_up(t, section, time)) {
    }
    this->leave(t, section, time);
  }
};

}  // namespace deadheat::order
