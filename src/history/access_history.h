// What is kept of the accesses to each variable, and the check of a new one against it. Of one variable
// mostly one write and one read say everything: an access that a later one is ordered after can be forgotten,
// because who races with the earlier one races with the later one too. (A write may stand for all kinds, a
// read for reads.) What they do not say is kept as the last access of each thread and kind, beside them.
//
// Atomics race with plain accesses only, so an atomic access never stands for another; a free is a write.
// Time O(1) an access; O(T) where accesses raced, after reads that were not ordered, and for atomics.
#pragma once

#include <bit>

#include "history/access.h"
#include "history/others.h"
#include "model/cells.h"

namespace deadheat::history {

// Replaced::replaced(state) says what becomes of a write that the next one, about to take its place, is not
// ordered after.
template <class Replaced>
class AccessHistory {
 public:
  AccessHistory() = default;
  AccessHistory(AccessHistory&&) noexcept = default;
  AccessHistory& operator=(AccessHistory&&) = delete;
  ~AccessHistory() {
    cells_.for_each([](State& s) { s.drop_others(); });
  }

  void reserve(std::uint64_t places) { cells_.reserve(places); }
  void prefetch(std::uint32_t place) const { cells_.prefetch(place); }
  std::size_t bytes() const { return cells_.bytes(); }
  // f(place) for all places from `begin` to `end` that were ever accessed.
  template <class F>
  void each_accessed(std::uint64_t begin, std::uint64_t end, F&& f) const {
    cells_.each_visited(begin, end, f);
  }

  // Most accesses meet nothing but what is ordered before them. Does all there is to do for such a plain read
  // or write; false, and nothing done, if there is more: call read() or write().
  template <class Now>
  [[gnu::always_inline]] bool quick(const Access& a, const Now& now) {
    State& s = cells_.cell(a.place);
    if (s.mask != a.bytes || s.shared) [[unlikely]]
      return false;
    if (!is_after_all(s, a, now)) [[unlikely]]
      return false;
    replace_last(s, a);
    return true;
  }
  // The same, a little slower, for cells that were accessed in parts.
  template <class Now>
  [[gnu::noinline]] bool quick_in_parts(const Access& a, const Now& now) {
    return cells_.visit_whole_parts(
        a.place, a.bytes, [&](const State& s) { return !s.shared && is_after_all(s, a, now); },
        [&](State& s) { replace_last(s, a); });
  }

  // race(met) is told of every access kept that races with this one.
  template <class Now, class F>
  void read(const Access& a, const Now& now, F&& race) {
    cells_.visit(a.place, a.bytes, [&](State& s) {
      if (!now.covers(a.thread, s.write())) [[unlikely]]
        race(s.last_write());
      if (!s.shared) [[likely]] {
        if (now.covers(a.thread, s.read())) [[likely]] {
          s.last[State::kRead] = a.epoch();
          s.site[State::kRead] = a.site;
          return;
        }
        s.share();
      } else if (s.others()->any_write()) {
        tell(s, a, now, race,
             [](EventKind kind) { return kind != EventKind::read && kind != EventKind::atomic_load; });
      }
      s.put({a.epoch(), a.site, EventKind::read});
    });
  }

  template <class Now, class F>
  void write(const Access& a, const Now& now, F&& race) {
    cells_.visit(a.place, a.bytes, [&](State& s) { write(s, a, now, race); });
  }
  // The first access to a place. True if something is known of it nevertheless, from frees.
  bool take_over(std::uint32_t place) { return cells_.take_over(place); }
  // The same as write() for all that was never accessed in the stretch; race(part, met) is told of all such
  // in a part.
  template <class Now, class F>
  void write_unaccessed(model::Stretch stretch, const Access& a, const Now& now, F&& race) {
    cells_.visit_unvisited(stretch, [&](State& s, model::Stretch part) {
      write(s, a, now, [&](const Met& met) { race(part, met); });
    });
  }

  template <class Now, class F>
  void atomic(const Access& a, const Now& now, F&& race) {
    cells_.visit(a.place, a.bytes, [&](State& s) {
      if (!now.covers(a.thread, s.write())) race(s.last_write());
      s.share();
      const bool writes = a.kind != EventKind::atomic_load;
      if (s.others()->any_plain()) {
        tell(s, a, now, race, [&](EventKind kind) {
          return kind == EventKind::write || kind == EventKind::free || (writes && kind == EventKind::read);
        });
      }
      s.put({a.epoch(), a.site, a.kind});
    });
  }

  // Whether anything is kept of the place.
  bool keeps(std::uint32_t place) {
    cells_.take_over(place);
    const State& s = cells_.cell(place);
    return s.mask != 0 && (s.next != 0 || (s.last[0].bits() | s.last[1].bits()) != 0);
  }
  // An access that is checked but not kept. What it would stand for is forgotten: who races with that races
  // with this one too.
  template <class Now, class F>
  void pass(const Access& a, const Now& now, F&& race) {
    cells_.visit_known(a.place, a.bytes, [&](State& s) { pass(s, a, now, race); });
  }
  template <class Now, class F>
  void pass_unaccessed(model::Stretch stretch, const Access& a, const Now& now, F&& race) {
    cells_.visit_unvisited(stretch, [&](State& s, model::Stretch part) {
      pass(s, a, now, [&](const Met& met) { race(part, met); });
    });
  }

  // The memory is new. Of what was never accessed it must be told first.
  void alloc_unaccessed(model::Stretch stretch) {
    cells_.forget_unvisited(stretch, [](State& s) { s.drop_others(); });
  }
  void alloc(const Access& a) {
    cells_.forget(a.place, a.bytes, [](State& s) { s.drop_others(); });
  }

  // Half a cache line. All zeros: never accessed.
  struct State {
    enum : unsigned { kRead, kWrite };
    clock::Epoch last[2];  // if shared, the first is a pointer to the others, and the read is among them
    SiteId site[2]{};
    std::uint32_t next = 0;
    ByteMask mask = 0;
    bool shared = false;
    bool freed = false;  // the write is a free

    clock::Epoch write() const { return last[kWrite]; }
    clock::Epoch read() const { return last[kRead]; }                              // if not shared
    Others* others() const { return std::bit_cast<Others*>(last[kRead].bits()); }  // if shared
    Met last_write() const { return {write(), site[kWrite], freed ? EventKind::free : EventKind::write}; }
    Met last_read() const { return {read(), site[kRead], EventKind::read}; }

    void share() {
      if (shared) return;
      const Met only = last_read();
      keep(Others::make());
      shared = true;
      if (!only.epoch.none()) put(only);
    }
    void put(const Met& access) { keep(others()->put(access)); }
    void drop_others() {
      if (!shared) return;
      Others::destroy(others());
      shared = false;
      last[kRead] = {};
    }
    State clone() const {
      State copy = *this;
      if (shared) copy.keep(others()->clone());
      return copy;
    }

   private:
    void keep(Others* others) { last[kRead] = clock::Epoch::of_bits(std::bit_cast<std::uint64_t>(others)); }
  };
  static_assert(sizeof(State) == 32);

 private:
  // Of a state that is not shared.
  template <class Now>
  [[gnu::always_inline]] static bool is_after_all(const State& s, const Access& a, const Now& now) {
    return (static_cast<unsigned>(now.covers(a.thread, s.write())) &
            static_cast<unsigned>(now.covers(a.thread, s.read()))) != 0;
  }
  // By a plain access. Without a branch: whether one reads or writes is hard to predict.
  [[gnu::always_inline]] static void replace_last(State& s, const Access& a) {
    const auto which = static_cast<unsigned>(a.kind == EventKind::write);
    s.last[which] = a.epoch();
    s.site[which] = a.site;
    s.freed &= which == 0;
  }
  template <class Now, class F>
  static void write(State& s, const Access& a, const Now& now, F&& race) {
    const bool raced = !now.covers(a.thread, s.write());
    if (raced) [[unlikely]]
      race(s.last_write());
    if (!s.shared) [[likely]] {
      if (!now.covers(a.thread, s.read())) [[unlikely]]
        race(s.last_read());
    } else {
      write_shared(s, a, now, race);
    }
    if (raced) [[unlikely]]
      Replaced::replaced(s);
    s.last[State::kWrite] = a.epoch();
    s.site[State::kWrite] = a.site;
    s.freed = a.kind == EventKind::free;
  }
  template <class Now, class F, class G>
  static void tell(const State& s, const Access& a, const Now& now, F& race, G&& conflicts) {
    s.others()->for_each([&](const Met& met) {
      if (conflicts(met.kind) && !now.covers(a.thread, met.epoch)) race(met);
    });
  }
  // What is ordered before this write need not be remembered.
  template <class Now, class F>
  static void write_shared(State& s, const Access& a, const Now& now, F& race) {
    tell(s, a, now, race, [](EventKind) { return true; });
    s.others()->keep_if([&](const Met& met) { return !now.covers(a.thread, met.epoch); });
    if (s.others()->empty()) s.drop_others();
  }

  // What is ordered before a read or write that stands for it.
  template <class Now, class F>
  static void pass(State& s, const Access& a, const Now& now, F&& race) {
    const bool atomic = is_atomic(a.kind);
    const bool writes = a.kind != EventKind::read && a.kind != EventKind::atomic_load;
    if (!now.covers(a.thread, s.write())) race(s.last_write());
    if (s.shared) {
      tell(s, a, now, race, [&](EventKind kind) {
        if (atomic && is_atomic(kind)) return false;
        return writes || (kind != EventKind::read && kind != EventKind::atomic_load);
      });
    } else if (writes && !now.covers(a.thread, s.read())) {
      race(s.last_read());
    }
    if (!atomic) forget_covered(s, a, now);
  }
  template <class Now>
  static void forget_covered(State& s, const Access& a, const Now& now) {
    const bool writes = a.kind != EventKind::read;
    if (writes && now.covers(a.thread, s.write())) s.last[State::kWrite] = {};
    if (s.shared) {
      s.others()->keep_if([&](const Met& met) {
        return (!writes && met.kind != EventKind::read) || !now.covers(a.thread, met.epoch);
      });
      if (s.others()->empty()) s.drop_others();
    } else if (now.covers(a.thread, s.read())) {
      s.last[State::kRead] = {};
    }
  }

  model::Cells<State> cells_;
};

}  // namespace deadheat::history
