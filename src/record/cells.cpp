#include "record/cells.h"

namespace deadheat::record {

std::uint32_t& Cells::entry(std::uint64_t region) {
  auto& leaf = leaves_[region / kLeaf % kLeaf];
  if (leaf == nullptr) leaf = std::make_unique<Leaf>();
  return (*leaf)[region % kLeaf];
}

bool Cells::is_touched(std::uint64_t address) const {
  const std::uint64_t region = address >> kRegionBits;
  const auto& leaf = leaves_[region / kLeaf % kLeaf];
  return leaf != nullptr && (*leaf)[region % kLeaf] != 0;
}

void Cells::forget() {
  for (auto& leaf : leaves_) leaf.reset();
  last_region_ = ~std::uint64_t{0};
}

std::uint32_t Cells::base(std::uint64_t region) {
  std::uint32_t& number = entry(region);
  if (number == 0) {
    if (used_ == kMostRegions) return kNone;
    names_.add_region(
        {.first = VarId{used_ * kRegionCells}, .address = region << kRegionBits, .cells = kRegionCells});
    number = ++used_;
  }
  return (number - 1) * kRegionCells;
}

std::uint64_t Cells::in_a_row(std::uint64_t address, std::uint64_t bytes) {
  std::uint64_t region = address >> kRegionBits;
  const std::uint64_t last = (address + bytes - 1) >> kRegionBits;
  std::uint32_t at = base(region);
  for (; region != last; ++region) {
    const std::uint32_t next = base(region + 1);
    if (next == kNone || next != at + kRegionCells) return ((region + 1) << kRegionBits) - address;
    at = next;
  }
  return bytes;
}

}  // namespace deadheat::record
