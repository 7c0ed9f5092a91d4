// The last access of each thread and kind to one variable, with their edges: a small hash table. (others.h is
// the same for accesses without edges; it is the smaller for that.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "history/edges.h"

namespace deadheat::history {

class LastAccesses {
 public:
  bool empty() const { return count_ == 0; }
  // Whether there are any but plain reads and atomic loads.
  bool any_write() const { return writes_ != 0; }
  std::size_t bytes() const { return sizeof(*this) + slots_.capacity() * sizeof(Kept); }

  // The one of this thread and kind; none() if there is none, and then an access of that thread and kind
  // must be put there.
  Kept& at(const Access& a) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Kept& here = find(a.thread, a.kind);
    if (here.none()) {
      ++count_;
      writes_ += hurts_reads(a.kind) ? 1 : 0;
    }
    return here;
  }
  void put(const Kept& access) {
    at({access.epoch.thread(), access.epoch.time(), 0, 0, access.kind(), access.site}) = access;
  }
  template <class F>
  void for_each(F&& f) const {
    for (const Kept& access : slots_) {
      if (!access.none()) f(access);
    }
  }
  // Takes those out of which leaves(access) is true.
  template <class F>
  void erase_if(F&& leaves) {
    std::vector<Kept> staying;
    for_each([&](const Kept& access) {
      if (!leaves(access)) staying.push_back(access);
    });
    if (staying.size() == count_) return;
    std::ranges::fill(slots_, Kept{});
    count_ = writes_ = 0;
    for (const Kept& access : staying) put(access);
  }

 private:
  static bool hurts_reads(EventKind kind) {
    return kind != EventKind::read && kind != EventKind::atomic_load;
  }
  Kept& find(ThreadId t, EventKind kind) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = index(t) + 61 * static_cast<std::size_t>(kind);; ++at) {
      Kept& here = slots_[at & mask];
      if (here.none() || (here.epoch.thread() == t && here.kind() == kind)) return here;
    }
  }
  void grow() {
    std::vector<Kept> old(2 * slots_.size());
    old.swap(slots_);
    count_ = writes_ = 0;
    for (const Kept& access : old) {
      if (!access.none()) put(access);
    }
  }

  std::vector<Kept> slots_ = std::vector<Kept>(4);  // a power of two, at most half full
  std::size_t count_ = 0, writes_ = 0;
};

}  // namespace deadheat::history
