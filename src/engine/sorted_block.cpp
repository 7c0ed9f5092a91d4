#include "engine/sorted_block.h"

#include <algorithm>

namespace deadheat::engine {

namespace {

OpClass class_of(const Op& op) {
  const bool narrow = object_kind(op.kind) == ObjectKind::variable && cells(op) == 1;
  const auto kind = narrow && op.kind == EventKind::read    ? OpClass::read
                    : narrow && op.kind == EventKind::write ? OpClass::write
                                                            : OpClass::other;
  return {kind,
          object_kind(op.kind) == ObjectKind::variable ? model::bytes_in_cell(op, 0) : model::ByteMask{0}};
}

// Bits of what is to be done with an event of an operation.
constexpr std::uint8_t kOrders = 1, kAccesses = 2, kWide = 4, kNamesThread = 8;

std::uint8_t duties_of(const Op& op) {
  const ObjectKind object = object_kind(op.kind);
  std::uint8_t duties = 0;
  if (op.kind != EventKind::read && op.kind != EventKind::write) duties |= kOrders;
  if (object == ObjectKind::variable) duties |= kAccesses;
  if (object == ObjectKind::variable && cells(op) > 1) duties |= kWide;
  if (object == ObjectKind::thread) duties |= kNamesThread;
  return duties;
}

}  // namespace

void SortedBlock::sort(const BlockView& block) {
  events = block;
  const std::size_t n = block.size();
  classes.clear();
  atomics = false;
  std::vector<std::uint8_t>& duties = duties_;
  duties.clear();
  for (const Op& op : block.ops) {
    classes.push_back(class_of(op));
    duties.push_back(duties_of(op));
    atomics |= is_atomic(op.kind);
  }
  // Written without a branch, and so one place behind the end.
  order.resize(n + 1);
  for (auto& list : accesses) list.resize(n + 1);
  std::vector<std::size_t>& counts = counts_;
  counts.assign(accesses.size(), 0);
  std::size_t orders = 0;
  std::uint32_t greatest_thread = 0;
  std::uint64_t greatest_variable = 0;
  bool any_variable = false;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t duty = duties[block.op[i]];
    const auto at = static_cast<std::uint16_t>(i);
    greatest_thread = std::max(greatest_thread, block.thread[i]);
    order[orders] = at;
    orders += duty & kOrders;
    const std::uint32_t object = block.object[i];
    if ((duty & (kWide | kNamesThread)) != 0) [[unlikely]] {
      if ((duty & kNamesThread) != 0) {
        greatest_thread = std::max(greatest_thread, object);
      } else {
        const std::uint64_t count = cells(block.ops[block.op[i]]);
        greatest_variable = std::max(greatest_variable, object + count - 1);
        any_variable = true;
        sort_wide(at, object, count);
      }
      continue;
    }
    const bool access = (duty & kAccesses) != 0;
    any_variable |= access;
    greatest_variable = std::max<std::uint64_t>(greatest_variable, access ? object : 0);
    const std::uint32_t shard = sharding.shard(object);
    accesses[shard][counts[shard]] = at;
    counts[shard] += access ? 1 : 0;
  }
  order.resize(orders);
  for (std::size_t s = 0; s < accesses.size(); ++s) accesses[s].resize(counts[s]);
  threads = n == 0 ? 0 : greatest_thread + 1;
  variables = any_variable ? greatest_variable + 1 : 0;
}

void SortedBlock::sort_wide(std::uint16_t at, std::uint32_t object, std::uint64_t count) {
  constexpr std::uint64_t kTogether = 1u << Sharding::kTogetherBits;
  for (std::uint32_t shard = 0; shard < sharding.shards(); ++shard) {
    for (std::uint64_t cell = 0; cell < count;) {
      const std::uint64_t variable = object + cell;
      if (sharding.shard(static_cast<std::uint32_t>(variable)) == shard) {
        accesses[shard][counts_[shard]++] = at;
        break;
      }
      cell += kTogether - variable % kTogether;
    }
  }
}

}  // namespace deadheat::engine
