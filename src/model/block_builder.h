// Gathers events into a block: columns, and the dictionary of distinct operations.
#pragma once

#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "deadheat/event.h"

namespace deadheat::model {

class BlockBuilder {
 public:
  explicit BlockBuilder(std::size_t capacity = kBlockEvents);

  bool full() const { return size_ == capacity_; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // The operation's number in this block; use it for further events of the same block to save the look-up.
  std::uint16_t code(const Op& op) {
    std::uint32_t at = hash(op) & mask_;
    while (slots_[at].stamp == stamp_) {
      if (ops_[slots_[at].code] == op) return slots_[at].code;
      at = (at + 1) & mask_;
    }
    DEADHEAT_DEBUG_ASSERT(ops_.size() < capacity_, "no more operations than events");
    const auto code = static_cast<std::uint16_t>(ops_.size());
    slots_[at] = {stamp_, code};
    ops_.push_back(op);
    if (4 * ops_.size() > mask_) grow();
    return code;
  }
  void append(ThreadId thread, std::uint16_t code, std::uint32_t object) {
    DEADHEAT_DEBUG_ASSERT(size_ < capacity_, "a full block is taken away before more is appended");
    thread_[size_] = index(thread);
    op_[size_] = code;
    object_[size_] = object;
    ++size_;
  }
  void append(const Event& event) { append(event.thread, code(event.op), event.object); }

  // Valid until clear().
  BlockView view(std::uint64_t first) const;
  void clear();

 private:
  static constexpr std::uint32_t kFirstSlots = 1024;
  struct Slot {
    std::uint32_t stamp;  // of the block it was written for: clearing is a new stamp
    std::uint16_t code;
  };

  static std::uint32_t hash(const Op& op) {
    std::uint64_t h =
        (std::uint64_t{index(op.site)} << 32 | std::uint64_t{index(op.stack)}) * 0x9E3779B97F4A7C15u;
    h ^= (op.value << 24 | std::uint64_t{op.offset} << 16 |
          std::uint64_t{static_cast<std::uint8_t>(op.order)} << 8 |
          std::uint64_t{static_cast<std::uint8_t>(op.kind)}) *
         0xC2B2AE3D27D4EB4Fu;
    h *= 0x9FB21C651E98DF25u;
    return static_cast<std::uint32_t>(h >> 32);
  }

  void grow();

  std::size_t capacity_;
  std::size_t size_ = 0;
  std::uint32_t stamp_ = 1;
  std::uint32_t mask_ = kFirstSlots - 1;
  std::vector<Slot> slots_ =
      std::vector<Slot>(kFirstSlots);  // at most a quarter full; small, to stay in the cache
  std::vector<std::uint32_t> thread_, object_;
  std::vector<std::uint16_t> op_;
  std::vector<Op> ops_;
};

}  // namespace deadheat::model
