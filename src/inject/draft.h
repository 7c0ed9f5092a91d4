// A trace in the making: the events of a base trace and injected accesses, in another order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inject/base_trace.h"
#include "witness/witness.h"

namespace deadheat::inject {

// Of an event: its number in the base trace; of injected ones, from base.events.size() on.
using Id = std::uint32_t;
using Index = std::uint32_t;  // of an event in a stretch

struct InjectedPair {
  Id earlier = 0, later = 0;
  // Where they meet: the trace as it was up to event `from`, then these.
  std::uint64_t from = 0;
  std::vector<Id> then;
};

class Draft {
 public:
  explicit Draft(const BaseTrace& base);

  const BaseTrace& base() const { return *base_; }
  std::size_t size() const { return order_.size(); }
  const Event& event(Id id) const {
    return id < base_->events.size() ? base_->events[id] : added_[id - base_->events.size()];
  }
  const Event& operator[](std::uint64_t place) const { return event(order_[place]); }
  const std::vector<Id>& order() const { return order_; }
  Id id_at(std::uint64_t place) const { return order_[place]; }
  std::uint64_t place_of(Id id) const;
  std::vector<Event> events() const;

  // Two accesses side by side before the event at `place`, the left one first; the last pair is this one.
  void insert_pair(std::uint64_t place, const Event& left, const Event& right);
  // The last pair meets behind the events before `place` and the `count` events from there on, as they are
  // now.
  void meet(std::uint64_t place, std::uint64_t count);
  // Puts the events from `place` on into another order.
  void reorder(std::uint64_t place, const std::vector<Index>& order);
  // Takes an event out and puts it behind another one of its thread.
  void move_behind(Id event, Id other);

  // The locks held before `place`.
  std::vector<solve::Window::Held> held_before(std::uint64_t place) const;

  const std::vector<InjectedPair>& pairs() const { return pairs_; }
  // A schedule in which the pair meets, as events of the draft as it is now.
  witness::Witness witness(const InjectedPair& pair) const;

 private:
  const BaseTrace* base_;
  std::vector<Id> order_;
  std::vector<Event> added_;
  std::vector<InjectedPair> pairs_;
  std::uint64_t unchanged_;  // so many events are those of the base
};

}  // namespace deadheat::inject
