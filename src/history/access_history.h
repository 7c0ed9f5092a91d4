// What is kept of the accesses to each variable, and the check of a new one against it. Of one variable
// mostly one write and one read say everything: an access that a later one is ordered after can be forgotten,
// because who races with the earlier one races with the later one too. (A write may stand for all kinds, a
// read for reads.) What they do not say is kept as the last access of each thread and kind, beside them.
//
// Atomics race with plain accesses only, so an atomic access never stands for another; a free is a write.
// Time O(1) an access; O(T) where accesses raced, after reads that were not ordered, and for atomics.
#pragma once

#include "history/access.h"
#include "history/cells.h"
#include "history/others.h"

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

  void prefetch(std::uint32_t place) const { cells_.prefetch(place); }
  std::size_t bytes() const { return cells_.bytes(); }

  // race(met) is told of every access kept that races with this one.
  template <class Now, class F>
  [[gnu::always_inline]] void read(const Access& a, const Now& now, F&& race) {
    cells_.visit(a.place, a.bytes, [&](State& s) {
      if (!now.covers(a.thread, s.write)) [[unlikely]]
        race(s.last_write());
      if (!s.shared) [[likely]] {
        if (now.covers(a.thread, s.read)) [[likely]] {
          s.read = a.epoch();
          s.read_site = a.site;
          return;
        }
        s.share();
      } else if (s.others->any_write()) {
        tell(s, a, now, race,
             [](EventKind kind) { return kind != EventKind::read && kind != EventKind::atomic_load; });
      }
      s.put({a.epoch(), a.site, EventKind::read});
    });
  }

  template <class Now, class F>
  [[gnu::always_inline]] void write(const Access& a, const Now& now, F&& race) {
    cells_.visit(a.place, a.bytes, [&](State& s) {
      const bool raced = !now.covers(a.thread, s.write);
      if (raced) [[unlikely]]
        race(s.last_write());
      if (!s.shared) [[likely]] {
        if (!now.covers(a.thread, s.read)) [[unlikely]]
          race(s.last_read());
      } else {
        write_shared(s, a, now, race);
      }
      if (raced) [[unlikely]]
        Replaced::replaced(s);
      s.write = a.epoch();
      s.write_site = a.site;
      s.freed = a.kind == EventKind::free;
    });
  }

  template <class Now, class F>
  void atomic(const Access& a, const Now& now, F&& race) {
    cells_.visit(a.place, a.bytes, [&](State& s) {
      if (!now.covers(a.thread, s.write)) race(s.last_write());
      s.share();
      const bool writes = a.kind != EventKind::atomic_load;
      tell(s, a, now, race, [&](EventKind kind) {
        return kind == EventKind::write || kind == EventKind::free || (writes && kind == EventKind::read);
      });
      s.put({a.epoch(), a.site, a.kind});
    });
  }

  // The memory is new.
  void alloc(const Access& a) {
    cells_.forget(a.place, a.bytes, [](State& s) { s.drop_others(); });
  }

  // Half a cache line. All zeros: never accessed.
  struct State {
    clock::Epoch write;
    union {
      clock::Epoch read;
      Others* others;  // if shared; the read is among them
    };
    SiteId write_site, read_site;
    std::uint32_t next;
    ByteMask mask;
    bool shared;
    bool freed;  // the write is a free

    State() : write(), read(), write_site(), read_site(), next(0), mask(0), shared(false), freed(false) {}

    Met last_write() const { return {write, write_site, freed ? EventKind::free : EventKind::write}; }
    Met last_read() const { return {read, read_site, EventKind::read}; }
    void share() {
      if (shared) return;
      const Met only = last_read();
      others = Others::make();
      shared = true;
      if (!only.epoch.none()) put(only);
    }
    void put(const Met& access) { others = others->put(access); }
    void drop_others() {
      if (!shared) return;
      Others::destroy(others);
      shared = false;
      read = {};
    }
    State clone() const {
      State copy = *this;
      if (shared) copy.others = others->clone();
      return copy;
    }
  };
  static_assert(sizeof(State) == 32);

 private:
  template <class Now, class F, class G>
  static void tell(const State& s, const Access& a, const Now& now, F& race, G&& conflicts) {
    s.others->for_each([&](const Met& met) {
      if (conflicts(met.kind) && !now.covers(a.thread, met.epoch)) race(met);
    });
  }
  // What is ordered before this write need not be remembered.
  template <class Now, class F>
  [[gnu::noinline]] static void write_shared(State& s, const Access& a, const Now& now, F& race) {
    tell(s, a, now, race, [](EventKind) { return true; });
    s.others->keep_if([&](const Met& met) { return !now.covers(a.thread, met.epoch); });
    if (s.others->empty()) s.drop_others();
  }

  Cells<State> cells_;
};

}  // namespace deadheat::history
