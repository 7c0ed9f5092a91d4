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
// An access f need not be kept in the first place if there is an earlier e of the same thread, plain and as
// strong, that holds no lock that f does not hold, and the thread has told nobody anything since e: whoever
// is ordered after e is ordered after f. So whoever races with f is flagged for e.
//
// Where nothing is ordered there is another reason: of three threads' accesses of one sort and lockset, two
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
  static constexpr bool kAllThreads = true, kEras = true;
  static bool covers(const order::Moment& now, ThreadId t, clock::Epoch e) { return now.covers(t, e); }
};
// The same where every write tells its readers something, so that eras say nothing.
struct ByValues : ByClocks {
  static constexpr bool kEras = false;
};
// Threads are never ordered.
struct ByThread {
  static constexpr bool kAllThreads = false, kEras = false;
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
  // f(place) for all places from `begin` to `end` that were ever accessed.
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
    if (!quickly_replaced(s.last[kWrite], a, now) || !quickly_replaced(s.last[kRead], a, now)) {
      return quickly_needless(s, a, now);
    }
    // Without a branch: whether an access reads or writes is hard to predict. So a read that a write takes
    // the place of is still there.
    const auto which = static_cast<unsigned>(a.kind == EventKind::write);
    s.last[which] = {a.epoch(), a.site, now.held};
    if (which == kWrite) s.write_era = now.era;
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

  // The first access to a place. True if something is known of it nevertheless, from frees.
  bool take_over(std::uint32_t place) { return cells_.take_over(place); }
  // The same as write() for all that was never accessed in the stretch; race(part, met) is told of all such
  // in a part.
  template <class F>
  void write_unaccessed(model::Stretch stretch, const Access& a, const Now& now, F&& race) {
    const Guarded f{{a.epoch(), a.site, a.kind}, now.held, now.era};
    cells_.visit_unvisited(stretch, [&](State& s, model::Stretch part) {
      access(s, f, now, [&](const Met& met) { race(part, met); });
    });
  }

  // The memory is new. Of what was never accessed it must be told first.
  void alloc_unaccessed(model::Stretch stretch) {
    cells_.forget_unvisited(stretch, [](State& s) { s.drop_table(); });
  }
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

  // A cache line. All zeros: never accessed. As long as there is no table, one write and one read are all
  // that is kept; then they mean nothing.
  struct alignas(64) State {
    Last last[2];  // read, write
    Table* table;
    // Of those in the table:
    std::uint32_t guard;   // a lock plus 1 that all of them fit (below), or 0
    LocksetId least;       // locks that one of them held; no other seen since held fewer of these
    std::uint32_t thread;  // all are of this one, plus 1; or 0
    std::uint32_t write_era;
    std::uint32_t next;
    ByteMask mask;
    bool freed;  // the write is a free

    Guarded last_write() const {
      const Last& e = last[kWrite];
      return {{e.epoch, e.site, freed ? EventKind::free : EventKind::write}, e.held, write_era};
    }
    Guarded last_read() const {
      const Last& e = last[kRead];
      return {{e.epoch, e.site, EventKind::read}, e.held, order::kEraUnknown};
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
  // Whether the write that is kept makes this access needless, and it meets nothing. (Not asked of all that
  // it could be: only of what is often so.)
  static bool quickly_needless(const State& s, const Access& a, const Now& now) {
    const Last &w = s.last[kWrite], &r = s.last[kRead];
    return !w.epoch.none() && w.epoch.thread() == a.thread && w.held == LocksetId::empty &&
           same_era(s.write_era, now.era) && (r.epoch.none() || Ordered::covers(now, a.thread, r.epoch));
  }
  // Whether the thread has told nobody anything since then.
  static bool same_era(std::uint32_t then, std::uint32_t now) {
    return !Ordered::kAllThreads || (Ordered::kEras && then == now && now != order::kEraUnknown);
  }

  // Who holds a variable's guard, exclusively unless it only reads, is kept apart from all others who do.
  bool fits(std::uint32_t guard, Sort sort, LocksetId held) const {
    const std::uint32_t modes = sets_->modes_of(held, LockId{guard - 1});
    return modes != 0 && (only_reads(sort) || (modes & order::Locksets::exclusive) != 0);
  }
  // Whether nothing in the table can race with the access.
  bool safe(const State& s, ThreadId t, Sort sort, LocksetId held) const {
    return s.thread == index(t) + 1 || (s.guard != 0 && fits(s.guard, sort, held)) ||
           (only_reads(sort) && !s.table->any_write());
  }
  bool quick_kept(State& s, const Access& a, const Now& now, Sort sort) const {
    if (!safe(s, a.thread, sort, now.held)) return false;
    // Most that hold other locks besides are needless, so this is asked first.
    if (now.held != s.least && needless(s, a.thread, sort, now.held, now.era)) return true;
    Guarded& place = s.table->place_of(a.thread, sort, now.held);
    if (place.none()) return false;
    place.access = {a.epoch(), a.site, a.kind};
    place.era = now.era;
    return true;
  }
  // Whether one of the table makes the access needless.
  bool needless(const State& s, ThreadId t, Sort sort, LocksetId held, std::uint32_t era) const {
    if (!sets_->implies(held, s.least)) return false;
    for (const Sort as : {Sort::write, Sort::read}) {
      if (!as_strong(as, sort)) continue;
      const Guarded& e = s.table->place_of(t, as, s.least);
      // Where two threads' are kept, that of another is found only if there are two.
      if (!e.none() && same_era(e.era, era)) return true;
    }
    return false;
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
    const Guarded f{{a.epoch(), a.site, a.kind}, now.held, now.era};
    cells_.visit(a.place, a.bytes, [&](State& s) { access(s, f, now, race); });
  }
  template <class F>
  void access(State& s, const Guarded& f, const Now& now, F&& race) {
    if (s.table == nullptr) {
      check_last(s, f, now, race);
    } else {
      if (!safe(s, f.thread(), f.sort(), f.held)) check_all(s, f, now, race);
      put(s, f, now);
    }
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
      s.write_era = f.era;
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
    find_guard(s);
  }
  bool mostly_replaced(const State& s, const Guarded& f, const Now& now) const {
    std::uint32_t stale = 0;
    s.table->for_each([&](const Guarded& e) { stale += replaced(e, f, now) ? 1 : 0; });
    return stale > 1 && 2 * stale >= s.table->count();
  }
  void put(State& s, const Guarded& f, const Now& now) {
    if (s.table->place_of(f.thread(), f.sort(), f.held).none()) {
      if (s.table->count() > 0 && needless(s, f.thread(), f.sort(), f.held, f.era)) return;
      if (s.table->full() || (f.held == s.least && mostly_replaced(s, f, now))) forget_replaced(s, f, now);
      const bool first = s.table->count() == 0;
      note(s, f, first);
      s.table->put(f);
      if (first || (s.guard != 0 && !fits(s.guard, f.sort(), f.held))) find_guard(s);
    } else {
      s.table->put(f);
    }
  }
  void note(State& s, const Guarded& e, bool first) const {
    const std::uint32_t thread = index(e.thread()) + 1;
    s.thread = first || s.thread == thread ? thread : 0;
    if (first || sets_->implies(s.least, e.held)) s.least = e.held;
  }
  void find_guard(State& s) const {
    s.guard = 0;
    LocksetId held = LocksetId::empty;
    s.table->for_each([&](const Guarded& e) { held = e.held; });
    sets_->for_each(held, [&](LockId l, std::uint32_t) {
      if (s.guard != 0) return;
      bool all = true;
      s.table->for_each([&](const Guarded& e) { all = all && fits(index(l) + 1, e.sort(), e.held); });
      if (all) s.guard = index(l) + 1;
    });
  }

  const order::Locksets* sets_;
  model::Cells<State> cells_;
};

}  // namespace deadheat::history
