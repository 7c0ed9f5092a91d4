// What interceptors keep beyond a call: records in pages of their own, since the program's heap is not
// theirs.
#pragma once

#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

#include "runtime/system_call.h"

namespace deadheat::runtime {

// Short sections only. A holder is never cancelled; a handler that needs one is blocked while it is held.
class SpinLock {
 public:
  void lock() {
    while (__atomic_exchange_n(&held_, 1u, __ATOMIC_ACQUIRE) != 0) system_call(SYS_sched_yield);
  }
  void unlock() { __atomic_store_n(&held_, 0u, __ATOMIC_RELEASE); }

 private:
  std::uint32_t held_;
};

class Locked {
 public:
  explicit Locked(SpinLock& lock) : lock_(lock) { lock_.lock(); }
  ~Locked() { lock_.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  SpinLock& lock_;
};

// Which signals the thread blocks from now on, and which it did before.
inline void change_signals(std::uint64_t blocked, std::uint64_t* before) {
  constexpr long kSetMask = 2;
  system_call(SYS_rt_sigprocmask, kSetMask, reinterpret_cast<long>(&blocked), reinterpret_cast<long>(before),
              sizeof(blocked));
}

// Blocks all signals while it lives.
class NoSignals {
 public:
  NoSignals() { change_signals(~std::uint64_t{0}, &before_); }
  ~NoSignals() { change_signals(before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  std::uint64_t before_;
};

// Fresh zeroed pages; null if the system has none.
inline void* new_pages(std::size_t bytes) { return map_memory(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1); }

// Records of one type, linked by T::next while they are free. For variables of static storage: all zero is an
// empty pool. The caller holds a lock.
template <class T>
class Pool {
 public:
  // Zeroed but for `next`; null: no memory.
  T* take() {
    if (free_ == nullptr && !grow()) return nullptr;
    T* const record = free_;
    free_ = record->next;
    *record = T{};
    return record;
  }
  void give(T* record) {
    record->next = free_;
    free_ = record;
  }

 private:
  static constexpr std::size_t kBytes = 64 * 1024;

  bool grow() {
    T* const records = static_cast<T*>(new_pages(kBytes));
    if (records == nullptr) return false;
    for (std::size_t i = kBytes / sizeof(T); i-- > 0;) give(&records[i]);
    return true;
  }

  T* free_;
};

}  // namespace deadheat::runtime
