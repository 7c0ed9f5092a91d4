// Eraser's state of each variable: Savage, Burrows, Nelson, Sobalvarro & Anderson, "Eraser: A Dynamic Data
// Race Detector for Multithreaded Programs" (TOCS 1997), section 2 and figure 4. A variable has a set of
// candidate locks, C(v), which is refined at every access once a second thread has come; where it is empty,
// nothing protects the variable. For reader-writer locks (section 2.3) a write refines it by the locks held
// exclusively.
//
// Departs: the paper names one access, a report here has two. The other one is the last access of another
// thread that conflicts, or if there is none the last one of another thread.
// Time O(1) an access, but for a set met for the first time. Memory O(1) a variable, O(1) a distinct set.
#pragma once

#include "history/access.h"
#include "history/candidates.h"
#include "model/cells.h"

namespace deadheat::history {

class EraserHistory {
 public:
  using Now = order::Moment;
  using LocksetId = order::LocksetId;

  template <class Order>
    requires requires(const Order& order) { order.locksets(); }
  explicit EraserHistory(const Order& order) : candidates_(order.locksets()) {}

  void reserve(std::uint64_t places) { cells_.reserve(places); }
  void prefetch(std::uint32_t place) const { cells_.prefetch(place); }
  // f(place) for all places from `begin` to `end` that were ever accessed.
  template <class F>
  void each_accessed(std::uint64_t begin, std::uint64_t end, F&& f) const {
    cells_.each_visited(begin, end, f);
  }
  std::size_t bytes() const { return cells_.bytes() + candidates_.bytes(); }

  // An access of the only thread so far changes nothing but what is remembered of it.
  [[gnu::always_inline]] bool quick(const Access& a, const Now&) {
    State& s = cells_.cell(a.place);
    if (s.mask != a.bytes || s.phase != exclusive || s.last().thread() != a.thread) return false;
    if (a.kind == EventKind::read) {
      s.read = a.epoch();
      s.read_site = a.site;
    } else {
      s.write = a.epoch();
      s.write_site = a.site;
      s.freed &= kOther;
    }
    return true;
  }

  template <class F>
  void read(const Access& a, const Now& now, F&& race) {
    cells_.visit(a.place, a.bytes, [&](State& s) {
      if (s.phase == virgin) {
        s.phase = exclusive;
      } else if (s.phase == exclusive && s.last().thread() != a.thread) {
        s.phase = shared;
        s.candidates = candidates_.all_held(now.held);
      } else if (s.phase != exclusive) {
        s.candidates = candidates_.common(s.candidates, candidates_.all_held(now.held));
      }
      if (s.phase == shared_modified && s.candidates == LocksetId::empty) race(s.partner(a, true));
      s.remember_read(a);
    });
  }
  template <class F>
  void write(const Access& a, const Now& now, F&& race) {
    cells_.visit(a.place, a.bytes, [&](State& s) { write(s, a, now, race); });
  }
  // The first access to a place. True if something is known of it nevertheless, from frees.
  bool take_over(std::uint32_t place) { return cells_.take_over(place); }
  // The same as write() for all that was never accessed in the stretch; race(part, met) is told of all such
  // in a part.
  template <class F>
  void write_unaccessed(model::Stretch stretch, const Access& a, const Now& now, F&& race) {
    cells_.visit_unvisited(stretch, [&](State& s, model::Stretch part) {
      write(s, a, now, [&](const Met& met) { race(part, met); });
    });
  }
  // The paper knows no atomics.
  template <class F>
  void atomic(const Access&, const Now&, F&&) {}
  // The memory is new. Of what was never accessed it must be told first.
  void alloc_unaccessed(model::Stretch stretch) {
    cells_.forget_unvisited(stretch, [](State&) {});
  }
  void alloc(const Access& a) {
    cells_.forget(a.place, a.bytes, [](State&) {});
  }

 private:
  enum Phase : std::uint8_t { virgin, exclusive, shared, shared_modified };
  static constexpr std::uint8_t kLast = 1, kOther = 2;

  // A cache line. All zeros: virgin.
  struct alignas(64) State {
    clock::Epoch write, other_write;  // the last one, and the last one of another thread than that
    clock::Epoch read, other_read;
    SiteId write_site, other_write_site, read_site, other_read_site;
    LocksetId candidates;  // C(v), once it is shared; locks in it count as held exclusively
    std::uint32_t next;
    ByteMask mask;
    Phase phase;
    std::uint8_t freed;  // kLast: the write is a free; kOther: the other write

    State clone() const { return *this; }

    clock::Epoch last() const { return write.time() > read.time() ? write : read; }
    Met write_not_of(ThreadId t) const {
      const bool other = write.thread() == t;
      return {other ? other_write : write, other ? other_write_site : write_site,
              (freed & (other ? kOther : kLast)) != 0 ? EventKind::free : EventKind::write};
    }
    Met read_not_of(ThreadId t) const {
      const bool other = read.thread() == t;
      return {other ? other_read : read, other ? other_read_site : read_site, EventKind::read};
    }
    Met partner(const Access& a, bool reads) const {
      const Met w = write_not_of(a.thread), r = read_not_of(a.thread);
      if (w.epoch.none()) return r;
      return reads || w.epoch.time() > r.epoch.time() ? w : r;
    }
    void remember_read(const Access& a) {
      if (read.thread() != a.thread) {
        other_read = read;
        other_read_site = read_site;
      }
      read = a.epoch();
      read_site = a.site;
    }
    void remember_write(const Access& a) {
      if (write.thread() != a.thread) {
        other_write = write;
        other_write_site = write_site;
        freed = (freed & kLast) != 0 ? kOther : 0;
      }
      write = a.epoch();
      write_site = a.site;
      freed = static_cast<std::uint8_t>((freed & kOther) | (a.kind == EventKind::free ? kLast : 0));
    }
  };
  static_assert(sizeof(State) == 64);

  template <class F>
  void write(State& s, const Access& a, const Now& now, F&& race) {
    if (s.phase == virgin) {
      s.phase = exclusive;
    } else if (s.phase == exclusive && s.last().thread() != a.thread) {
      s.phase = shared_modified;
      s.candidates = candidates_.held_exclusively(now.held);
    } else if (s.phase != exclusive) {
      s.phase = shared_modified;
      s.candidates = candidates_.common(s.candidates, candidates_.held_exclusively(now.held));
    }
    if (s.phase == shared_modified && s.candidates == LocksetId::empty) race(s.partner(a, false));
    s.remember_write(a);
  }

  Candidates candidates_;
  model::Cells<State> cells_;
};

}  // namespace deadheat::history
