// Which locks each thread holds, with re-entrance counted: only the outermost acquire and release change it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
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
    Thread& thread = of(t);
    if (Held* held = find(thread, l, mode)) return ++held->depth, false;
    add(thread, {l, mode, 1, event});
    ++total_;
    return true;
  }

  enum class Release : std::uint8_t { outermost, inner, not_held };
  Release release(ThreadId t, LockId l, Mode mode) {
    Thread& thread = of(t);
    Held* held = find(thread, l, mode);
    if (held == nullptr) return Release::not_held;
    if (--held->depth > 0) return Release::inner;
    remove(thread, held);
    --total_;
    return Release::outermost;
  }

  // In the order in which they were taken, as long as a thread never held more than kFew.
  std::span<const Held> held(ThreadId t) const {
    return index(t) < threads_.size() ? std::span<const Held>(threads_[index(t)].held)
                                      : std::span<const Held>();
  }
  std::size_t total() const { return total_; }  // by all threads together

  // Up to here a search from the back is fastest (locks are mostly released in reverse order). Beyond, there
  // is an index, so that no trace, however odd, makes this quadratic.
  static constexpr std::size_t kFew = 64;

 private:
  struct Thread {
    std::vector<Held> held;
    std::unique_ptr<std::unordered_map<std::uint64_t, std::size_t>> places;  // once beyond kFew
  };

  static std::uint64_t key(LockId l, Mode mode) {
    return std::uint64_t{index(l)} << 1 | static_cast<std::uint64_t>(mode);
  }
  Thread& of(ThreadId t) {
    if (index(t) >= threads_.size()) threads_.resize(std::size_t{index(t)} + 1);
    return threads_[index(t)];
  }
  static Held* find(Thread& thread, LockId l, Mode mode) {
    if (thread.places) return find_by_place(thread, l, mode);
    for (std::size_t i = thread.held.size(); i-- > 0;) {
      if (thread.held[i].lock == l && thread.held[i].mode == mode) return &thread.held[i];
    }
    return nullptr;
  }
  static void add(Thread& thread, const Held& held) {
    thread.held.push_back(held);
    if (thread.places || thread.held.size() > kFew) add_place(thread);
  }
  static void remove(Thread& thread, Held* held) {
    if (thread.places) return remove_by_place(thread, held);
    thread.held.erase(thread.held.begin() + (held - thread.held.data()));
  }
  static Held* find_by_place(Thread& thread, LockId l, Mode mode);
  static void add_place(Thread& thread);
  static void remove_by_place(Thread& thread, Held* held);

  std::vector<Thread> threads_;
  std::size_t total_ = 0;
};

}  // namespace deadheat::model
