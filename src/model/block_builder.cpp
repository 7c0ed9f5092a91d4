#include "model/block_builder.h"

#include <algorithm>

namespace deadheat::model {

BlockBuilder::BlockBuilder(std::size_t capacity)
    : capacity_(capacity), thread_(capacity), object_(capacity), op_(capacity) {
  DEADHEAT_ASSERT(capacity > 0 && capacity <= kMaxBlockEvents, "a block holds 1 to kMaxBlockEvents events");
}

BlockView BlockBuilder::view(std::uint64_t first) const {
  return {.first = first,
          .thread = {thread_.data(), size_},
          .op = {op_.data(), size_},
          .object = {object_.data(), size_},
          .ops = ops_};
}

void BlockBuilder::grow() {
  mask_ = 2 * mask_ + 1;
  slots_.assign(mask_ + std::size_t{1}, Slot{});
  for (std::size_t code = 0; code < ops_.size(); ++code) {
    std::uint32_t at = hash(ops_[code]) & mask_;
    while (slots_[at].stamp == stamp_) at = (at + 1) & mask_;
    slots_[at] = {stamp_, static_cast<std::uint16_t>(code)};
  }
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
