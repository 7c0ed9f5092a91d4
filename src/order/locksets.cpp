#include "order/locksets.h"

#include <algorithm>

#include "base/assert.h"

namespace deadheat::order {

LocksetId Locksets::make(const Part& part, bool has_exclusive) {
  DEADHEAT_ASSERT(count_ < (1u << 31) - kFirst, "sets of locks have numbers of 31 bits");
  const std::uint32_t n = count_ + kFirst;
  const unsigned width = static_cast<unsigned>(std::bit_width(n));
  auto& chunk = chunks_[width - kFirstBits - 1];
  if (chunk == nullptr) chunk = std::make_unique<Part[]>(std::size_t{1} << (width - 1));
  chunk[n - (1u << (width - 1))] = part;
  return LocksetId{count_++ << 1 | (has_exclusive ? 1u : 0u)};
}

LocksetId Locksets::leaf(std::uint32_t lock, std::uint32_t modes) {
  if (modes == 0) return LocksetId::empty;
  LocksetId& known = leaves_(lock, modes);
  if (known == LocksetId::empty) {
    known = make({lock, 0, LocksetId{modes}, LocksetId::empty}, (modes & exclusive) != 0);
  }
  return known;
}

LocksetId Locksets::both(LocksetId a, LocksetId b) {
  if (a == LocksetId::empty) return b;
  if (b == LocksetId::empty) return a;
  const std::uint32_t bit = std::bit_floor(at(a).key ^ at(b).key);
  if ((at(a).key & bit) != 0) std::swap(a, b);
  // The two say all there is to say, so they are the key.
  LocksetId& known = branches_(index(a), index(b));
  if (known == LocksetId::empty) {
    known = make({at(a).key & ~(2 * bit - 1), bit, a, b}, any_exclusive(a) || any_exclusive(b));
  }
  return known;
}

LocksetId Locksets::change(Changes& known, LocksetId set, LockId l, std::uint32_t add, std::uint32_t remove) {
  if (const LocksetId* to = known.find(index(set), index(l))) return *to;
  const LocksetId to = changed(set, index(l), add, remove);
  known(index(set), index(l)) = to;
  return to;
}

LocksetId Locksets::changed(LocksetId set, std::uint32_t lock, std::uint32_t add, std::uint32_t remove) {
  if (set == LocksetId::empty) return leaf(lock, add);
  const Part& part = at(set);
  if (!part.may_have(lock)) return both(set, leaf(lock, add));
  if (part.leaf()) return leaf(lock, (part.modes() | add) & ~remove);
  const LocksetId side = changed(part.side(lock), lock, add, remove);
  return (lock & part.bit) != 0 ? both(part.left, side) : both(side, part.right);
}

LocksetId Locksets::common(LocksetId a, LocksetId b) {
  if (a == b) return a;
  if (a == LocksetId::empty || b == LocksetId::empty) return LocksetId::empty;
  if (const LocksetId* known = common_.find(index(a), index(b))) return *known;
  const LocksetId found = intersection(a, b);
  common_(index(a), index(b)) = found;
  return found;
}

LocksetId Locksets::intersection(LocksetId a, LocksetId b) {
  if (a == b) return a;
  if (a == LocksetId::empty || b == LocksetId::empty) return LocksetId::empty;
  const Part &p = at(a), &q = at(b);
  if (p.leaf()) return leaf(p.key, p.modes() & modes_of(b, LockId{p.key}));
  if (q.leaf()) return leaf(q.key, q.modes() & modes_of(a, LockId{q.key}));
  if (p.bit == q.bit && p.key == q.key) {
    const LocksetId left = intersection(p.left, q.left);
    return both(left, intersection(p.right, q.right));
  }
  if (p.bit > q.bit && p.may_have(q.key)) return intersection(p.side(q.key), b);
  if (q.bit > p.bit && q.may_have(p.key)) return intersection(a, q.side(p.key));
  return LocksetId::empty;
}

bool Locksets::share_lock(LocksetId a, LocksetId b) const {
  if (!any_exclusive(a) && !any_exclusive(b)) return false;
  if (a == b) return true;
  const Part &p = at(a), &q = at(b);
  if (p.leaf() || q.leaf()) {
    const std::uint32_t modes = p.leaf() ? p.modes() : q.modes();
    const std::uint32_t others = p.leaf() ? modes_of(b, LockId{p.key}) : modes_of(a, LockId{q.key});
    return others != 0 && ((modes | others) & exclusive) != 0;
  }
  if (p.bit == q.bit && p.key == q.key) return share_lock(p.left, q.left) || share_lock(p.right, q.right);
  if (p.bit > q.bit && p.may_have(q.key)) return share_lock(p.side(q.key), b);
  if (q.bit > p.bit && q.may_have(p.key)) return share_lock(a, q.side(p.key));
  return false;
}

bool Locksets::implies(LocksetId b, LocksetId a) const {
  if (a == b || a == LocksetId::empty) return true;
  if (b == LocksetId::empty || (any_exclusive(a) && !any_exclusive(b))) return false;
  const Part &p = at(a), &q = at(b);
  if (p.leaf()) {
    const std::uint32_t modes = modes_of(b, LockId{p.key});
    return modes != 0 && (modes & exclusive) >= (p.modes() & exclusive);
  }
  if (q.leaf() || q.bit < p.bit || !q.may_have(p.key)) return false;
  if (q.bit > p.bit) return implies(q.side(p.key), a);
  return p.key == q.key && implies(q.left, p.left) && implies(q.right, p.right);
}

std::size_t Locksets::bytes() const {
  std::size_t sum =
      leaves_.bytes() + branches_.bytes() + common_.bytes() + std::bit_ceil(count_ + kFirst) * sizeof(Part);
  for (const auto* changes : {&added_, &removed_}) {
    for (const Changes& by_mode : *changes) sum += by_mode.bytes();
  }
  return sum;
}

}  // namespace deadheat::order
