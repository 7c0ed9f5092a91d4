#include "record/cells.h"

#include <utility>

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

bool Cells::is_in_use(std::uint64_t address) const {
  if (!is_touched(address)) return false;
  const std::uint64_t region = address >> kRegionBits;
  return states_[(*leaves_[region / kLeaf % kLeaf])[region % kLeaf] - 1].in_use != 0;
}

void Cells::use(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t page = address >> kPageBits; page <= (address + bytes - 1) >> kPageBits; ++page) {
    const std::uint32_t number = entry(page >> (kRegionBits - kPageBits));
    if (number == 0) continue;
    Pages& in_use = states_[number - 1].in_use;
    in_use = static_cast<Pages>(in_use | 1u << page % (kRegionBytes >> kPageBits));
  }
}

Cells::Pages Cells::take_back(std::uint64_t address) {
  if (!is_touched(address)) return 0;
  State& state = states_[entry(address >> kRegionBits) - 1];
  const Pages told = std::exchange(state.in_use, Pages{0});
  state.gone = static_cast<Pages>(state.gone | told);
  last_page_ = ~std::uint64_t{0};
  return told;
}

Cells::Pages Cells::renew(std::uint64_t address, std::uint32_t owner) {
  if (!is_touched(address)) return kAll;
  State& state = states_[entry(address >> kRegionBits) - 1];
  const Pages told = state.owner != owner ? kAll : static_cast<Pages>(state.in_use | state.gone);
  state = {.owner = owner, .in_use = 0, .gone = 0};
  last_page_ = ~std::uint64_t{0};
  return told;
}

void Cells::forget() {
  for (auto& leaf : leaves_) leaf.reset();
  last_page_ = ~std::uint64_t{0};
}

std::uint32_t Cells::base(std::uint64_t region) {
  std::uint32_t& number = entry(region);
  if (number == 0) {
    if (used_ == kMostRegions) return kNone;
    names_.add_region(
        {.first = VarId{used_ * kRegionCells}, .address = region << kRegionBits, .cells = kRegionCells});
    number = ++used_;
    states_.emplace_back();
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
