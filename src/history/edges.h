// The accesses to a variable that later ones have replaced, each as an edge: replaced < who replaced it. From
// an access they are followed backwards, to all that it stands for.
// Sulzmann & Stadtmueller, "Predicting All Data Race Pairs for a Specific Schedule" (MPLR 2019).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "history/access.h"
#include "order/moment.h"

namespace deadheat::history {

// An access, and the edges to those that it replaced: they are made at one time, and so lie together.
struct Kept {
  static constexpr unsigned kMostEdges = (1u << 18) - 1;

  clock::Epoch epoch;
  std::uint64_t first_edge : 41 = 0;
  std::uint64_t edges : 18 = 0;
  std::uint64_t kind_bits : 5 = 0;
  SiteId site = SiteId::none;
  order::LocksetId held = order::LocksetId::empty;

  Kept() = default;
  Kept(const Access& a, order::LocksetId locks)
      : epoch(a.epoch()), kind_bits(static_cast<std::uint8_t>(a.kind)), site(a.site), held(locks) {}
  bool none() const { return epoch.none(); }
  EventKind kind() const { return static_cast<EventKind>(kind_bits); }
};
static_assert(sizeof(Kept) == 24);
static_assert(kEventKinds <= 32);

// A ring of the last of them. Edges have numbers that only grow; of a ring that is kept small, only the last
// ones are there.
class Edges {
 public:
  static Edges* make() { return sized(nullptr, kFirst); }
  static void destroy(Edges* edges) { std::free(edges); }
  Edges* clone() const {
    Edges* const copy = sized(nullptr, mask_ + 1);
    *copy = *this;
    std::copy_n(all(), mask_ + 1, copy->all());
    return copy;
  }

  std::uint64_t count() const { return count_; }  // that ever were
  const Kept& operator[](std::uint64_t number) const { return all()[number & mask_]; }
  bool full() const { return count_ > mask_; }  // the next one would take the place of an old one
  void put(const Kept& replaced) { all()[count_++ & mask_] = replaced; }
  // Takes its place. Only as long as none was overwritten.
  [[nodiscard]] static Edges* grown(Edges* edges) { return sized(edges, 2 * (edges->mask_ + 1)); }

  std::size_t room() const { return mask_ + 1; }
  std::size_t bytes() const { return sizeof(Edges) + room() * sizeof(Kept); }
  void prefetch() const { __builtin_prefetch(&(*this)[count_], 1); }

 private:
  static constexpr std::size_t kFirst = 4;

  static Edges* sized(Edges* old, std::size_t room) {
    void* const memory = std::realloc(old, sizeof(Edges) + room * sizeof(Kept));
    if (memory == nullptr) throw std::bad_alloc();
    auto* const edges = static_cast<Edges*>(memory);
    if (old == nullptr) edges->count_ = 0;
    edges->mask_ = room - 1;
    return edges;
  }
  Kept* all() { return reinterpret_cast<Kept*>(this + 1); }
  const Kept* all() const { return reinterpret_cast<const Kept*>(this + 1); }

  std::uint64_t count_;
  std::uint64_t mask_;  // the room is a power of two
};

}  // namespace deadheat::history
