// What is kept of the accesses to each variable where locks do not order but keep apart: two accesses that
// are not ordered are told unless they hold a common lock, at least one of them exclusively. One access is
// kept for each thread, sort of access and set of locks. (Fewer would not do: a thread that reads with a lock
// and without one is protected by it in one case only.)
//
// Of those kept, an access e can be forgotten once there is a later f that
//   - holds no lock that e does not hold (in a mode as strong),
//   - conflicts with all that e conflicts with,
//   - is of the same thread or ordered after e.
// Proof: let g come later, in conflict with e, of another thread, not ordered after e, and kept apart by no
// lock. Then g conflicts with f, no lock keeps them apart, and g is not ordered after f, since it would be
// ordered after e. So neither is it of f's thread. The same access g is flagged for f.
//
// Where nothing is ordered there is a second reason: of three threads' accesses of one sort and lockset, two
// are enough, because g is of another thread than at least one of them, and conflicts with both alike.
//
// Time O(1) for an access that holds the locks that all others held, or to a variable of one thread; else
// O(n) for n accesses kept.
#pragma once

#include "history/lockset_accesses.h"
#include "model/cells.h"
#include "order/locksets.h"

namespace deadheat::history {

// Ordered as the moment says.
struct ByClocks {
  static constexpr bool kAllThreads = true;
  static bool covers(const order::Moment& now, ThreadId t, clock::Epoch e) { return now.covers(t, e); }
};
// Threads are never ordered.
struct ByThread {
  static constexpr bool kAllThreads = false;
  static bool covers(const order::Moment&, ThreadId t, clock::Epoch e) { return e.thread() == t; }
};

template <class Ordered>
class LocksetHistory {
 public:
  using Now = order::Moment;
  using LocksetId = order::LocksetId;

  template <class Order>
    requires requires(const Order& order) { order.locksets(); }
  explicit LocksetHistory(const Order& order) : sets_(&order.locksets()) {}
  LocksetHistory(LocksetHistory&&) noexcept = default;
  LocksetHistory& operator=(LocksetHistory&&) = delete;
  ~LocksetHistory() {
    cells_.for_each([](State& s) { s.drop_table(); });
  }

  void reserve(std::uint64_t places) { cells_.reserve(places); }
  void prefetch(std::uint32_t place) const { cells_.prefetch(place); }
  // f(place) for all places from `begin` to `end` that were accessed, and some others.
  template <class F>
  void each_accessed(std::uint64_t begin, std::uint64_t end, F&& f) const {
    cells_.each_visited(begin, end, f);
  }
  std::size_t bytes() const {
    std::size_t tables = 0;
    cells_.for_each([&](const State& s) { tables += s.table == nullptr ? 0 : s.table->bytes(); });
    return cells_.bytes() + tables;
  }

  // Most accesses meet nothing that they race with, and take the place of one that is kept. Does all there is
  // to do for such a plain read or write; false, and nothing done, if there is more: call read() or write().
  [[gnu::always_inline]] bool quick(const Access& a, const Now& now) {
    State& s = cells_.cell(a.place);
    if (s.mask != a.bytes) [[unlikely]]
      return false;
    if (s.table != nullptr) return quick_kept(s, a, now, sort_of(a.kind));
    if (!quickly_replaced(s.last[kWrite], a, now) || !quickly_replaced(s.last[kRead], a, now)) return false;
    // Without a branch: whether an access reads or writes is hard to predict. So a read that a write takes
    // the place of is still there.
    const auto which = static_cast<unsigned>(a.kind == EventKind::write);
    s.last[which] = {a.epoch(), a.site, now.held};
    s.freed &= which == 0;
    return true;
  }

  // race(met) is told of every access kept that races with this one.
  template <class F>
  void read(const Access& a, const Now& now, F&& race) {
    access(a, now, race);
  }
  template <class F>
  void write(const Access& a, const Now& now, F&& race) {
    access(a, now, race);
  }
  template <class F>
  void atomic(const Access& a, const Now& now, F&& race) {
    access(a, now, race);
  }

  // The memory is new.
  void alloc(const Access& a) {
    cells_.forget(a.place, a.bytes, [](State& s) { s.drop_table(); });
  }

 private:
  using Table = LocksetAccesses<Ordered::kAllThreads>;

  struct Last {
    clock::Epoch epoch;
    SiteId site;
    LocksetId held;
  };
  enum : unsigned { kRead, kWrite };
  static constexpr LocksetId kVarious{UINT32_MAX};  // no set has this number

  // A cache line. All zeros: never accessed. As long as there is no table, one write and one read are all
  // that is kept; then they mean nothing.
  struct alignas(64) State {
    Last last[2];  // read, write
    Table* table;
    LocksetId held;        // all in the table hold these, or kVarious
    std::uint32_t thread;  // all in the table are of this one, plus 1; or 0
    std::uint32_t next;
    ByteMask mask;
    bool freed;  // the write is a free

    Guarded last_write() const {
      const Last& e = last[kWrite];
      return {{e.epoch, e.site, freed ? EventKind::free : EventKind::write}, e.held};
    }
    Guarded last_read() const {
      const Last& e = last[kRead];
      return {{e.epoch, e.site, EventKind::read}, e.held};
    }
    void drop_table() {
      if (table != nullptr) Table::destroy(table);
      table = nullptr;
    }
    State clone() const {
      State copy = *this;
      if (table != nullptr) copy.table = table->clone();
      return copy;
    }
  };
  static_assert(sizeof(State) == 64);

  static bool quickly_replaced(const Last& e, const Access& a, const Now& now) {
    return e.epoch.none() ||
           (Ordered::covers(now, a.thread, e.epoch) && (now.held == e.held || now.held == LocksetId::empty));
  }
  // Whether nothing in the table can race with the access.
  static bool safe(const State& s, const Access& a, const Now& now, Sort sort) {
    return (now.held == s.held && order::Locksets::any_exclusive(now.held)) ||
           s.thread == index(a.thread) + 1 || (only_reads(sort) && !s.table->any_write());
  }
  static bool quick_kept(State& s, const Access& a, const Now& now, Sort sort) {
    if (!safe(s, a, now, sort)) return false;
    Guarded& place = s.table->place_of(a.thread, sort, now.held);
    if (place.none()) return false;
    place.access = {a.epoch(), a.site, a.kind};
    return true;
  }

  // Whether e can be forgotten for f, which is now.
  bool replaced(const Guarded& e, const Guarded& f, const Now& now) const {
    return as_strong(f.sort(), e.sort()) && Ordered::covers(now, f.thread(), e.access.epoch) &&
           sets_->implies(e.held, f.held);
  }
  bool races(const Guarded& e, const Guarded& f, const Now& now) const {
    return conflict(e.sort(), f.sort()) && e.thread() != f.thread() &&
           !Ordered::covers(now, f.thread(), e.access.epoch) && !sets_->keep_apart(e.held, f.held);
  }

  template <class F>
  void access(const Access& a, const Now& now, F& race) {
    const Guarded f{{a.epoch(), a.site, a.kind}, now.held};
    cells_.visit(a.place, a.bytes, [&](State& s) {
      if (s.table == nullptr) {
        check_last(s, f, now, race);
      } else {
        if (!safe(s, a, now, f.sort())) check_all(s, f, now, race);
        put(s, f, now);
      }
    });
  }
  template <class F>
  void check_last(State& s, const Guarded& f, const Now& now, F& race) {
    const Guarded write = s.last_write(), read = s.last_read();
    const auto check = [&](const Guarded& e) {
      if (!e.none() && races(e, f, now)) race(e.access);
      return e.none() || replaced(e, f, now);
    };
    const bool replaces_write = check(write), replaces_read = check(read);
    if (f.sort() == Sort::read && replaces_read) {
      s.last[kRead] = {f.access.epoch, f.access.site, f.held};
    } else if (f.sort() == Sort::write && replaces_write) {
      s.last[kWrite] = {f.access.epoch, f.access.site, f.held};
      s.freed = f.access.kind == EventKind::free;
      if (replaces_read) s.last[kRead] = {};
    } else {
      s.table = Table::make(8);
      for (const Guarded& e : {write, read, f}) {
        if (!e.none()) put(s, e, now);
      }
    }
  }
  template <class F>
  void check_all(State& s, const Guarded& f, const Now& now, F& race) {
    std::uint32_t stale = 0;
    s.table->for_each([&](const Guarded& e) {
      if (races(e, f, now)) {
        race(e.access);
      } else if (replaced(e, f, now) && !same_place(e, f)) {
        ++stale;
      }
    });
    if (stale > 0 && 2 * stale >= s.table->count()) forget_replaced(s, f, now);
  }
  static bool same_place(const Guarded& e, const Guarded& f) {
    return e.thread() == f.thread() && e.sort() == f.sort() && e.held == f.held;
  }
  void forget_replaced(State& s, const Guarded& f, const Now& now) {
    s.table = s.table->rebuilt([&](const Guarded& e) { return !replaced(e, f, now); });
    bool first = true;
    s.table->for_each([&](const Guarded& e) { note(s, e, std::exchange(first, false)); });
  }
  void put(State& s, const Guarded& f, const Now& now) {
    if (s.table->full() && s.table->place_of(f.thread(), f.sort(), f.held).none()) forget_replaced(s, f, now);
    note(s, f, s.table->count() == 0);
    s.table->put(f);
  }
  static void note(State& s, const Guarded& e, bool first) {
    const std::uint32_t thread = index(e.thread()) + 1;
    s.held = first || s.held == e.held ? e.held : kVarious;
    s.thread = first || s.thread == thread ? thread : 0;
  }

  const order::Locksets* sets_;
  model::Cells<State> cells_;
};

}  // namespace deadheat::history
