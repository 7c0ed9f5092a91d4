// Who holds which locks, as events of a trace go by.
#pragma once

#include <set>
#include <vector>

#include "solve/window.h"

namespace deadheat::solve {

class Holders {
 public:
  void hold(const Window::Held& h) {
    threads_.insert(h.thread);
    for (std::uint32_t n = 0; n < h.depth; ++n) held_.acquire(h.thread, h.lock, h.mode, 0);
  }
  void see(const Event& e) {
    const bool shared = e.op.kind == EventKind::acquire_shared || e.op.kind == EventKind::release_shared;
    const auto mode = shared ? model::HeldLocks::Mode::shared : model::HeldLocks::Mode::exclusive;
    if (e.op.kind == EventKind::acquire || e.op.kind == EventKind::acquire_shared) {
      held_.acquire(e.thread, LockId{e.object}, mode, 0);
      threads_.insert(e.thread);
    } else if (is_of_lock(e.op.kind)) {
      held_.release(e.thread, LockId{e.object}, mode);
    }
  }
  std::vector<Window::Held> all() const {
    std::vector<Window::Held> out;
    for (const ThreadId t : threads_) {
      for (const model::HeldLocks::Held& h : held_.held(t)) out.push_back({t, h.lock, h.mode, h.depth});
    }
    return out;
  }

 private:
  model::HeldLocks held_;
  std::set<ThreadId> threads_;  // that held a lock at some time
};

}  // namespace deadheat::solve
