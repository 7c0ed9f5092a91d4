// A set of events that has, with each of them, all that its thread did before: told by a time for each
// thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "clock/time.h"
#include "deadheat/event.h"

namespace deadheat::order {

using Ideal = std::vector<clock::Time>;  // of each thread all up to a time

// Adds all that a message says.
template <class Message>
void join(Ideal& set, const Message& message) {
  if (message.vector == nullptr) return;
  const clock::Time* const times = message.vector->times();
  const std::size_t n = std::min<std::size_t>(set.size(), message.vector->width);
  for (std::size_t u = 0; u < n; ++u) set[u] = std::max(set[u], times[u]);
  if (message.last.none()) return;
  clock::Time& own = set[index(message.last.thread())];
  own = std::max(own, message.last.time());
}

// Whether the message says that the event was done.
template <class Message>
bool has(const Message& message, clock::Epoch event) {
  if (message.vector == nullptr) return false;
  if (!message.last.none() && message.last.thread() == event.thread()) {
    return message.last.time() >= event.time();
  }
  return index(event.thread()) < message.vector->width &&
         message.vector->times()[index(event.thread())] >= event.time();
}

// An order that can tell what a thread knows at a moment.
template <class Base>
class Knowing : public Base {
 public:
  using Base::Base;
  using Base::knows;
  using typename Base::Message;
  using typename Base::Time;
  // All that thread t knows, with its own events up to `time`.
  Message knows(ThreadId t, Time time) {
    Message message;
    this->clocks_.assign(message, this->living(t).clock, t, time);
    return message;
  }
  void forget(Message& message) { this->clocks_.clear(message); }
};

}  // namespace deadheat::order
