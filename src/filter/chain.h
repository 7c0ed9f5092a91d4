// Filters one behind the other, and how many accesses each left out.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "filter/registry.h"

namespace deadheat::filter {

class Chain {
 public:
  Chain() = default;  // leaves out nothing
  static Result<Chain> make(std::span<const Choice> choices);

  bool empty() const { return links_.empty(); }
  // Blocks come in order.
  void filter(SortedBlock& block);

  struct Link {
    std::unique_ptr<Filter> filter;
    std::uint64_t seen = 0, kept = 0;  // accesses and frees
  };
  const std::vector<Link>& links() const { return links_; }

 private:
  bool pick(SortedBlock& block);

  std::vector<Link> links_;
  EventSet kept_;
  std::vector<std::uint32_t> picked_;
};

}  // namespace deadheat::filter
