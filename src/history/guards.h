// For each variable, the locks that were held at all accesses so far (exclusively, at writes). As long as
// there is one, it keeps them all apart, and none of them need be looked at to know that.
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

  // To be asked of every access, and once: whether a lock keeps it apart from all earlier ones to its cell.
  // `untouched()`: whether there were none. (Large frees are not told of cell by cell.)
  template <class Untouched>
  bool protect(const Access& a, LocksetId held, Untouched&& untouched) {
    std::uint32_t& guard = guards_[a.place];
    if (guard == kNone) return false;
    const bool only_reads = a.kind == EventKind::read || a.kind == EventKind::atomic_load;
    LocksetId common = only_reads ? candidates_.all_held(held) : candidates_.held_exclusively(held);
    if (guard == kUnknown) {
      ++known_;
      if (!untouched()) common = LocksetId::empty;
    } else if (common != LocksetId{guard - 1}) {
      common = candidates_.common(common, LocksetId{guard - 1});
    }
    guard = index(common) + 1;
    return guard != kNone;
  }
  // Whether a lock keeps two accesses apart that hold these.
  bool apart(LocksetId a, LocksetId b) const { return held_.keep_apart(a, b); }
  // The whole cell is new.
  void forget(std::uint32_t place) {
    if (guards_[place] != kUnknown) --known_;
    guards_[place] = kUnknown;
  }

  std::size_t bytes() const { return known_ * sizeof(std::uint32_t) + candidates_.bytes(); }

 private:
  static constexpr std::uint32_t kUnknown = 0, kNone = index(LocksetId::empty) + 1;

  const order::Locksets& held_;
  Candidates candidates_;
  base::ZeroArray<std::uint32_t> guards_;  // by place: the set and one
  std::size_t known_ = 0;
};

}  // namespace deadheat::history
