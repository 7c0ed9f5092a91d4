// The last access of each thread and kind to one variable: a small hash table, for variables of which one
// write and one read do not say everything.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "history/access.h"

namespace deadheat::history {

class Others {
 public:
  static Others* make(std::uint32_t slots = 4) {
    void* const memory = std::calloc(1, sizeof(Others) + slots * sizeof(Met));
    if (memory == nullptr) throw std::bad_alloc();
    return new (memory) Others(slots);
  }
  static void destroy(Others* others) { std::free(others); }
  Others* clone() const {
    Others* const copy = make(slots_);
    *copy = *this;
    std::memcpy(copy->met(), met(), slots_ * sizeof(Met));
    return copy;
  }

  bool empty() const { return count_ == 0; }
  // Whether there are any but plain reads and atomic loads.
  bool any_write() const { return writes_ != 0; }
  // Whether there are any but atomics.
  bool any_plain() const { return plain_ != 0; }

  // Returns itself, or a larger one that takes its place.
  [[nodiscard]] Others* put(const Met& access) {
    Met* at = find(access);
    if (at->epoch.none()) {
      if (2 * (count_ + 1) > slots_) {
        Others* const larger = grown();
        return larger->put(access);
      }
      ++count_;
      writes_ += hurts_reads(access.kind) ? 1 : 0;
      plain_ += is_atomic(access.kind) ? 0 : 1;
    }
    *at = access;
    return this;
  }
  template <class F>
  void for_each(F&& f) const {
    for (std::uint32_t i = 0; i < slots_; ++i) {
      if (!met()[i].epoch.none()) f(met()[i]);
    }
  }
  // Keeps those of which keep(access) is true. A table that is emptied is to be destroyed.
  template <class F>
  void keep_if(F&& keep) {
    std::uint32_t kept = 0;
    for_each([&](const Met& access) { kept += keep(access) ? 1 : 0; });
    if (kept == count_) return;
    if (kept == 0) {
      count_ = writes_ = plain_ = 0;
      return;
    }
    Others* const old = clone();
    std::memset(static_cast<void*>(met()), 0, slots_ * sizeof(Met));
    count_ = writes_ = plain_ = 0;
    old->for_each([&](const Met& access) {
      if (keep(access)) (void)put(access);
    });
    destroy(old);
  }

 private:
  explicit Others(std::uint32_t slots) : slots_(slots) {}
  Met* met() { return reinterpret_cast<Met*>(this + 1); }
  const Met* met() const { return reinterpret_cast<const Met*>(this + 1); }

  static bool hurts_reads(EventKind kind) {
    return kind != EventKind::read && kind != EventKind::atomic_load;
  }
  // Where the last access of that thread and kind is, or would be.
  Met* find(const Met& access) {
    const std::uint32_t mask = slots_ - 1;
    std::uint32_t at = index(access.epoch.thread()) + 61 * static_cast<std::uint32_t>(access.kind);
    for (;; ++at) {
      Met& here = met()[at & mask];
      if (here.epoch.none() || (here.epoch.thread() == access.epoch.thread() && here.kind == access.kind))
        return &here;
    }
  }
  Others* grown() {
    Others* larger = make(2 * slots_);
    for_each([&](const Met& access) { larger = larger->put(access); });
    destroy(this);
    return larger;
  }

  std::uint32_t slots_;  // a power of two, at most half full
  std::uint32_t count_ = 0;
  std::uint32_t writes_ = 0;
  std::uint32_t plain_ = 0;
};
static_assert(sizeof(Met) == 16 && sizeof(Others) == 16);

}  // namespace deadheat::history
