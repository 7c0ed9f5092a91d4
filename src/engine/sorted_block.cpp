#include "engine/sorted_block.h"

#include <algorithm>
#include <bit>

#include "base/clones.h"

namespace deadheat::engine {

namespace {

DEADHEAT_CLONES
std::uint32_t greatest_of(const std::uint32_t* values, std::size_t n) {
  std::uint32_t greatest = 0;
  for (std::size_t i = 0; i < n; ++i) greatest = values[i] > greatest ? values[i] : greatest;
  return greatest;
}

OpClass class_of(const Op& op, bool wide) {
  const auto kind = !wide && op.kind == EventKind::read    ? OpClass::read
                    : !wide && op.kind == EventKind::write ? OpClass::write
                                                           : OpClass::other;
  const bool variable = is_of_memory(op.kind);
  return {op.site, kind, op.kind, variable ? model::bytes_in_cell(op, 0) : model::ByteMask{0}};
}

// Bits of what is to be done with an event of an operation.
constexpr std::uint8_t kOrders = 1, kAccesses = 2, kWide = 4, kNamesThread = 8, kAtomic = 16;

std::uint8_t duties_of(const Op& op) {
  std::uint8_t duties = 0;
  if (op.kind != EventKind::read && op.kind != EventKind::write) duties |= kOrders;
  if (is_of_memory(op.kind)) duties |= kAccesses;
  if (is_of_memory(op.kind) && cells(op) > 1) duties |= kWide;
  if (is_of_thread(op.kind)) duties |= kNamesThread;
  if (is_atomic(op.kind)) duties |= kAtomic;
  return duties;
}

}  // namespace

void EventSet::fill(std::size_t n) {
  clear(n);
  std::fill_n(words_.begin(), n / 64, ~std::uint64_t{0});
  if (n % 64 != 0) words_[n / 64] = (std::uint64_t{1} << (n % 64)) - 1;
}

void EventSet::clear(std::size_t n) {
  size_ = n;
  words_.assign((n + 63) / 64, 0);
}

std::size_t EventSet::count() const {
  std::size_t sum = 0;
  for (const std::uint64_t word : words_) sum += static_cast<std::size_t>(std::popcount(word));
  return sum;
}

void SortedBlock::sort(const BlockView& block) {
  events = block;
  inner_.clear();
  filtered_ = false;
  classes.resize(block.ops.size());
  duties_.resize(block.ops.size());
  std::uint8_t any = 0;
  std::uint64_t widest = 1;
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    const Op& op = block.ops[i];
    const std::uint8_t duties = duties_of(op);
    classes[i] = class_of(op, (duties & kWide) != 0);
    duties_[i] = duties;
    any |= duties;
    if ((duties & kWide) != 0) widest = std::max(widest, cells(op));
  }
  atomics = (any & kAtomic) != 0;
  // Written without a branch, and so one place behind the end.
  const std::size_t n = block.size();
  if (order_.size() < n + 1) order_.resize(n + 1);
  ends_.clear();
  for (auto& list : accesses_) {
    if (list.size() < n + kSlack) list.resize(n + kSlack);
    ends_.push_back(list.data());
  }
  const bool wide = (any & kWide) != 0;
  const std::uint16_t* const order_end = accesses_.size() == 1            ? split_unsharded(block)
                                         : accesses_.size() == 2 && !wide ? split_in_two(block)
                                                                          : split(block);
  order_count_ = static_cast<std::size_t>(order_end - order_.data());
  for (std::size_t s = 0; s < accesses_.size(); ++s) {
    counts_[s] = static_cast<std::size_t>(ends_[s] - accesses_[s].data());
    std::fill_n(ends_[s], kSlack, Position{});
  }
  const auto actors = block.actors.empty() ? block.thread : block.actors;
  std::uint32_t greatest = greatest_of(actors.data(), actors.size());
  if ((any & kNamesThread) != 0) {
    for (const std::uint16_t i : order()) {
      if ((duties_[block.op[i]] & kNamesThread) != 0) greatest = std::max(greatest, block.object[i]);
    }
  }
  threads = n == 0 ? 0 : greatest + 1;
  // Of all objects, whatever they are: cheaper than to ask, and ids of other kinds are small.
  variables = greatest_of(block.object.data(), n) + widest;
}

void SortedBlock::leave_out(std::span<const std::uint32_t> inner) {
  inner_.assign(inner.begin(), inner.end());
  if (inner.empty()) return;
  const auto end = std::remove_if(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(order_count_),
                                  [this](std::uint16_t i) { return is_inner(i); });
  order_count_ = static_cast<std::size_t>(end - order_.begin());
}

void SortedBlock::check_only(const EventSet& kept) {
  kept_ = kept;
  filtered_ = true;
  for (std::size_t s = 0; s < accesses_.size(); ++s) {
    Position* const first = accesses_[s].data();
    Position* end = first;
    for (std::size_t k = 0; k < counts_[s]; ++k) {
      *end = first[k];
      end += kept_.has(first[k].event) ? 1 : 0;
    }
    counts_[s] = static_cast<std::size_t>(end - first);
    std::fill_n(end, kSlack, Position{});
  }
}

void SortedBlock::check_picked(std::span<const std::uint32_t> picked) {
  kept_.clear(events.size());
  filtered_ = true;
  Position* const first = accesses_[0].data();
  for (std::size_t k = 0; k < picked.size(); ++k) {
    first[k] = first[picked[k]];
    kept_.add(first[k].event);
  }
  counts_[0] = picked.size();
  std::fill_n(first + picked.size(), kSlack, Position{});
}

// The same as split() where there is one shard.
const std::uint16_t* SortedBlock::split_unsharded(const BlockView& block) {
  const std::uint16_t* const ops = block.op.data();
  const std::uint32_t* const objects = block.object.data();
  const std::uint8_t* const duties = duties_.data();
  Position* end = ends_[0];
  std::uint16_t* order_end = order_.data();
  const std::size_t n = block.size();
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned duty = duties[ops[i]];
    const auto at = static_cast<std::uint16_t>(i);
    *order_end = at;
    order_end += duty & kOrders;
    // In one store.
    *end = std::bit_cast<Position>(objects[i] | std::uint64_t{at} << 32 | std::uint64_t{ops[i]} << 48);
    end += duty / kAccesses & 1;
  }
  ends_[0] = end;
  return order_end;
}

// The same where there are two shards and nothing wide: written to both lists, of which one grows.
const std::uint16_t* SortedBlock::split_in_two(const BlockView& block) {
  const std::uint16_t* const ops = block.op.data();
  const std::uint32_t* const objects = block.object.data();
  const std::uint8_t* const duties = duties_.data();
  Position *first = ends_[0], *second = ends_[1];
  std::uint16_t* order_end = order_.data();
  const Sharding sharded{1};
  const std::size_t n = block.size();
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned duty = duties[ops[i]];
    const auto at = static_cast<std::uint16_t>(i);
    *order_end = at;
    order_end += duty & kOrders;
    const auto position = std::bit_cast<Position>(sharded.place(objects[i]) | std::uint64_t{at} << 32 |
                                                  std::uint64_t{ops[i]} << 48);
    const unsigned access = duty / kAccesses & 1, shard = sharded.shard(objects[i]);
    *first = position;
    first += access & ~shard;
    *second = position;
    second += access & shard;
  }
  ends_[0] = first;
  ends_[1] = second;
  return order_end;
}

const std::uint16_t* SortedBlock::split(const BlockView& block) {
  const std::uint8_t* const duties = duties_.data();
  Position** const ends = ends_.data();
  std::uint16_t* order_end = order_.data();
  const Sharding sharded = sharding;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const unsigned duty = duties[block.op[i]];
    const auto at = static_cast<std::uint16_t>(i);
    *order_end = at;
    order_end += duty & kOrders;
    const std::uint32_t object = block.object[i];
    if ((duty & kWide) != 0) [[unlikely]] {
      split_wide(at, object, cells(block.ops[block.op[i]]));
      continue;
    }
    Position*& end = ends[sharded.shard(object)];
    *end = {sharded.place(object), at, block.op[i]};
    end += duty / kAccesses & 1;
  }
  return order_end;
}

void SortedBlock::split_wide(std::uint16_t at, std::uint32_t object, std::uint64_t count) {
  constexpr std::uint64_t kTogether = 1u << Sharding::kTogetherBits;
  for (std::uint32_t shard = 0; shard < sharding.shards(); ++shard) {
    // So many cells at most until each shard has had its turn.
    const std::uint64_t looked_at = std::min(count, kTogether * sharding.shards());
    for (std::uint64_t cell = 0; cell < looked_at;) {
      const std::uint64_t variable = object + cell;
      if (sharding.shard(static_cast<std::uint32_t>(variable)) == shard) {
        *ends_[shard]++ = {sharding.place(object), at, events.op[at]};
        break;
      }
      cell += kTogether - variable % kTogether;
    }
  }
}

}  // namespace deadheat::engine
