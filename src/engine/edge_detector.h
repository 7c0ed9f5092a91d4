// Tells pairs of accesses by edge constraints (history/edge_history.h): all conflicting pairs (e, f) of which
// e need not be done when f is next, as far as an order knows, and which no lock keeps apart, if locks do
// that. With a limit of edges, some of them: what the limit drops is counted. Sulzmann & Stadtmueller,
// "Efficient, Near Complete and Often Sound Hybrid Dynamic Data Race Prediction" (2020), section 4. Departs:
// whether accesses are concurrent is asked before the read's edge from its write is added; after it (the
// paper; an option) pairs are missed. And edges are followed at once, in the same pass: no pairs are kept.
// Accesses that meet many are told with groups of them, so that the cost of a race does not grow with the
// square of how often it fires.
// Threads share slots (order/slots.h), by which orders and histories know them: an access of a slot's owner
// is ordered before all of the next owner's, which may take its place as one of the same thread may.
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/by_slots.h"
#include "engine/check.h"
#include "engine/dispatch.h"
#include "engine/engine.h"
#include "history/edge_history.h"
#include "history/guards.h"
#include "order/slots.h"

namespace deadheat::engine {

// Where locks order, they do not also keep apart.
class LocksOrder {
 public:
  // What an atomic synchronises with comes before it.
  static constexpr bool kAfterOwnSynchronisation = true;

  template <class Order>
  explicit LocksOrder(const Order&) {}
  void reserve(std::uint64_t) {}
  void prefetch(std::uint32_t) const {}
  template <class Untouched>
  static bool protect(const history::Access&, const order::Moment&, Untouched&&) {
    return false;
  }
  static bool apart(order::LocksetId, order::LocksetId) { return false; }
  void forget(std::uint32_t) {}
  static std::size_t bytes() { return 0; }
};

class LocksKeepApart : public history::Guards {
 public:
  // What an atomic synchronises with need not be done when it is next.
  static constexpr bool kAfterOwnSynchronisation = false;

  template <class Order>
  explicit LocksKeepApart(const Order& order) : Guards(order.locksets()) {}
};

struct EdgeOptions {
  std::uint64_t limit = 25;          // of edges, a variable
  bool paper = false;                // pairs not ordered, and each read with its write, alone
  std::uint64_t pairs = UINT64_MAX;  // told of an access and variable
};

template <class Order, class Locks>
class EdgeDetector : public Engine {
 public:
  EdgeDetector(EdgeOptions options, Shape shape)
      : options_(options),
        many_cells_(shape.many_cells),
        history_(options.limit, options.pairs == UINT64_MAX ? shape.many_met : UINT64_MAX) {}

  void order(const SortedBlock& block, RaceSink& races) override {
    by_slots_.begin_block(order_, block, 0);
    met_ = 0;
    meet_owners();
    order_.reserve(block.variables);
    history_.reserve(block.variables);
    locks_.reserve(block.variables);
    const bool writes_end_sequences = block.atomics || order_.has_atomics();
    const BlockView& events = block.events;
    const OpClass* const classes = block.classes.data();
    const std::uint16_t* const codes = events.op.data();
    const std::uint32_t* const threads = events.thread.data();
    const std::uint32_t* const slots = by_slots_.by_thread();
    const std::uint32_t* const objects = events.object.data();
    const clock::Time first = clock::time_of(events.first);
    const std::size_t n = events.size();
    constexpr std::size_t kAhead = SortedBlock::kSlack;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i + kAhead < n) {
        order_.prefetch(objects[i + kAhead]);
        history_.prefetch(objects[i + kAhead]);
        locks_.prefetch(objects[i + kAhead]);
        order_.prefetch_left(objects[i + kAhead / 2]);
        history_.prefetch_edges(objects[i + kAhead / 2]);
        history_.prefetch_next_edge(objects[i + kAhead / 4]);
      }
      const OpClass c = classes[codes[i]];
      const ThreadId t{slots[threads[i]]};
      order::Moment now = order_.moment(t);
      if (c.kind == OpClass::other || (c.kind == OpClass::write && writes_end_sequences)) {
        if (c.event == EventKind::fork || c.event == EventKind::join) [[unlikely]] {
          order_threads(block, i);
        } else if (!block.is_inner(i)) {
          dispatch(order_, t, events.ops[codes[i]], objects[i], first + i);
        }
        if (!is_of_memory(c.event)) continue;
        if (Locks::kAfterOwnSynchronisation) now = order_.moment(t);
      }
      const history::Access a{t, first + i, objects[i], c.bytes, c.event, c.site};
      if (c.kind == OpClass::other) [[unlikely]] {
        access(block, i, now, races);
        continue;
      }
      const bool is_protected = protect(a, now);
      if (history_.quick(a, now)) [[likely]] {
        follow(c.kind, a);
      } else if (is_protected) {
        follow(c.kind, a);
        const order::Moment after = order_.moment(t);
        if (!history_.quick(a, after)) history_.remember(a, after);
      } else {
        access(block, i, now, races);
      }
    }
  }

  std::vector<Counter> counters() const override {
    std::vector<Counter> all = {{"edges dropped", history_.dropped()},
                                {"accesses with pairs that may be missing", may_miss_}};
    if (options_.pairs != UINT64_MAX) all.push_back({"accesses that reached the limit of pairs", cut_});
    return all;
  }
  std::uint64_t bytes() const override {
    return order_.bytes() + by_slots_.bytes() + history_.bytes() + locks_.bytes();
  }

 protected:
  Order order_{1};

 private:
  struct Found {
    history::Kept access;
    std::uint32_t cell;
  };
  // The last accesses of a group; its thread is a slot.
  struct Several {
    model::Side first;
    order::LocksetId held;
    std::uint32_t cell;
    std::span<const std::uint64_t> events;
    std::uint64_t sum;
  };

  // Forks and joins.
  [[gnu::noinline]] void order_threads(const SortedBlock& block, std::uint32_t i) {
    const BlockView& events = block.events;
    by_slots_.order_event(order_, ThreadId{events.thread[i]}, events.ops[events.op[i]], events.object[i],
                          clock::time_of(events.first + i));
    meet_owners();
  }
  void meet_owners() {
    for (; met_ < by_slots_.news().size(); ++met_) owners_.add(by_slots_.news()[met_]);
  }
  bool protect(const history::Access& a, const order::Moment& now) {
    return locks_.protect(a, now, [&] { return history_.untouched(a.place); });
  }
  // What a plain access within one cell does to the order.
  void follow(OpClass::Kind kind, const history::Access& a) {
    if (kind == OpClass::read) {
      order_.narrow_read(a.thread, a.place, a.bytes, a.time);
    } else {
      order_.narrow_write(a.thread, a.place, a.bytes, a.time);
    }
  }

  // All that is not quick. Its own synchronisation is done; what it reads is not ordered before it yet.
  [[gnu::noinline]] void access(const SortedBlock& block, std::uint32_t i, const order::Moment& before,
                                RaceSink& races) {
    const BlockView& events = block.events;
    const Op& op = events.ops[events.op[i]];
    const VarId x{events.object[i]};
    const ThreadId t = by_slots_[ThreadId{events.thread[i]}];
    const clock::Time time = clock::time_of(events.first + i);
    history::Access a{t, time, 0, 0, op.kind, op.site};
    const model::Stretch stretch = Sharding{}.stretch(0, index(x), op);
    const bool many = is_allocation(op.kind) && cells(op) > many_cells_;
    const auto each_cell = [&](auto&& f) {
      const auto at = [&](std::uint32_t cell, model::ByteMask bytes) {
        a.place = cell;
        a.bytes = bytes;
        f();
      };
      if (!many) return model::ByteRange{x, op}.each_cell(at);
      history_.each_accessed(index(x), index(x) + cells(op), [&](std::uint32_t cell) {
        at(cell, model::bytes_in_cell(op, cell - index(x)));
      });
    };
    order_.accessed(t, x, op, time);
    const order::Moment after = order_.moment(t);
    if (op.kind == EventKind::alloc) {
      history_.alloc_unaccessed(stretch);
      return each_cell([&] {
        history_.alloc(a);
        if (a.bytes == 0xFF) locks_.forget(a.place);
      });
    }
    const auto found = [&](const history::Kept& kept) {
      if (locks_.apart(kept.held, before.held)) return false;
      found_.push_back({kept, a.place});
      return true;
    };
    const auto found_last = [&](const history::AccessGroup& group, std::size_t first) {
      if (locks_.apart(group.held, before.held)) return;
      several_.push_back({{group.events[first], group.thread, group.site, group.kind},
                          group.held,
                          a.place,
                          group.from(first),
                          group.sum_from(first)});
    };
    bool all = true, cut = false;
    if (many) {
      history::Allowance allowed(options_.pairs);
      all = history_.meet_unaccessed(stretch, a, before, allowed,
                                     [&](const history::Kept& kept, std::uint32_t cell) {
                                       a.place = cell;
                                       return found(kept);
                                     });
      cut = allowed.used_up();
      history_.remember_unaccessed(stretch, a, after);
    }
    const bool narrow = block.classes[events.op[i]].kind != OpClass::other;  // not protected: that was asked
    each_cell([&] {
      if (!narrow && protect(a, before)) return;
      if (options_.paper) history_.meet_last_write(a, before, found);
      history::Allowance allowed(options_.pairs);
      all &= history_.meet(a, options_.paper ? after : before, allowed, found, found_last);
      cut |= allowed.used_up();
    });
    may_miss_ += all ? 0 : 1;
    cut_ += cut ? 1 : 0;
    tell(a, races);
    each_cell([&] { history_.remember(a, after); });
  }

  // Each earlier access once, though they may have met in several places.
  void tell(const history::Access& a, RaceSink& races) {
    if (!several_.empty()) {
      found_as_several();
      tell_several(a, races);
    } else {
      tell_found(a, races);
    }
    found_.clear();
    several_.clear();
  }
  // In the order of the trace.
  void tell_found(const history::Access& a, RaceSink& races) {
    std::ranges::sort(found_, {}, [](const Found& f) { return std::pair(f.access.epoch.time(), f.cell); });
    const Scope in{Sharding{}, 0, many_cells_, a.thread, &owners_};
    clock::Time told = 0;
    for (const Found& f : found_) {
      if (f.access.epoch.time() == told) continue;
      told = f.access.epoch.time();
      engine::tell(races, VarId{f.cell}, a, {f.access.epoch, f.access.site, f.access.kind()}, in);
    }
  }

  void found_as_several() {
    singles_.clear();
    singles_.reserve(found_.size());  // they stay where they are
    for (const Found& f : found_) {
      const std::uint64_t& event = singles_.emplace_back(f.access.epoch.event());
      several_.push_back({{event, f.access.epoch.thread(), f.access.site, f.access.kind()},
                          f.access.held,
                          f.cell,
                          {&event, 1},
                          history::AccessGroup::hash(event)});
    }
  }
  void tell_several(const history::Access& a, RaceSink& races) {
    const auto group = [](const Several& s) {
      return std::tuple(s.first.thread, s.first.kind, s.first.site, s.held);
    };
    const auto what = [](const Several& s) {
      return std::tuple(s.events.size(), s.events.front(), s.events.back(), s.sum);
    };
    const auto rank = [&](const Several& s) { return std::tuple(group(s), what(s), s.cell); };
    const auto less = [&](const Several& x, const Several& y) { return rank(x) < rank(y); };
    if (!std::ranges::is_sorted(several_, less)) std::ranges::sort(several_, less);
    for (auto at = several_.begin(); at != several_.end();) {
      const auto end =
          std::find_if(at, several_.end(), [&](const Several& s) { return group(s) != group(*at); });
      const auto same = [&](const Several& x, const Several& y) { return what(x) == what(y); };
      const std::span<const Several> different(at, std::unique(at, end, same));
      if (different.size() == 1) {
        tell_row(a, *at, at->cell, at->events, races);
      } else {
        tell_together(a, different, races);
      }
      at = end;
    }
  }
  // Parts of one group that have met the access in different places: not all of them in all places.
  void tell_together(const history::Access& a, std::span<const Several> parts, RaceSink& races) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> all;  // event and cell
    for (const Several& part : parts) {
      for (const std::uint64_t event : part.events) all.emplace_back(event, part.cell);
    }
    std::ranges::sort(all);
    const auto again = std::ranges::unique(all, {}, &std::pair<std::uint64_t, std::uint32_t>::first);
    all.erase(again.begin(), again.end());
    for (const auto& [event, cell] : all) tell_row(a, parts.front(), cell, {&event, 1}, races);
  }
  // One row for each owner of the slot.
  void tell_row(const history::Access& a, const Several& of, std::uint32_t cell,
                std::span<const std::uint64_t> events, RaceSink& races) const {
    const model::Side later{a.time - 1, owners_.of(a.epoch()), a.site, a.kind};
    while (!events.empty()) {
      model::Side first = of.first;
      first.event = events.front();
      const auto owner = owners_.span_of({of.first.thread, clock::time_of(first.event)});
      first.thread = owner.thread;
      const auto behind = std::ranges::lower_bound(events, owner.end, {}, clock::time_of);
      const auto count = static_cast<std::size_t>(behind - events.begin());
      races.races({VarId{cell}, first, events.first(count), later});
      events = events.subspan(count);
    }
  }

  EdgeOptions options_;
  std::uint64_t many_cells_;
  BySlots<Order> by_slots_;
  order::Owners owners_;
  std::size_t met_ = 0;  // of the news of the block
  history::EdgeHistory history_;
  Locks locks_{order_};
  std::vector<Found> found_;              // of one access
  std::vector<Several> several_;          // the same
  std::vector<std::uint64_t> singles_;    // events of some of these
  std::uint64_t may_miss_ = 0, cut_ = 0;  // accesses
};

}  // namespace deadheat::engine
