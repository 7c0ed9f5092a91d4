// The accesses that are kept of one variable, told apart by kind, locks held and thread: a small hash table.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "history/access.h"
#include "order/moment.h"

namespace deadheat::history {

// How accesses conflict: a free is a write, a read-modify-write is a store.
enum class Sort : std::uint8_t { read, write, atomic_read, atomic_write };

constexpr Sort sort_of(EventKind kind) {
  switch (kind) {
    case EventKind::read:
      return Sort::read;
    case EventKind::atomic_load:
      return Sort::atomic_read;
    case EventKind::atomic_store:
    case EventKind::atomic_rmw:
      return Sort::atomic_write;
    default:
      return Sort::write;
  }
}
constexpr bool only_reads(Sort s) { return s == Sort::read || s == Sort::atomic_read; }
constexpr bool is_plain(Sort s) { return s == Sort::read || s == Sort::write; }
constexpr bool conflict(Sort a, Sort b) {
  return (is_plain(a) || is_plain(b)) && !(only_reads(a) && only_reads(b));
}
// Whether a conflicts with all that b conflicts with.
constexpr bool as_strong(Sort a, Sort b) { return a == b || a == Sort::write || b == Sort::atomic_read; }

// An access and the locks that its thread held.
struct Guarded {
  Met access;
  order::LocksetId held;
  std::uint32_t era;  // of its thread

  bool none() const { return access.epoch.none(); }
  ThreadId thread() const { return access.epoch.thread(); }
  Sort sort() const { return sort_of(access.kind); }
};

// kAllThreads: the last access of each thread, sort and lockset. Else, of each sort and lockset, the last
// accesses of two threads: whoever comes, one of them is of another thread.
template <bool kAllThreads>
class LocksetAccesses {
 public:
  static LocksetAccesses* make(std::uint32_t slots) {
    void* const memory = std::calloc(1, sizeof(LocksetAccesses) + slots * sizeof(Guarded));
    if (memory == nullptr) throw std::bad_alloc();
    return new (memory) LocksetAccesses(slots);
  }
  static void destroy(LocksetAccesses* table) { std::free(table); }
  LocksetAccesses* clone() const {
    LocksetAccesses* const copy = make(slots_);
    *copy = *this;
    std::memcpy(static_cast<void*>(copy->all()), all(), slots_ * sizeof(Guarded));
    return copy;
  }

  std::uint32_t count() const { return count_; }
  bool any_write() const { return writes_ != 0; }
  // Whether one more that takes no other's place would make it too full.
  bool full() const { return 2 * (count_ + 1) > slots_; }
  std::size_t bytes() const { return sizeof *this + slots_ * sizeof(Guarded); }

  // The one whose place an access like this takes, or none where it would be put.
  Guarded& place_of(ThreadId t, Sort sort, order::LocksetId held) {
    const std::uint32_t mask = slots_ - 1;
    Guarded* older = nullptr;
    for (std::uint32_t at = home(t, sort, held);; ++at) {
      Guarded& here = all()[at & mask];
      if (here.none()) return here;
      if (here.held != held) continue;
      if constexpr (kAllThreads) {
        if (here.thread() == t && here.sort() == sort) return here;
      } else {
        if (here.sort() != sort) continue;
        if (here.thread() == t) return here;
        if (older != nullptr) return here.access.epoch.time() < older->access.epoch.time() ? here : *older;
        older = &here;
      }
    }
  }
  // There must be room.
  void put(const Guarded& access) {
    Guarded& place = place_of(access.thread(), access.sort(), access.held);
    if (place.none()) {
      ++count_;
      writes_ += only_reads(access.sort()) ? 0 : 1;
    }
    place = access;
  }
  template <class F>
  void for_each(F&& f) const {
    for (std::uint32_t i = 0; i < slots_; ++i) {
      if (!all()[i].none()) f(all()[i]);
    }
  }
  // One with those of which keep(access) is true, and room for one more. Takes the place of this one.
  template <class F>
  [[nodiscard]] LocksetAccesses* rebuilt(F&& keep) {
    std::uint32_t kept = 0;
    for_each([&](const Guarded& access) { kept += keep(access) ? 1 : 0; });
    std::uint32_t slots = 8;
    while (slots < 3 * (kept + 1)) slots *= 2;
    if (slots == slots_ && slots <= 2 * kFew) return put_anew(keep);
    LocksetAccesses* const fresh = make(slots);
    for_each([&](const Guarded& access) {
      if (keep(access)) fresh->put(access);
    });
    destroy(this);
    return fresh;
  }

 private:
  static constexpr std::uint32_t kFew = 32;

  // The same in place.
  template <class F>
  LocksetAccesses* put_anew(F& keep) {
    Guarded kept[kFew];
    std::uint32_t n = 0;
    for_each([&](const Guarded& access) {
      if (keep(access)) kept[n++] = access;
    });
    std::memset(static_cast<void*>(all()), 0, slots_ * sizeof(Guarded));
    count_ = writes_ = 0;
    for (std::uint32_t i = 0; i < n; ++i) put(kept[i]);
    return this;
  }

  explicit LocksetAccesses(std::uint32_t slots) : slots_(slots) {}
  Guarded* all() { return reinterpret_cast<Guarded*>(this + 1); }
  const Guarded* all() const { return reinterpret_cast<const Guarded*>(this + 1); }

  static std::uint32_t home(ThreadId t, Sort sort, order::LocksetId held) {
    const std::uint32_t h =
        index(held) * 0x9E3779B1u +
        (4 * (kAllThreads ? index(t) : 0) + static_cast<std::uint32_t>(sort)) * 0x85EBCA6Bu;
    return h ^ h >> 15;
  }

  std::uint32_t slots_;  // a power of two, at most half full
  std::uint32_t count_ = 0;
  std::uint32_t writes_ = 0;
  std::uint32_t unused_ = 0;
};
static_assert(sizeof(Guarded) == 24);

}  // namespace deadheat::history
