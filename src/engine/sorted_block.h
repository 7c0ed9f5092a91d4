// A block of events, sorted by what engines do with them. Made once, for all engines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deadheat/event.h"
#include "model/bytes.h"

namespace deadheat::engine {

// Which variables go to which shard, and where they are in it. Neighbours stay together, so that most wide
// accesses are of one shard. The number of shards is a power of two.
struct Sharding {
  std::uint32_t bits = 0;

  static constexpr std::uint32_t kTogetherBits = 3;
  std::uint32_t shards() const { return std::uint32_t{1} << bits; }
  std::uint32_t shard(std::uint32_t variable) const { return variable >> kTogetherBits & (shards() - 1); }
  // Dense within the shard.
  std::uint32_t place(std::uint32_t variable) const {
    constexpr std::uint32_t kWithin = (1u << kTogetherBits) - 1;
    return variable >> (kTogetherBits + bits) << kTogetherBits | (variable & kWithin);
  }
};

// What the operations of a block have in common with a few others: no switch is needed for most events.
struct OpClass {
  enum Kind : std::uint8_t {
    read,   // plain, within one cell
    write,  // plain, within one cell
    other,
  };
  Kind kind;
  model::ByteMask bytes;  // in the first cell
};

class SortedBlock {
 public:
  explicit SortedBlock(std::uint32_t number = 0, Sharding divided = {})
      : slot(number), sharding(divided), accesses(divided.shards()) {}

  // The view must stay valid as long as this is used.
  void sort(const BlockView& block);

  std::uint32_t slot;  // which of the blocks at work this is
  Sharding sharding;
  BlockView events;
  std::vector<OpClass> classes;                      // by operation
  std::vector<std::uint16_t> order;                  // positions of all events but plain reads and writes
  std::vector<std::vector<std::uint16_t>> accesses;  // by shard: positions of accesses, alloc and free in it
  std::uint32_t threads = 0;    // greater than every thread's id in it, forked ones included
  std::uint64_t variables = 0;  // greater than every variable's id in it
  bool atomics = false;         // there may be atomics in it

 private:
  void sort_wide(std::uint16_t at, std::uint32_t object, std::uint64_t count);

  std::vector<std::uint8_t> duties_;  // by operation
  std::vector<std::size_t> counts_;   // by shard
};

}  // namespace deadheat::engine
