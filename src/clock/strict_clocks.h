// Flat clocks for orders that are passed on without the event that passes them on: who acquires comes to know
// what the releaser knew, but not the release. So a thread's own entry counts: of its own events a thread
// may know some in such an order, and not the later ones.
#pragma once

#include "clock/flat_clocks.h"

namespace deadheat::clock {

class StrictClocks : public FlatClocks {
 public:
  using FlatClocks::add;
  using FlatClocks::assign;
  using FlatClocks::FlatClocks;

  // own := own |_| message. The message may be one of FlatClocks, with its sender's last event.
  void join(Own& own, ThreadId, Time /*now*/, const Message& message) {
    if (message.vector == nullptr || message.vector == own.vector) return;
    if (!message.last.none() && get(own, message.last.thread()) >= message.last.time()) return;
    join_new(own, message);
  }
  void assign(Message& message, const Own& own, ThreadId, Time) {
    FlatClocks::assign(message, Message{own.vector, {}});
  }
  void add(Message& message, const Own& own, ThreadId, Time) {
    FlatClocks::add(message, Message{own.vector, {}});
  }
};

}  // namespace deadheat::clock
