// Memory as variables: every 8 bytes of the program are a cell with an id.
//
// Ids are given by the region of 64 KiB, when it is first touched, so that only regions have to be looked up.
// Neighbours that come in order have ids in order; others have not, and an access that runs over from one to
// the next is two events.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "deadheat/names.h"

namespace deadheat::record {

class Cells {
 public:
  static constexpr unsigned kRegionBits = 16;
  static constexpr std::uint64_t kRegionBytes = std::uint64_t{1} << kRegionBits;
  static constexpr std::uint32_t kRegionCells = kRegionBytes / kCellBytes;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};  // ids ran out

  explicit Cells(Names& names) : names_(names) {}  // told of every region

  // The cell of the address.
  std::uint32_t cell(std::uint64_t address) {
    const std::uint64_t region = address >> kRegionBits;
    if (region != last_region_) [[unlikely]] {
      last_base_ = base(region);
      last_region_ = region;
    }
    if (last_base_ == kNone) return kNone;
    return last_base_ + static_cast<std::uint32_t>((address & (kRegionBytes - 1)) / kCellBytes);
  }

  // How many of the bytes have ids in a row.
  std::uint64_t in_a_row(std::uint64_t address, std::uint64_t bytes);
  // All is new: the program's memory is that of another one.
  void forget();
  bool is_touched(std::uint64_t address) const;

 private:
  static constexpr std::size_t kLeaf = std::size_t{1} << 16;
  static constexpr std::uint32_t kMostRegions = (std::uint32_t{1} << 19) - 1;
  using Leaf = std::array<std::uint32_t, kLeaf>;  // number of a region and one; 0: not touched

  std::uint32_t& entry(std::uint64_t region);
  std::uint32_t base(std::uint64_t region);

  std::vector<std::unique_ptr<Leaf>> leaves_ = std::vector<std::unique_ptr<Leaf>>(kLeaf);
  std::uint64_t last_region_ = ~std::uint64_t{0};
  std::uint32_t last_base_ = 0;
  std::uint32_t used_ = 0;
  Names& names_;
};

}  // namespace deadheat::record
