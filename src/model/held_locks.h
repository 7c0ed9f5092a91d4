// Which locks each thread holds, with re-entrance counted: only the outermost acquire and release change it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "deadheat/event.h"

namespace deadheat::model {

class HeldLocks {
 public:
  enum class Mode : std::uint8_t { exclusive, shared };
  struct Held {
    LockId lock;
    Mode mode;
    std::uint32_t depth;
    std::uint64_t event;  // of the outermost acquire
  };

  // True if this is an outermost acquire.
  bool acquire(ThreadId t, LockId l, Mode mode, std::uint64_t event) {
    auto& held = of(t);
    for (Held& h : held) {
      if (h.lock == l && h.mode == mode) return ++h.depth, false;
    }
    held.push_back({l, mode, 1, event});
    ++total_;
    return true;
  }

  enum class Release : std::uint8_t { outermost, inner, not_held };
  Release release(ThreadId t, LockId l, Mode mode) {
    auto& held = of(t);
    // Searched from the back: locks are mostly released in reverse order.
    for (std::size_t i = held.size(); i-- > 0;) {
      if (held[i].lock != l || held[i].mode != mode) continue;
      if (--held[i].depth > 0) return Release::inner;
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(i));
      --total_;
      return Release::outermost;
    }
    return Release::not_held;
  }

  // In the order in which they were taken.
  std::span<const Held> held(ThreadId t) const {
    return index(t) < threads_.size() ? std::span<const Held>(threads_[index(t)]) : std::span<const Held>();
  }
  std::size_t total() const { return total_; }  // by all threads together

 private:
  std::vector<Held>& of(ThreadId t) {
    if (index(t) >= threads_.size()) threads_.resize(std::size_t{index(t)} + 1);
    return threads_[index(t)];
  }

  std::vector<std::vector<Held>> threads_;
  std::size_t total_ = 0;
};

}  // namespace deadheat::model
