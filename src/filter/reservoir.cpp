#include "filter/reservoir.h"

#include <algorithm>
#include <cmath>

namespace deadheat::filter {

Reservoir::Reservoir(std::uint64_t count, std::uint64_t seed) : random_(seed), begun_(count) {
  for (std::uint32_t slot = 0; slot < count; ++slot) next_.push({0, slot});
}

// That none begins from i + 1 to j has the probability (i + 1) / (j + 1): the product of all t / (t + 1).
void Reservoir::take() {
  const std::uint64_t at = next();
  while (next() == at) {
    const std::uint32_t slot = next_.top().slot;
    next_.pop();
    begun_[slot].push_back(at);
    const double behind = std::ceil(static_cast<double>(at + 1) / (1 - random_.unit()));
    // One at least, whatever rounding does to large numbers.
    const std::uint64_t begin =
        behind < 0x1p62 ? static_cast<std::uint64_t>(behind) - 1 : std::uint64_t{1} << 62;
    next_.push({std::max(begin, at + 1), slot});
  }
}

std::vector<std::uint64_t> Reservoir::begins(std::uint64_t n, std::uint64_t length) const {
  std::vector<std::uint64_t> out;
  for (const auto& begun : begun_) {
    const auto open = std::ranges::upper_bound(begun, n - length);
    if (open != begun.begin()) out.push_back(*(open - 1));
  }
  return out;
}

void Reservoir::forget(std::uint64_t n, std::uint64_t length) {
  if (n < length) return;
  for (auto& begun : begun_) {
    const auto open = std::ranges::upper_bound(begun, n - length);
    if (open - begun.begin() > 1) begun.erase(begun.begin(), open - 1);
  }
}

}  // namespace deadheat::filter
