#include "generate/sections.h"

#include <algorithm>

namespace deadheat::generate {

Sections::Sections(Machine& machine, Range shared, Locks locks)
    : m_(machine), locks_(locks), access_bits_(sixteen_bits(machine.p.access_share)) {
  const Parameters& p = m_.p;
  const std::uint32_t own_sites = std::max(1u, p.sites / 4);  // the rest is for the threads' own variables
  const std::uint32_t first_site = p.sites > own_sites ? own_sites : 0;
  const std::uint32_t sites = p.sites - first_site;
  walks_per_lock_ = std::clamp(sites / p.locks, 1u, 64u);
  const auto part = [](std::uint32_t count, std::uint32_t i, std::uint32_t n) {
    return static_cast<std::uint32_t>(std::uint64_t{count} * i / n);
  };
  for (std::uint32_t l = 0; l < p.locks; ++l) {
    const std::uint32_t first = part(shared.count, l, p.locks);
    const Range range{shared.first + first, part(shared.count, l + 1, p.locks) - first};
    guarded_.push_back(range);
    for (std::uint32_t i = 0; i < walks_per_lock_; ++i) {
      const std::uint32_t site = first_site + (l * walks_per_lock_ + i) % sites;
      Walk walk{range.first, range.count, 0, site};
      if (i % 4 != 3) {
        const std::uint32_t start = part(range.count, i, walks_per_lock_);
        walk.first += start;
        walk.count = std::max(1u, part(range.count, i + 1, walks_per_lock_) - start);
      }
      walks_.push_back(walk);
    }
  }
}

void Sections::access(ThreadState& t, std::uint64_t r) {
  // A quarter of the accesses in a section are to the thread's own variables.
  if (t.depth == 0 || (r >> 16 & 3) == 0) return m_.local_access(t.id);
  const auto [l, shared] = t.held[((r >> 18 & 0xFF) * t.depth) >> 8];
  if (guarded_[l].count == 0) return m_.local_access(t.id);
  const std::uint64_t r2 = m_.random();
  const std::uint32_t i = Random::scale(static_cast<std::uint32_t>(r >> 32), walks_per_lock_);
  Walk& walk = walks_[l * walks_per_lock_ + i];
  std::uint32_t at = Random::scale(static_cast<std::uint32_t>(r2 >> 32), walk.count);
  if (i % 4 < 2) {
    walk.at = walk.at + 1 >= walk.count ? 0 : walk.at + 1;
    at = walk.at;
  }
  const bool read = shared || (r2 & 0xFFFF) < m_.read_bits;
  m_.out.emit(t.id, 2 * walk.site + (read ? 0 : 1), walk.first + at);
}

Step Sections::lock_operation(ThreadState& t, std::uint64_t r) {
  const std::uint32_t top = t.depth == 0 ? 0 : t.held[t.depth - 1].lock + 1;
  const bool can_nest = t.depth < m_.p.nesting && top < m_.p.locks;
  if (locks_ == Locks::reentrant && reenter(t, r)) return Step::more;
  if (t.depth > 0 && (!can_nest || (r >> 16 & 1) != 0)) {
    m_.release_last(t);
    return Step::more;
  }
  t.wants = top + Random::scale(static_cast<std::uint32_t>(r >> 32), m_.p.locks - top);
  t.wants_shared = locks_ != Locks::exclusive && (r >> 17 & 0x3FF) < 717;
  return take_wanted(t);
}

Step Sections::take_wanted(ThreadState& t) {
  if (!m_.free_for(t.id, t.wants, t.wants_shared)) return Step::blocked;
  m_.acquire(t, t.wants, t.wants_shared);
  t.wants = kNobody;
  return Step::more;
}

// Now and then the lock taken last is taken once more: in its mode or, by a writer, as a reader.
bool Sections::reenter(ThreadState& t, std::uint64_t r) {
  if (t.depth == 0 || t.depth >= m_.p.nesting || (r >> 28 & 7) != 0) return false;
  const auto [l, shared] = t.held[t.depth - 1];
  m_.acquire(t, l, shared || (r >> 31 & 1) != 0);
  return true;
}

}  // namespace deadheat::generate
