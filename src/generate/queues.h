// Bounded queues. A slot of a queue belongs to one thread at a time: the producer that fills it, then, by a
// message, the consumer that drains it, then, by a message back, the next producer. Only who has a slot
// touches its variables.
#pragma once

#include "generate/machine.h"
#include "generate/sections.h"

namespace deadheat::generate {

class Queues {
 public:
  Queues(Machine& machine, Sections::Range shared);

  // Threads take turns as producers and consumers; four share a queue.
  bool is_producer(const ThreadState& t) const { return t.id % 2 == 0; }
  std::uint32_t queue_of(const ThreadState& t) const {
    return t.id / 4 % static_cast<std::uint32_t>(queues_.size());
  }

  // False: the queue is full, or empty.
  bool start_fill(ThreadState& t, std::uint32_t queue);
  bool start_drain(ThreadState& t, std::uint32_t queue);
  Step step_fill(ThreadState& t);
  Step step_drain(ThreadState& t);

 private:
  enum class Slot : std::uint8_t { fresh, taken, full, drained };
  struct Queue {
    std::uint64_t head = 0, tail = 0;  // slots ever taken by producers, by consumers
    std::vector<Slot> slots;
  };

  std::uint32_t slot_at(std::uint64_t count) const { return static_cast<std::uint32_t>(count % slots_); }
  void touch(ThreadState& t, bool read);
  Slot& slot_of(const ThreadState& t) { return queues_[t.place / slots_].slots[t.place % slots_]; }

  Machine& m_;
  Sections::Range shared_;
  std::uint32_t slots_;     // of each queue
  std::uint32_t per_slot_;  // variables
  std::uint32_t accesses_;  // by each side of a message, on average
  std::vector<Queue> queues_;
};

}  // namespace deadheat::generate
