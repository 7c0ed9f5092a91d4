// For each variable, the locks that were held at all accesses so far (exclusively, at writes), but for some
// that are ordered one after another, as when memory is initialised before others come to know of it. Who
// holds one of these locks is kept apart from all others that do; if besides the last of the exceptions is
// ordered before it, it need not be compared with any earlier access.
#pragma once

#include "base/zero_array.h"
#include "history/access.h"
#include "history/candidates.h"

namespace deadheat::history {

class Guards {
 public:
  using LocksetId = order::LocksetId;

  explicit Guards(const order::Locksets& held) : held_(held), candidates_(held) {}

  void reserve(std::uint64_t places) {
    if (places > guards_.size()) guards_.grow(places);
  }
  void prefetch(std::uint32_t place) const { __builtin_prefetch(&guards_[place], 1); }

  // To be asked of every access, and once: whether each earlier one to its cell is ordered before it or kept
  // apart from it by a lock. `untouched()`: whether there were none. (Large frees are not told of cell by
  // cell.)
  template <class Untouched>
  bool protect(const Access& a, const order::Moment& now, Untouched&& untouched) {
    Guard& guard = guards_[a.place];
    if (guard.locks == kNone) return false;
    if (guard.locks == kUnknown) {
      ++known_;
      guard.locks = untouched() ? kAny : kNone;
      if (guard.locks == kNone) return false;
    }
    const bool only_reads = a.kind == EventKind::read || a.kind == EventKind::atomic_load;
    const LocksetId held =
        only_reads ? candidates_.all_held(now.held) : candidates_.held_exclusively(now.held);
    const LocksetId common = guard.locks == kAny ? held : candidates_.common(held, LocksetId{guard.locks});
    const bool after_exceptions = guard.exception.none() || now.covers(a.thread, guard.exception);
    if (common != LocksetId::empty) {
      guard.locks = index(common);
      return after_exceptions;
    }
    if (after_exceptions) {
      guard.exception = a.epoch();
    } else {
      guard.locks = kNone;
    }
    return false;
  }
  // Whether a lock keeps two accesses apart that hold these.
  bool apart(LocksetId a, LocksetId b) const { return held_.keep_apart(a, b); }
  // The whole cell is new.
  void forget(std::uint32_t place) {
    if (guards_[place].locks != kUnknown) --known_;
    guards_[place] = {};
  }

  std::size_t bytes() const { return known_ * sizeof(Guard) + candidates_.bytes(); }

 private:
  struct Guard {
    clock::Epoch exception;   // the last one, which all others are ordered before
    std::uint32_t locks = 0;  // a set, or one of those below
  };
  // No set that is not empty has these numbers: not accessed yet; nothing is to be said; only exceptions.
  static constexpr std::uint32_t kUnknown = 0, kNone = 1, kAny = UINT32_MAX;

  const order::Locksets& held_;
  Candidates candidates_;
  base::ZeroArray<Guard> guards_;  // by place
  std::size_t known_ = 0;
};

}  // namespace deadheat::history
