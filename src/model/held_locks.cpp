#include "model/held_locks.h"

namespace deadheat::model {

HeldLocks::Held* HeldLocks::find_by_place(Thread& thread, LockId l, Mode mode) {
  const auto at = thread.places->find(key(l, mode));
  return at == thread.places->end() ? nullptr : &thread.held[at->second];
}

void HeldLocks::add_place(Thread& thread) {
  if (!thread.places) {
    thread.places = std::make_unique<std::unordered_map<std::uint64_t, std::size_t>>();
    for (std::size_t i = 0; i < thread.held.size(); ++i) {
      thread.places->emplace(key(thread.held[i].lock, thread.held[i].mode), i);
    }
    return;
  }
  thread.places->emplace(key(thread.held.back().lock, thread.held.back().mode), thread.held.size() - 1);
}

void HeldLocks::remove_by_place(Thread& thread, Held* held) {
  thread.places->erase(key(held->lock, held->mode));
  if (held != &thread.held.back()) {
    *held = thread.held.back();
    (*thread.places)[key(held->lock, held->mode)] = static_cast<std::size_t>(held - thread.held.data());
  }
  thread.held.pop_back();
  if (thread.held.empty()) thread.places.reset();
}

}  // namespace deadheat::model
