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

  // The cell of the address, which is in use from now on.
  std::uint32_t cell(std::uint64_t address) {
    const std::uint64_t page = address >> kPageBits;
    if (page != last_page_) [[unlikely]] {
      last_base_ = base(address >> kRegionBits);
      last_page_ = page;
      use(address, 1);
    }
    if (last_base_ == kNone) return kNone;
    return last_base_ + static_cast<std::uint32_t>((address & (kRegionBytes - 1)) / kCellBytes);
  }

  // The same, without use of it.
  std::uint32_t number(std::uint64_t address) {
    const std::uint32_t first = base(address >> kRegionBits);
    if (first == kNone) return kNone;
    return first + static_cast<std::uint32_t>((address & (kRegionBytes - 1)) / kCellBytes);
  }

  // How many of the bytes have ids in a row.
  std::uint64_t in_a_row(std::uint64_t address, std::uint64_t bytes);
  // All is new: the program's memory is that of another one.
  void forget();
  bool is_touched(std::uint64_t address) const;
  bool is_in_use(std::uint64_t address) const;  // anything of its region
  // The bytes are accessed.
  void use(std::uint64_t address, std::uint64_t bytes);

  // What became of a region as a whole, by its pages. That what was not used since it was allocated is
  // allocated again, at the same place, need not be said again and again: programs map and unmap the same
  // memory often.
  static constexpr unsigned kPageBits = 12;
  using Pages = std::uint16_t;  // a bit each
  static constexpr Pages kAll = 0xffff;
  static_assert(kRegionBits - kPageBits == 4);
  // Which pages of the region are to be told that they are gone, or new by `owner` (who allocates, and
  // where). None of them is in use then.
  Pages take_back(std::uint64_t address);
  Pages renew(std::uint64_t address, std::uint32_t owner);

 private:
  struct State {
    std::uint32_t owner = 0;
    Pages in_use = 0;
    Pages gone = kAll;  // since they were allocated
  };

  static constexpr std::size_t kLeaf = std::size_t{1} << 16;
  static constexpr std::uint32_t kMostRegions = (std::uint32_t{1} << 19) - 1;
  using Leaf = std::array<std::uint32_t, kLeaf>;  // number of a region and one; 0: not touched

  std::uint32_t& entry(std::uint64_t region);
  std::uint32_t base(std::uint64_t region);

  std::vector<std::unique_ptr<Leaf>> leaves_ = std::vector<std::unique_ptr<Leaf>>(kLeaf);
  std::uint64_t last_page_ = ~std::uint64_t{0};
  std::uint32_t last_base_ = 0;
  std::uint32_t used_ = 0;
  std::vector<State> states_;  // by number
  Names& names_;
};

}  // namespace deadheat::record
