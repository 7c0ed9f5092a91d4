// A block of events, sorted by what engines do with them. Made once, for all engines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deadheat/event.h"

namespace deadheat::engine {

// Bytes of a cell, one bit each.
using ByteMask = std::uint8_t;

// The bytes that an access to its variable, and to those behind, has in the cell of number `cell` from there.
constexpr ByteMask bytes_in_cell(const Op& op, std::uint64_t cell) {
  if (op.value == 0) return 0xFF;  // not known: all of it
  const std::uint64_t begin = cell == 0 ? op.offset : 0;
  const std::uint64_t left = op.offset + op.value - cell * kCellBytes;
  const std::uint64_t end = left < kCellBytes ? left : kCellBytes;
  return static_cast<ByteMask>(((1u << end) - 1) & ~((1u << begin) - 1));
}

// Which variables go to which shard. Neighbours stay together, so that most wide accesses are of one shard.
inline constexpr std::uint32_t kTogether = 8;
constexpr std::uint32_t shard_of(std::uint32_t variable, std::uint32_t shards) {
  const std::uint64_t spread =
      (variable / kTogether) * std::uint64_t{0x9E3779B97F4A7C15u} >> 32 & 0xFFFFFFFFu;
  return static_cast<std::uint32_t>(spread * shards >> 32);
}

// What the operations of a block have in common with a few others: no switch is needed for most events.
struct OpClass {
  enum Kind : std::uint8_t {
    read,   // plain, within one cell
    write,  // plain, within one cell
    other,
  };
  Kind kind;
  ByteMask bytes;  // in the first cell
};

class SortedBlock {
 public:
  explicit SortedBlock(std::uint32_t number = 0, std::uint32_t shards = 1) : slot(number), accesses(shards) {}

  // The view must stay valid as long as this is used.
  void sort(const BlockView& block);

  std::uint32_t shards() const { return static_cast<std::uint32_t>(accesses.size()); }

  std::uint32_t slot;  // which of the blocks at work this is
  BlockView events;
  std::vector<OpClass> classes;                      // by operation
  std::vector<std::uint16_t> order;                  // positions of all events but plain reads and writes
  std::vector<std::vector<std::uint16_t>> accesses;  // by shard: positions of accesses, alloc and free in it
  std::uint32_t threads = 0;    // greater than every thread's id in it, forked ones included
  std::uint64_t variables = 0;  // greater than every variable's id in it

 private:
  void sort_wide(std::uint16_t at, std::uint32_t object, std::uint64_t count);

  std::vector<std::uint8_t> duties_;  // by operation
  std::vector<std::size_t> counts_;   // by shard
};

}  // namespace deadheat::engine
