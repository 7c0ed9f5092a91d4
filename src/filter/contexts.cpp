#include "filter/contexts.h"

namespace deadheat::filter {

void LocksHeld::reserve(std::uint32_t threads) {
  while (threads_.size() < threads) renew(threads_.emplace_back());
}

void LocksHeld::renew(Thread& thread) {
  thread.numbers = {};
  thread.now = numbers_.next();
  thread.numbers(index(thread.held), 0) = thread.now;
}

void LocksHeld::renew() {
  for (Thread& thread : threads_) {
    thread.held = order::LocksetId::empty;
    renew(thread);
  }
}

void LocksHeld::hold(Thread& thread, order::LocksetId set) {
  thread.held = set;
  if (thread.numbers.size() >= kMostSets) {
    forgotten_ += thread.numbers.size();
    return renew(thread);
  }
  std::uint32_t& number = thread.numbers(index(set), 0);
  if (number == 0) number = numbers_.next();
  thread.now = number;
}

void LocksHeld::give_up(Thread& thread, LockId l, order::Locksets::Mode mode) {
  // One of those that it held before.
  if ((sets_.modes_of(thread.held, l) & mode) == 0) return renew(thread);
  hold(thread, sets_.without(thread.held, l, mode));
}

void LocksHeld::event(std::uint32_t t, const Op& op, std::uint32_t object) {
  Thread& thread = threads_[t];
  const LockId l{object};
  switch (op.kind) {
    case EventKind::acquire:
      return hold(thread, sets_.with(thread.held, l, order::Locksets::exclusive));
    case EventKind::release:
      return give_up(thread, l, order::Locksets::exclusive);
    case EventKind::acquire_shared:
      return hold(thread, sets_.with(thread.held, l, order::Locksets::shared));
    case EventKind::release_shared:
      return give_up(thread, l, order::Locksets::shared);
    default:
      if (passes_on(op)) renew(thread);
  }
}

std::uint64_t LocksHeld::bytes() const {
  std::uint64_t sum = sets_.bytes();
  for (const Thread& thread : threads_) sum += sizeof thread + thread.numbers.bytes();
  return sum;
}

void SharedReleases::event(std::uint32_t t, const Op& op, std::uint32_t object) {
  if (passes_on(op)) {
    now_[t] = numbers_.next();
    return;
  }
  if (op.kind != EventKind::release && op.kind != EventKind::release_shared) return;
  if (children_.size() >= most_nodes_) {
    forgotten_ += children_.size();
    return renew();
  }
  // Two modes of a lock are two things to release.
  const std::uint32_t what = 2 * object + (op.kind == EventKind::release_shared ? 1 : 0);
  std::uint32_t& child = children_(now_[t], what);
  if (child == 0) child = numbers_.next();
  now_[t] = child;
}

void SharedReleases::renew() {
  children_ = {};
  root_ = numbers_.next();
  for (std::uint32_t& now : now_) now = numbers_.next();
}

}  // namespace deadheat::filter
