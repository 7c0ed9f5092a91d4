// An order, and besides: what a read finds was written before it. Over happens-before this is SHB:
// Mathur, Kini & Viswanathan, "What happens - after the first race?" (OOPSLA 2018), algorithm 1.
// The edge counts from behind the read on: whether the read itself races with its write is asked without it.
// Departs: time passes with every event here, so that nothing has to be ticked after a write. And memory that
// is allocated or freed passes on an order like a value: a reordering could not run without it.
// Time O(T) for a read of what another thread wrote that is news, else O(1). Memory O(1) a variable.
#pragma once

#include "model/cells.h"
#include "order/synchronisation.h"

namespace deadheat::order {

template <class Base>
class ReadsFrom : public Base {
 public:
  using Base::Base;
  using typename Base::Message;
  using typename Base::Time;

  static constexpr bool kFollowsValues = true;

  void reserve(std::uint64_t variables) { last_.reserve(variables); }
  void prefetch(std::uint32_t variable) const { last_.prefetch(variable); }

  // To be called when what prefetch() asked for has had time to arrive.
  void prefetch_message(std::uint32_t variable) const {
    __builtin_prefetch(last_.cell(variable).message.vector);
  }

  // Of plain accesses within one cell. True if the thread may have come to know more.
  bool narrow_read(ThreadId t, std::uint32_t cell, model::ByteMask bytes, Time time) {
    const Write& w = last_.cell(cell);
    if (w.mask == 0) return false;
    if (w.mask != bytes) {
      read(t, cell, bytes, time);
      return true;
    }
    if (w.message.last.thread() == t) return false;
    auto& own = living(t).clock;
    const auto before = own;
    clocks_.join(own, t, time, w.message);
    return own != before;
  }
  void narrow_write(ThreadId t, std::uint32_t cell, model::ByteMask bytes, Time time) {
    Write& w = last_.cell(cell);
    if (w.mask == bytes || w.mask == 0) [[likely]] {
      w.mask = bytes;
      clocks_.assign(w.message, living(t).clock, t, time);
    } else {
      write(t, cell, bytes, time);
    }
  }

  // Of all others.
  void accessed(ThreadId t, VarId x, const Op& op, Time time) {
    const model::ByteRange range{x, op};
    if (reads(op.kind))
      range.each_cell([&](std::uint32_t cell, model::ByteMask bytes) { read(t, cell, bytes, time); });
    // Who knows of an event must know all that its thread knew then: so whoever is told of it by its
    // synchronisation is to know no less than who is told by its value.
    if (op.kind == EventKind::atomic_rmw) Base::atomic_knows_more(t, x, op, time);
    if (op.kind == EventKind::alloc || op.kind == EventKind::free) {
      range.each_cell(
          [&](std::uint32_t cell, model::ByteMask bytes) { pass_on(t, cell, bytes, op.kind, time); });
    }
    if (op.kind != EventKind::read && op.kind != EventKind::atomic_load) {
      range.each_cell([&](std::uint32_t cell, model::ByteMask bytes) { write(t, cell, bytes, time); });
    }
  }

  std::size_t bytes() const { return Base::bytes() + last_.bytes(); }

 private:
  using Base::clocks_;
  using Base::living;

  // Half a cache line.
  struct alignas(32) Write {
    Message message;
    std::uint32_t next;
    model::ByteMask mask;
    Write clone() const {
      Write copy = *this;
      copy.message = message.share();
      return copy;
    }
  };
  static_assert(sizeof(Write) == 32);

  static bool reads(EventKind kind) {
    return kind == EventKind::read || kind == EventKind::atomic_load || kind == EventKind::atomic_rmw;
  }
  void read(ThreadId t, std::uint32_t cell, model::ByteMask bytes, Time time) {
    last_.visit_known(cell, bytes,
                      [&](const Write& w) { clocks_.join(living(t).clock, t, time, w.message); });
  }
  void write(ThreadId t, std::uint32_t cell, model::ByteMask bytes, Time time) {
    last_.visit(cell, bytes, [&](Write& w) { clocks_.assign(w.message, living(t).clock, t, time); });
  }
  // An alloc is after all earlier allocs and frees of its bytes.
  void pass_on(ThreadId t, std::uint32_t cell, model::ByteMask bytes, EventKind kind, Time time) {
    allocations_.reserve(std::uint64_t{cell} + 1);
    allocations_.visit(cell, bytes, [&](Write& w) {
      if (kind == EventKind::alloc) clocks_.join(living(t).clock, t, time, w.message);
      clocks_.add(w.message, living(t).clock, t, time);
    });
  }

  model::Cells<Write> last_;         // by variable
  model::Cells<Write> allocations_;  // by variable: what all allocs and frees knew
};

}  // namespace deadheat::order
