// Sets of held locks as numbers: equal sets have equal numbers, and taking or giving up a lock leads from one
// number to another by a table. A set is a binary trie of lock ids (Okasaki & Gill, "Fast Mergeable Integer
// Maps", ML 1998) whose parts are shared between sets, so that a thread that takes n locks, in whatever
// order, makes O(n log n) parts and not n sets of up to n locks.
//
// One thread makes sets while others look at those they were told of: parts are never moved or changed, and a
// part is complete before the number that names it is passed on.
// Time O(1) for a change made before, else O(log n); O(n) to compare two sets. Memory O(1) a distinct change.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>

#include "deadheat/event.h"
#include "model/pair_table.h"
#include "order/moment.h"

namespace deadheat::order {

class Locksets {
 public:
  Locksets() = default;
  Locksets(Locksets&&) noexcept = default;
  Locksets& operator=(Locksets&&) = delete;

  enum Mode : std::uint32_t { exclusive = 1, shared = 2 };  // a lock may be held in both

  // The set with that lock held in that mode too, or no longer.
  LocksetId with(LocksetId set, LockId l, Mode mode) { return change(added_[mode >> 1], set, l, mode, 0); }
  LocksetId without(LocksetId set, LockId l, Mode mode) {
    return change(removed_[mode >> 1], set, l, 0, mode);
  }
  // The locks that both hold, in the modes in which both do.
  LocksetId common(LocksetId a, LocksetId b);

  // Whether both hold a lock that at least one of them holds exclusively.
  bool keep_apart(LocksetId a, LocksetId b) const {
    if (a == b) return any_exclusive(a);  // no need to look at it
    if (a == LocksetId::empty || b == LocksetId::empty) return false;
    return share_lock(a, b);
  }
  // In which modes the lock is held, 0 if it is not.
  std::uint32_t modes_of(LocksetId set, LockId l) const {
    while (set != LocksetId::empty) {
      const Part& part = at(set);
      if (!part.may_have(index(l))) break;
      if (part.leaf()) return part.modes();
      set = part.side(index(l));
    }
    return 0;
  }
  // Whether b keeps apart from all that a keeps apart from.
  bool implies(LocksetId b, LocksetId a) const;
  static bool any_exclusive(LocksetId set) { return (index(set) & 1) != 0; }

  // f(lock, modes) for each lock, in order of their ids.
  template <class F>
  void for_each(LocksetId set, F&& f) const {
    if (set == LocksetId::empty) return;
    const Part& part = at(set);
    if (part.leaf()) return f(LockId{part.key}, part.modes());
    for_each(part.left, f);
    for_each(part.right, f);
  }

  std::size_t bytes() const;

 private:
  // A lock, or two sets that differ first in a bit of their locks' ids.
  struct Part {
    std::uint32_t key = 0;              // the lock; or the bits above `bit`, which all have in common
    std::uint32_t bit = 0;              // a leaf has none
    LocksetId left = LocksetId::empty;  // those without the bit; of a leaf, the modes
    LocksetId right = LocksetId::empty;

    bool leaf() const { return bit == 0; }
    std::uint32_t modes() const { return index(left); }
    bool may_have(std::uint32_t lock) const {
      return leaf() ? key == lock : ((key ^ lock) & ~(2 * bit - 1)) == 0;
    }
    LocksetId side(std::uint32_t lock) const { return (lock & bit) != 0 ? right : left; }
  };
  using Changes = model::PairTable<LocksetId>;

  static constexpr unsigned kFirstBits =
      6;  // the first chunk has so many parts, each other as many as all before
  static constexpr std::uint32_t kFirst = 1u << kFirstBits;

  const Part& at(LocksetId set) const {
    const std::uint32_t n = (index(set) >> 1) + kFirst;
    const unsigned width = static_cast<unsigned>(std::bit_width(n));
    return chunks_[width - kFirstBits - 1][n - (1u << (width - 1))];
  }
  LocksetId change(Changes& known, LocksetId set, LockId l, std::uint32_t add, std::uint32_t remove);
  LocksetId changed(LocksetId set, std::uint32_t lock, std::uint32_t add, std::uint32_t remove);
  LocksetId make(const Part& part, bool has_exclusive);
  LocksetId leaf(std::uint32_t lock, std::uint32_t modes);
  LocksetId both(LocksetId a, LocksetId b);  // of disjoint sets, all of one below all of the other
  LocksetId intersection(LocksetId a, LocksetId b);
  bool share_lock(LocksetId a, LocksetId b) const;

  std::array<std::unique_ptr<Part[]>, 32 - kFirstBits> chunks_;
  std::uint32_t count_ = 1;  // 0 is the empty set
  Changes leaves_, branches_;
  std::array<Changes, 2> added_, removed_;  // by mode
  Changes common_;
};

}  // namespace deadheat::order
