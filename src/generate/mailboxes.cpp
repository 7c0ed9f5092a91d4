#include "generate/mailboxes.h"

#include <algorithm>

namespace deadheat::generate {

Mailboxes::Mailboxes(Machine& machine, Sections::Range shared)
    : m_(machine), shared_(shared), boxes_(machine.threads.size()) {
  per_box_ = shared.count / static_cast<std::uint32_t>(boxes_.size());
  // About 2.7 events a side are atomics: its look, its store or both with a fence, and some counting.
  accesses_ = accesses_for(m_.p.access_share, 2.7);
}

bool Mailboxes::start(ThreadState& t) {
  const std::uint32_t own = t.id, other = box_from(t.id);
  if (boxes_[other] == Box::full) {
    observe(t.id, flag(other));
    boxes_[other] = Box::reading;
    t.place = other;
    t.activity = Activity::take;
  } else if (boxes_[own] == Box::fresh || boxes_[own] == Box::answered) {
    if (boxes_[own] == Box::answered) observe(t.id, answer(own));
    boxes_[own] = Box::filling;
    t.place = own;
    t.activity = Activity::publish;
  } else {
    return false;
  }
  t.left = m_.random.below(2 * accesses_ + 1);
  return true;
}

Step Mailboxes::step_publish(ThreadState& t) {
  if (t.left > 0) return touch(t, false), Step::more;
  publish(t.id, flag(t.place));
  boxes_[t.place] = Box::full;
  return Step::done;
}

Step Mailboxes::step_take(ThreadState& t) {
  if (t.left > 0) return touch(t, true), Step::more;
  publish(t.id, answer(t.place));
  boxes_[t.place] = Box::answered;
  return Step::done;
}

void Mailboxes::idle(ThreadState& t) {
  const std::uint64_t r = m_.random();
  const auto counter = static_cast<std::uint32_t>(2 * boxes_.size() + (r >> 8 & 7));
  const std::uint32_t box =
      Random::scale(static_cast<std::uint32_t>(r >> 32), static_cast<std::uint32_t>(boxes_.size()));
  switch (r & 7) {
    case 0:
    case 1:
      return m_.rmw(t.id, counter, MemoryOrder::seq_cst);
    case 2:
      return m_.rmw(t.id, counter, MemoryOrder::relaxed);
    case 3:
      return m_.load(t.id, counter, MemoryOrder::relaxed);
    case 4:
      return m_.load(t.id, flag(box), MemoryOrder::acquire);
    case 5:
      // Whoever reads this reads the release sequence of the message in the box.
      if (boxes_[box] == Box::full) return m_.rmw(t.id, flag(box), MemoryOrder::relaxed);
      return m_.load(t.id, answer(box), MemoryOrder::consume);
    default:
      return m_.local_access(t.id);
  }
}

void Mailboxes::touch(ThreadState& t, bool read) {
  --t.left;
  const std::uint64_t r = m_.random();
  if ((r & 3) == 0 || per_box_ == 0) return m_.local_access(t.id);
  const std::uint32_t variable = shared_.first + t.place * per_box_ + t.left % per_box_;
  const std::uint32_t site = Random::scale(static_cast<std::uint32_t>(r >> 32), m_.p.sites);
  read ? m_.read(t.id, site, variable) : m_.write(t.id, site, variable);
}

void Mailboxes::publish(std::uint32_t t, std::uint32_t atomic) {
  switch (m_.random.below(5)) {
    case 0:
    case 1:
      return m_.store(t, atomic, MemoryOrder::release);
    case 2:
      return m_.store(t, atomic, MemoryOrder::seq_cst);
    case 3:
      return m_.rmw(t, atomic, MemoryOrder::acq_rel);
    default:
      m_.fence(t, m_.random.one_in(2) ? MemoryOrder::release : MemoryOrder::acq_rel);
      return m_.store(t, atomic, MemoryOrder::relaxed);
  }
}

void Mailboxes::observe(std::uint32_t t, std::uint32_t atomic) {
  switch (m_.random.below(5)) {
    case 0:
    case 1:
      return m_.load(t, atomic, MemoryOrder::acquire);
    case 2:
      return m_.load(t, atomic, MemoryOrder::seq_cst);
    case 3:
      m_.load(t, atomic, MemoryOrder::relaxed);
      return m_.fence(t, m_.random.one_in(2) ? MemoryOrder::acquire : MemoryOrder::seq_cst);
    default:
      return m_.rmw(t, atomic, MemoryOrder::acquire);
  }
}

}  // namespace deadheat::generate
