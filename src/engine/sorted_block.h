// A block of events, sorted by what engines do with them. Made once, for all engines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "deadheat/event.h"
#include "model/bytes.h"
#include "model/stretches.h"

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
  // The variable at a place of a shard.
  std::uint64_t variable(std::uint32_t shard, std::uint64_t place) const {
    constexpr std::uint64_t kWithin = (1u << kTogetherBits) - 1;
    return ((place >> kTogetherBits << bits | shard) << kTogetherBits) | (place & kWithin);
  }
  // How many places of the shard are of ids below this.
  std::uint64_t places_before(std::uint32_t shard, std::uint64_t variable) const {
    const std::uint64_t line = variable >> kTogetherBits, among = line & (shards() - 1);
    return (((line >> bits) + (among > shard ? 1 : 0)) << kTogetherBits) +
           (among == shard ? variable - (line << kTogetherBits) : 0);
  }
  // The bytes of the shard that an alloc or free of this variable, and of those behind, touches.
  model::Stretch stretch(std::uint32_t shard, std::uint32_t variable, const Op& op) const {
    const bool all = op.value == 0;  // of one cell
    const std::uint64_t begin = std::uint64_t{variable} * kCellBytes + (all ? 0 : op.offset);
    return {bytes_before(shard, begin), bytes_before(shard, begin + (all ? kCellBytes : op.value))};
  }
  // How many places there are for ids below this.
  std::uint64_t places(std::uint64_t variables) const { return (variables >> bits) + (1u << kTogetherBits); }

 private:
  std::uint64_t bytes_before(std::uint32_t shard, std::uint64_t byte) const {
    const std::uint64_t variable = byte / kCellBytes;
    const bool own = (variable >> kTogetherBits & (shards() - 1)) == shard;
    return places_before(shard, variable) * kCellBytes + (own ? byte % kCellBytes : 0);
  }
};

// What most needs to be known of an operation, in a word: no switch is needed for most events.
struct OpClass {
  enum Kind : std::uint8_t {
    read,   // plain, within one cell
    write,  // plain, within one cell
    other,
  };
  SiteId site;
  Kind kind;
  EventKind event;
  model::ByteMask bytes;  // in the first cell
};
static_assert(sizeof(OpClass) == 8);

// An access, alloc or free, for the checks of its shard.
struct Position {
  std::uint32_t place = 0;  // of its first cell
  std::uint16_t event = 0;  // in the block
  std::uint16_t code = 0;   // of its operation
};

// A set of events of a block.
class EventSet {
 public:
  // All of a block of n events.
  void fill(std::size_t n);
  void clear(std::size_t n);  // none of them
  std::size_t size() const { return size_; }
  bool has(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void add(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void remove(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  std::size_t count() const;
  std::span<std::uint64_t> words() { return {words_.data(), (size_ + 63) / 64}; }
  std::span<const std::uint64_t> words() const { return {words_.data(), (size_ + 63) / 64}; }

 private:
  std::vector<std::uint64_t> words_;  // only grows; bits behind the end are zero
  std::size_t size_ = 0;
};

class SortedBlock {
 public:
  explicit SortedBlock(std::uint32_t number = 0, Sharding divided = {})
      : slot(number), sharding(divided), accesses_(divided.shards()), counts_(divided.shards()) {}

  static constexpr std::size_t kSlack =
      16;  // so that what is to come can be looked at without asking for the end

  // Acquires of a lock that the thread holds already, and their releases: to be told by who knows, in order.
  // They order nothing.
  void leave_out(std::span<const std::uint32_t> inner);
  bool is_inner(std::uint32_t event) const {
    return !inner_.empty() && std::binary_search(inner_.begin(), inner_.end(), event);
  }

  // Filters: only accesses, allocs and frees of these events are to be checked. What the others order still
  // counts.
  void check_only(const EventSet& kept);
  // The same by numbers in accesses(0), of a block with one shard.
  void check_picked(std::span<const std::uint32_t> picked);
  bool is_filtered() const { return filtered_; }
  bool is_checked(std::uint32_t event) const { return !filtered_ || kept_.has(event); }
  // Of a block that is filtered.
  const EventSet& kept() const { return kept_; }

  // Positions of all events but plain reads and writes, and what was left out.
  std::span<const std::uint16_t> order() const { return {order_.data(), order_count_}; }
  // Accesses, allocs and frees with a cell in the shard. kSlack more, of no meaning, can be read behind them.
  std::span<const Position> accesses(std::uint32_t shard) const {
    return {accesses_[shard].data(), counts_[shard]};
  }

  // The view must stay valid as long as this is used.
  void sort(const BlockView& block);

  std::uint32_t slot;  // which of the blocks at work this is
  Sharding sharding;
  BlockView events;
  std::vector<OpClass> classes;  // by operation
  std::uint32_t threads = 0;     // greater than every thread's id in it, forked ones included
  std::uint64_t variables = 0;   // greater than every variable's id in it
  bool atomics = false;          // there may be atomics in it

 private:
  const std::uint16_t* split(const BlockView& block);
  const std::uint16_t* split_unsharded(const BlockView& block);
  const std::uint16_t* split_in_two(const BlockView& block);
  void split_wide(std::uint16_t at, std::uint32_t object, std::uint64_t count);

  std::vector<std::uint16_t> order_;             // these only grow: there may be more than counts below tell
  std::vector<std::vector<Position>> accesses_;  // by shard
  std::size_t order_count_ = 0;
  std::vector<std::size_t> counts_;
  std::vector<std::uint32_t> inner_;
  EventSet kept_;
  bool filtered_ = false;
  std::vector<std::uint8_t> duties_;  // by operation
  std::vector<Position*> ends_;       // of the lists of accesses, as they grow
};

}  // namespace deadheat::engine
