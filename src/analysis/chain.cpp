#include "analysis/chain.h"

#include <algorithm>

#include "model/bytes.h"

namespace deadheat::analysis {

namespace {

bool releases(MemoryOrder order) {
  return order == MemoryOrder::release || order == MemoryOrder::acq_rel || order == MemoryOrder::seq_cst;
}
bool acquires(MemoryOrder order) {
  return order == MemoryOrder::acquire || order == MemoryOrder::consume || order == MemoryOrder::acq_rel ||
         order == MemoryOrder::seq_cst;
}

}  // namespace

void Chain::see(const model::NumberedEvent& e) {
  if (e.number < from_ || e.number > to_) return;
  const ThreadId t = e.event.thread;
  if (e.number == from_) reached_.emplace(index(t), Reached{});
  const auto fork = forks_.find(index(t));
  if (fork != forks_.end() && !is_reached(t)) reach(t, fork->second, fork->second.signal);
  if (!is_reached(t)) wait(e);
  if (e.number == to_ && is_reached(t)) finish(t);
  signal(e);
}

void Chain::reach(ThreadId t, const Left& left, const model::NumberedEvent& by) {
  reached_.emplace(index(t), Reached{Link{left.signal, by}, left.signal.event.thread});
}

// What an unreached thread does may reach it.
void Chain::wait(const model::NumberedEvent& e) {
  const ThreadId t = e.event.thread;
  const std::uint32_t object = e.event.object;
  const auto try_one = [&](const auto& left, const auto& key) {
    const auto at = left.find(key);
    if (at != left.end() && !is_reached(t)) reach(t, at->second, e);
  };
  switch (e.event.op.kind) {
    case EventKind::acquire:
      try_one(locks_, object);
      return try_one(reader_locks_, object);
    case EventKind::acquire_shared:
      return try_one(locks_, object);
    case EventKind::join: {
      // All that the joined thread did.
      const auto child = reached_.find(object);
      if (child == reached_.end()) return try_one(forks_, object);
      return reach(t, {{e.number, {ThreadId{object}, {.kind = EventKind::end}, 0}}}, e);
    }
    case EventKind::recv:
      return try_one(sends_, object);
    case EventKind::barrier_exit:
      return try_one(enters_, std::pair(object, e.event.op.value));
    case EventKind::atomic_load:
    case EventKind::atomic_rmw: {
      const auto found = read(e.event);
      if (found && acquires(e.event.op.order)) return reach(t, *found, e);
      if (found) read_.try_emplace(index(t), *found);
      return read_value(e);
    }
    case EventKind::read:
      return read_value(e);
    case EventKind::fence:
      if (acquires(e.event.op.order)) try_one(read_, index(t));
      return;
    default:
      return;
  }
}

// What a reached thread does may be waited for.
void Chain::signal(const model::NumberedEvent& e) {
  const std::uint32_t object = e.event.object;
  const Op& op = e.event.op;
  if (is_of_memory(op.kind)) return write(e);
  const bool reached = is_reached(e.event.thread);
  if (!reached) return;
  switch (op.kind) {
    case EventKind::release:
      locks_.insert_or_assign(object, Left{e});
      break;
    case EventKind::release_shared:
      reader_locks_.insert_or_assign(object, Left{e});
      break;
    case EventKind::fork:
      forks_.try_emplace(object, Left{e});
      break;
    case EventKind::send:
      sends_.try_emplace(object, Left{e});
      break;
    case EventKind::barrier_enter:
      enters_.try_emplace({object, op.value}, Left{e});
      break;
    case EventKind::fence:
      if (releases(op.order)) fences_.try_emplace(index(e.event.thread), Left{e});
      break;
    default:
      break;
  }
}

// Each byte that is read has its own write.
void Chain::read_value(const model::NumberedEvent& e) {
  if (follow_ != Follow::values || e.number == to_) return;
  std::optional<Left> found;
  model::ByteRange{VarId{e.event.object}, e.event.op}.each_cell(
      [&](std::uint32_t cell, model::ByteMask bytes) {
        const auto at = values_.find(cell);
        if (at == values_.end()) return;
        for (unsigned i = 0; i < kCellBytes && !found; ++i) {
          if ((bytes >> i & 1) != 0) found = at->second[i].left;
        }
      });
  if (found) reach(e.event.thread, *found, e);
}

// In each cell the last write of a byte that is read counts.
std::optional<Chain::Left> Chain::read(const Event& e) const {
  std::optional<Left> found;
  model::ByteRange{VarId{e.object}, e.op}.each_cell([&](std::uint32_t cell, model::ByteMask bytes) {
    const auto at = atomics_.find(cell);
    if (at == atomics_.end()) return;
    const Written* last = nullptr;
    for (unsigned i = 0; i < kCellBytes; ++i) {
      const Written& byte = at->second[i];
      if ((bytes >> i & 1) != 0 && byte.event != 0 && (last == nullptr || byte.event > last->event))
        last = &byte;
    }
    if (last != nullptr && last->left && !found) found = last->left;
  });
  return found;
}

// A write that releases, or that a fence which releases comes before, heads a release sequence; updates go on
// with it; all other writes end it.
void Chain::write(const model::NumberedEvent& e) {
  const Op& op = e.event.op;
  if (op.kind == EventKind::read || op.kind == EventKind::atomic_load) return;
  std::optional<Left> left;
  if (is_atomic(op.kind) && is_reached(e.event.thread)) {
    const auto fence = fences_.find(index(e.event.thread));
    if (releases(op.order))
      left = Left{e};
    else if (fence != fences_.end())
      left = fence->second;
  }
  if (op.kind == EventKind::atomic_rmw && !left) left = read(e.event);
  leave(atomics_, e, left);
  if (follow_ != Follow::values) return;
  // Memory that is new, or no more, has no values.
  const bool is_value = is_reached(e.event.thread) && !is_allocation(op.kind);
  leave(values_, e, is_value ? std::optional(Left{e}) : std::nullopt);
}

void Chain::leave(Memory& memory, const model::NumberedEvent& e, const std::optional<Left>& left) {
  model::ByteRange{VarId{e.event.object}, e.event.op}.each_cell(
      [&](std::uint32_t cell, model::ByteMask bytes) {
        if (!left && !memory.contains(cell)) return;
        auto& written = memory[cell];
        for (unsigned i = 0; i < kCellBytes; ++i) {
          if ((bytes >> i & 1) != 0) written[i] = {e.number + 1, left};
        }
      });
}

void Chain::finish(ThreadId t) {
  ordered_ = true;
  for (auto at = reached_.find(index(t)); at != reached_.end() && at->second.last;
       at = reached_.find(index(at->second.before))) {
    links_.push_back(*at->second.last);
  }
  std::ranges::reverse(links_);
}

}  // namespace deadheat::analysis
