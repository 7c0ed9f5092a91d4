// A vector of times whose entries are also a list, last changed first: who knows how many changes it has not
// seen need look at so many entries only. Freestanding: see test/freestanding.
// "Ordered lists", section 5 of the paper on sampling timestamps (see versioned_clocks.h), figure 4.
#pragma once

#include <cstddef>
#include <cstdint>

#include "clock/time.h"

namespace deadheat::clock {

class OrderedList {
 public:
  std::uint32_t references;
  std::uint32_t width;

  static std::size_t bytes_of(std::uint32_t width) {
    return sizeof(OrderedList) + (width + std::size_t{1}) * sizeof(Node);
  }

  Time get(std::uint32_t u) const { return nodes()[u + 1].time; }
  // Goes to the head.
  void set(std::uint32_t u, Time time) {
    const std::uint32_t at = u + 1;
    Node& node = nodes()[at];
    if (node.time != 0) {
      nodes()[node.before].behind = node.behind;
      nodes()[node.behind].before = node.before;
    }
    node.time = time;
    Node& ends = nodes()[0];
    node.before = 0;
    node.behind = ends.behind;
    nodes()[ends.behind].before = at;
    ends.behind = at;
  }
  // f(thread, time) for the `news` entries that were changed last. Returns how many there were.
  template <class F>
  std::uint64_t walk(std::uint64_t news, F&& f) const {
    std::uint64_t walked = 0;
    for (std::uint32_t at = nodes()[0].behind; at != 0 && walked < news; at = nodes()[at].behind) {
      f(at - 1, nodes()[at].time);
      ++walked;
    }
    return walked;
  }

  // In memory of bytes_of(width).
  void start(std::uint32_t entries) {
    references = 1;
    width = entries;
    for (std::uint32_t at = 0; at <= width; ++at) nodes()[at] = Node{};
  }
  // The same as another that is not wider.
  void copy(const OrderedList& from, std::uint32_t entries) {
    references = 1;
    width = entries;
    __builtin_memcpy(static_cast<void*>(nodes()), from.nodes(), (from.width + std::size_t{1}) * sizeof(Node));
    for (std::uint32_t at = from.width + 1; at <= width; ++at) nodes()[at] = Node{};
  }

 private:
  // In the list if its time is not 0. Number 0 is both ends.
  struct Node {
    Time time = 0;
    std::uint32_t before = 0, behind = 0;
  };
  Node* nodes() { return reinterpret_cast<Node*>(this + 1); }
  const Node* nodes() const { return reinterpret_cast<const Node*>(this + 1); }
};
static_assert(sizeof(OrderedList) == 8);

}  // namespace deadheat::clock
