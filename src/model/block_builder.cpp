#include "model/block_builder.h"

#include <algorithm>
#include <bit>

namespace deadheat::model {

BlockBuilder::BlockBuilder(std::size_t capacity)
    : capacity_(capacity),
      mask_(static_cast<std::uint32_t>(std::bit_ceil(2 * capacity)) - 1),
      slots_(mask_ + std::size_t{1}),
      thread_(capacity),
      object_(capacity),
      op_(capacity) {
  DEADHEAT_ASSERT(capacity > 0 && capacity <= kMaxBlockEvents, "a block holds 1 to kMaxBlockEvents events");
}

BlockView BlockBuilder::view(std::uint64_t first) const {
  return {.first = first,
          .thread = {thread_.data(), size_},
          .op = {op_.data(), size_},
          .object = {object_.data(), size_},
          .ops = ops_};
}

void BlockBuilder::clear() {
  size_ = 0;
  ops_.clear();
  if (++stamp_ == 0) {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    stamp_ = 1;
  }
}

}  // namespace deadheat::model
