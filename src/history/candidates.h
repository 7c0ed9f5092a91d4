// Sets of locks that may protect a variable: what is left of them after each access tells whether some lock
// keeps all accesses apart. Savage, Burrows, Nelson, Sobalvarro & Anderson, "Eraser: A Dynamic Data Race
// Detector for Multithreaded Programs" (TOCS 1997), sections 2.1 and 2.3.
// Time O(1), but for a set met for the first time.
#pragma once

#include <vector>

#include "order/locksets.h"

namespace deadheat::history {

class Candidates {
 public:
  using LocksetId = order::LocksetId;

  // Of the sets that `held` has; what is made anew is made here, since others may look at those.
  explicit Candidates(const order::Locksets& held) : held_(&held) {}

  // Who only reads is protected by a lock in any mode, who writes by one that is held exclusively. Locks in
  // sets of candidates count as held exclusively.
  LocksetId all_held(LocksetId held) {
    return as_candidates(held, order::Locksets::exclusive | order::Locksets::shared);
  }
  LocksetId held_exclusively(LocksetId held) { return as_candidates(held, order::Locksets::exclusive); }
  LocksetId common(LocksetId a, LocksetId b) { return sets_.common(a, b); }

  std::size_t bytes() const {
    return sets_.bytes() + (known_[0].capacity() + known_[1].capacity()) * sizeof(LocksetId);
  }

 private:
  LocksetId as_candidates(LocksetId held, std::uint32_t modes) {
    if (held == LocksetId::empty) return held;
    auto& known = known_[modes == order::Locksets::exclusive ? 0 : 1];
    const std::size_t at = index(held) / 2;  // the last bit does not tell sets apart
    if (at < known.size() && known[at] != kUnknown) return known[at];
    LocksetId found = LocksetId::empty;
    held_->for_each(held, [&](LockId l, std::uint32_t in) {
      if ((in & modes) != 0) found = sets_.with(found, l, order::Locksets::exclusive);
    });
    if (at >= known.size()) known.resize(2 * at + 1, kUnknown);
    known[at] = found;
    return found;
  }

  static constexpr LocksetId kUnknown{UINT32_MAX};

  const order::Locksets* held_;  // what the moments name
  order::Locksets sets_;
  std::vector<LocksetId> known_[2];  // by set: held exclusively, held at all
};

}  // namespace deadheat::history
