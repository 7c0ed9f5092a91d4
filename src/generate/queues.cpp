#include "generate/queues.h"

#include <algorithm>

namespace deadheat::generate {

Queues::Queues(Machine& machine, Sections::Range shared) : m_(machine), shared_(shared) {
  const std::uint32_t queues = std::max(1u, m_.p.threads / 4);
  slots_ = std::clamp(shared.count / queues, 1u, 8u);
  per_slot_ = std::max(1u, shared.count / (queues * slots_));
  accesses_ = accesses_for(m_.p.access_share, 2);
  queues_.resize(queues);
  for (Queue& queue : queues_) queue.slots.resize(slots_);
}

bool Queues::start_fill(ThreadState& t, std::uint32_t queue) {
  Queue& q = queues_[queue];
  const std::uint32_t at = slot_at(q.head);
  const Slot was = q.slots[at];
  if (was != Slot::fresh && was != Slot::drained) return false;
  if (was == Slot::drained) m_.recv(t.id, 2 * queue + 1);
  q.slots[at] = Slot::taken;
  ++q.head;
  t.activity = Activity::fill;
  t.place = queue * slots_ + at;
  t.left = m_.random.below(2 * accesses_ + 1);
  return true;
}

bool Queues::start_drain(ThreadState& t, std::uint32_t queue) {
  Queue& q = queues_[queue];
  const std::uint32_t at = slot_at(q.tail);
  if (q.slots[at] != Slot::full) return false;
  m_.recv(t.id, 2 * queue);
  q.slots[at] = Slot::taken;
  ++q.tail;
  t.activity = Activity::drain;
  t.place = queue * slots_ + at;
  t.left = m_.random.below(2 * accesses_ + 1);
  return true;
}

Step Queues::step_fill(ThreadState& t) {
  if (t.left > 0) return touch(t, false), Step::more;
  m_.send(t.id, 2 * (t.place / slots_));
  slot_of(t) = Slot::full;
  return Step::done;
}

Step Queues::step_drain(ThreadState& t) {
  if (t.left > 0) return touch(t, true), Step::more;
  m_.send(t.id, 2 * (t.place / slots_) + 1);
  slot_of(t) = Slot::drained;
  return Step::done;
}

// Through the slot's variables in order; a quarter of the accesses are to the thread's own.
void Queues::touch(ThreadState& t, bool read) {
  --t.left;
  const std::uint64_t r = m_.random();
  if ((r & 3) == 0 || shared_.count < queues_.size() * slots_) return m_.local_access(t.id);
  const std::uint32_t variable = shared_.first + t.place * per_slot_ + t.left % per_slot_;
  const std::uint32_t site = Random::scale(static_cast<std::uint32_t>(r >> 32), m_.p.sites);
  read ? m_.read(t.id, site, variable) : m_.write(t.id, site, variable);
}

}  // namespace deadheat::generate
