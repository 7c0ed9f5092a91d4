// An order, and besides: what a read finds was written before it. Over happens-before this is SHB:
// Mathur, Kini & Viswanathan, "What happens - after the first race?" (OOPSLA 2018), algorithm 1.
// What follows from a write that is found is up to the order; mostly, that its thread's past is known.
// The edge counts from behind the read on: whether the read itself races with its write is asked without it.
// Departs: time passes with every event here, so that nothing has to be ticked after a write. And memory that
// is allocated or freed passes on an order like a value: a reordering could not run without it.
// Time O(T) for a read of what another thread wrote that is news, else O(1). Memory O(1) a variable.
#pragma once

#include "model/cells.h"
#include "order/allocations.h"
#include "order/synchronisation.h"

namespace deadheat::order {

template <class Base>
class ReadsFrom : public Base {
 public:
  explicit ReadsFrom(std::uint32_t slots) : Base(slots), allocations_(clocks_) {}
  using typename Base::Left;
  using typename Base::Time;

  static constexpr bool kFollowsValues = true;

  void reserve(std::uint64_t variables) { last_.reserve(variables); }
  void prefetch(std::uint32_t variable) const { last_.prefetch(variable); }

  // To be called when what prefetch() asked for has had time to arrive.
  void prefetch_left(std::uint32_t variable) const { Base::prefetch_left(last_.cell(variable).left); }

  // Whether narrow_read() need not be called: the thread, which knows this, knows of the last write, if there
  // was one. Else that takes a closer look.
  bool finds_no_news(ThreadId t, const Moment& now, std::uint32_t cell, model::ByteMask bytes) const {
    const Write& w = last_.cell(cell);
    if (now.times == nullptr) [[unlikely]]
      return false;
    // Without branches, that would often be mispredicted.
    const unsigned known = static_cast<unsigned>(w.mask == bytes) &
                           static_cast<unsigned>(Base::knows_what_was_left(t, now, w.left));
    return (known | (static_cast<unsigned>(w.mask == 0) & static_cast<unsigned>(allocations_.empty()))) != 0;
  }
  // Of plain accesses within one cell. True if the thread may have come to know more.
  bool narrow_read(ThreadId t, std::uint32_t cell, model::ByteMask bytes, Time time) {
    const Write& w = last_.cell(cell);
    if (w.mask == 0 && allocations_.empty()) return false;
    if (w.mask != bytes || Base::nothing_left(w.left)) {
      read(t, cell, bytes, time);
      Base::learnt(t, time);
      return true;
    }
    const auto& own = living(t).clock;
    const auto before = own;
    Base::find_what_was_left(t, w.left, time);
    if (own == before) return false;
    Base::learnt(t, time);
    return true;
  }
  void narrow_write(ThreadId t, std::uint32_t cell, model::ByteMask bytes, Time time) {
    Write& w = last_.cell(cell);
    if (w.mask == bytes) [[likely]] {
      Base::leave_to_readers(w.left, t, time);
    } else {
      write(t, cell, bytes, time);
    }
  }

  // Of all others.
  void accessed(ThreadId t, VarId x, const Op& op, Time time) {
    if (is_allocation(op.kind)) return allocated(t, x, op, time);
    const model::ByteRange range{x, op};
    if (reads(op.kind)) {
      range.each_cell([&](std::uint32_t cell, model::ByteMask bytes) { read(t, cell, bytes, time); });
      Base::learnt(t, time);
    }
    // Who knows of an event must know all that its thread knew then: so whoever is told of it by its
    // synchronisation is to know no less than who is told by its value.
    if (op.kind == EventKind::atomic_rmw) Base::atomic_knows_more(t, x, op, time);
    if (op.kind != EventKind::read && op.kind != EventKind::atomic_load) {
      range.each_cell([&](std::uint32_t cell, model::ByteMask bytes) { write(t, cell, bytes, time); });
    }
  }

  std::size_t bytes() const { return Base::bytes() + last_.bytes(); }

 protected:
  using Base::clocks_;
  using Base::living;

 private:
  // Half a cache line.
  struct alignas(32) Write {
    Left left;
    std::uint32_t next;
    model::ByteMask mask;
    Write clone() const {
      Write copy = *this;
      copy.left = Base::share_left(left);
      return copy;
    }
  };
  static_assert(sizeof(Write) == 32);

  static bool reads(EventKind kind) {
    return kind == EventKind::read || kind == EventKind::atomic_load || kind == EventKind::atomic_rmw;
  }
  void read(ThreadId t, std::uint32_t cell, model::ByteMask bytes, Time time) {
    unsigned unwritten = bytes;
    last_.visit_known(cell, bytes, [&](const Write& w) {
      if (Base::nothing_left(w.left)) return;
      Base::find_what_was_left(t, w.left, time);
      unwritten &= ~unsigned{w.mask};
    });
    if (allocations_.empty()) return;
    for (unsigned i = 0; i < kCellBytes; ++i) {
      if ((unwritten >> i & 1) == 0) continue;
      allocations_.read(living(t).clock, t, time, std::uint64_t{cell} * kCellBytes + i);
    }
  }
  void write(ThreadId t, std::uint32_t cell, model::ByteMask bytes, Time time) {
    last_.visit(cell, bytes, [&](Write& w) { Base::leave_to_readers(w.left, t, time); });
  }
  // What was written before is not found any more.
  void allocated(ThreadId t, VarId x, const Op& op, Time time) {
    const std::uint64_t first = std::uint64_t{index(x)} * kCellBytes;
    const std::uint64_t end = first + (op.value == 0 ? kCellBytes : op.value);
    if (op.kind == EventKind::alloc) {
      allocations_.alloc(living(t).clock, t, time, first, end, [&] { Base::learnt(t, time); });
    } else {
      allocations_.free(living(t).clock, t, time, first, end);
    }
    Base::tells(t, time);
    last_.each_visited(index(x), index(x) + cells(op), [&](std::uint32_t cell) {
      last_.forget(cell, model::bytes_in_cell(op, cell - index(x)),
                   [&](Write& w) { Base::drop_left(w.left); });
    });
  }

  model::Cells<Write> last_;  // by variable
  Allocations<typename Base::ClockStore> allocations_;
};

}  // namespace deadheat::order
