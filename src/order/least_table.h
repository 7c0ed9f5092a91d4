// A number for each place of a list that grows, and the least of any stretch of them. Time O(log n) a
// question, and a number that is less than all around it; O(1) one that is not. Memory 4 bytes a place, up to
// the last one that has a number.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace deadheat::order {

class LeastTable {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // The number of a place, unless it has one that is less.
  void put(std::uint32_t place, std::uint32_t number) {
    for (std::vector<std::uint32_t>& numbers : levels_) {
      if (place >= numbers.size()) numbers.resize(std::size_t{place} + 1, kNone);
      if (numbers[place] <= number) return;  // so it is on all levels above
      numbers[place] = number;
      place >>= kBits;
    }
  }
  // The least from the first to the last place, both included.
  std::uint32_t least(std::uint32_t first, std::uint32_t last) const {
    std::uint32_t found = kNone;
    for (const std::vector<std::uint32_t>& numbers : levels_) {
      if (first > last || first >= numbers.size()) return found;
      last = std::min(last, static_cast<std::uint32_t>(numbers.size() - 1));
      if (first >> kBits == last >> kBits) return std::min(found, scan(numbers, first, last));
      found = std::min({found, scan(numbers, first, first | kMask), scan(numbers, last & ~kMask, last)});
      first = (first >> kBits) + 1;
      last = (last >> kBits) - 1;
    }
    return found;
  }
  std::size_t bytes() const {
    std::size_t all = 0;
    for (const std::vector<std::uint32_t>& numbers : levels_)
      all += numbers.capacity() * sizeof(std::uint32_t);
    return all;
  }

 private:
  static constexpr unsigned kBits = 4;
  static constexpr std::uint32_t kMask = (1u << kBits) - 1;

  static std::uint32_t scan(const std::vector<std::uint32_t>& numbers, std::uint32_t first,
                            std::uint32_t last) {
    std::uint32_t found = kNone;
    for (std::uint32_t i = first; i <= last; ++i) found = std::min(found, numbers[i]);
    return found;
  }

  // Of each level a number stands for as many of the level below as kMask and one.
  std::array<std::vector<std::uint32_t>, 32 / kBits> levels_;
};

}  // namespace deadheat::order
