#include "witness/happens_before.h"

#include <algorithm>

namespace deadheat::witness {

namespace {
bool acquires(MemoryOrder order) {
  return order != MemoryOrder::relaxed && order != MemoryOrder::release;  // consume as acquire
}
bool releases(MemoryOrder order) {
  return order == MemoryOrder::release || order == MemoryOrder::acq_rel || order == MemoryOrder::seq_cst;
}
}  // namespace

void HappensBefore::join(Past& to, const Past& from) {
  if (from.size() > to.size()) to.resize(from.size());
  for (std::size_t t = 0; t < from.size(); ++t) to[t] = std::max(to[t], from[t]);
}

void HappensBefore::learn(std::uint32_t t, const Past& from) {
  Thread& thread = threads_[t];
  const Past& known = *thread.past;
  bool news = false;
  for (std::size_t u = 0; u < from.size() && !news; ++u) {
    news = u != t && from[u] > (u < known.size() ? known[u] : 0);
  }
  if (!news) return;
  auto more = std::make_shared<Past>(known);
  join(*more, from);
  thread.past = std::move(more);
}

Past HappensBefore::now(std::uint32_t t, std::uint64_t number) const {
  Past out = *threads_.at(t).past;
  if (out.size() <= t) out.resize(std::size_t{t} + 1);
  out[t] = number + 1;
  return out;
}

void HappensBefore::see(std::uint64_t number, const Event& event) {
  const std::uint32_t t = index(event.thread);
  threads_.try_emplace(t);
  switch (event.op.kind) {
    case EventKind::acquire:
    case EventKind::acquire_shared:
    case EventKind::release:
    case EventKind::release_shared:
      return lock(number, event);
    case EventKind::fork:
      threads_.try_emplace(event.object);
      return learn(event.object, now(t, number));
    case EventKind::join: {
      const auto child = threads_.find(event.object);
      if (child == threads_.end()) return;
      Past past = *child->second.past;
      // All that the child did is before this.
      if (past.size() <= event.object) past.resize(std::size_t{event.object} + 1);
      past[event.object] = number;
      return learn(t, past);
    }
    case EventKind::send:
      return join(sent_[event.object], now(t, number));
    case EventKind::recv:
      return learn(t, sent_[event.object]);
    case EventKind::barrier_enter:
      return join(entered_[{event.object, event.op.value}], now(t, number));
    case EventKind::barrier_exit:
      return learn(t, entered_[{event.object, event.op.value}]);
    case EventKind::fence:
      return fence(number, event);
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_rmw:
      return atomic(number, event);
    case EventKind::write:
    case EventKind::alloc:
    case EventKind::free:
      return overwrite(number, event);
    default:
      return;
  }
}

// The outermost alone: what a thread does to a lock that it holds already orders nothing.
void HappensBefore::lock(std::uint64_t number, const Event& event) {
  const std::uint32_t t = index(event.thread);
  const EventKind kind = event.op.kind;
  const bool shared = kind == EventKind::acquire_shared || kind == EventKind::release_shared;
  std::uint32_t& depth = depths_[{event.object, t, shared}];
  Lock& lock = locks_[event.object];
  if (kind == EventKind::acquire || kind == EventKind::acquire_shared) {
    if (depth++ > 0) return;
    learn(t, lock.released);
    if (!shared) learn(t, lock.shared_released);
    return;
  }
  // Where it begins in the midst of a trace, the acquire may not have been seen; a release too many orders
  // only what the lock orders anyway.
  if (depth > 0) --depth;
  if (depth > 0) return;
  join(shared ? lock.shared_released : lock.released, now(t, number));
}

void HappensBefore::fence(std::uint64_t number, const Event& event) {
  const std::uint32_t t = index(event.thread);
  if (acquires(event.op.order)) learn(t, Past(threads_[t].relaxed_reads));
  if (releases(event.op.order)) {
    threads_[t].release_fence = now(t, number);
    threads_[t].fenced = true;
  }
}

// f(cell, first byte in it, end of them)
template <class F>
void HappensBefore::each_cell(const Event& event, F&& f) {
  const std::uint64_t begin =
      std::uint64_t{event.object} * kCellBytes + (event.op.value == 0 ? 0 : event.op.offset);
  const std::uint64_t end = begin + (event.op.value == 0 ? kCellBytes : event.op.value);
  for (std::uint64_t cell = begin / kCellBytes; cell * kCellBytes < end; ++cell) {
    f(cell, std::max(begin, cell * kCellBytes) % kCellBytes,
      std::min(end - cell * kCellBytes, std::uint64_t{kCellBytes}));
  }
}

// What a load finds in a cell is the last that set one of the bytes it reads there.
void HappensBefore::atomic(std::uint64_t number, const Event& event) {
  const std::uint32_t t = index(event.thread);
  Past seen;
  bool any = false;
  if (event.op.kind != EventKind::atomic_store) {
    each_cell(event, [&](std::uint64_t cell, std::uint64_t from, std::uint64_t to) {
      const auto at = atomics_.find(cell);
      if (at == atomics_.end()) return;
      const Set* last = nullptr;
      for (std::uint64_t b = from; b < to; ++b) {
        if (last == nullptr || at->second[b].number > last->number) last = &at->second[b];
      }
      if (last == nullptr || last->message == nullptr) return;
      join(seen, *last->message);
      any = true;
    });
    if (any && acquires(event.op.order)) learn(t, seen);
    if (any) join(threads_[t].relaxed_reads, seen);
  }
  if (event.op.kind == EventKind::atomic_load) return;
  Past message;
  const Thread& thread = threads_[t];
  if (any) message = std::move(seen);  // a read-modify-write goes on with the release sequence it reads from
  if (thread.fenced) join(message, thread.release_fence);
  if (releases(event.op.order)) join(message, now(t, number));
  const Message shared = any || thread.fenced || releases(event.op.order)
                             ? std::make_shared<const Past>(std::move(message))
                             : nullptr;
  each_cell(event, [&](std::uint64_t cell, std::uint64_t from, std::uint64_t to) {
    Cell& sets = atomics_[cell];
    for (std::uint64_t b = from; b < to; ++b) sets[b] = {number + 1, shared};
  });
}

void HappensBefore::overwrite(std::uint64_t number, const Event& event) {
  if (atomics_.empty()) return;
  const std::uint64_t end = event.object + cells(event.op);
  for (auto at = atomics_.lower_bound(event.object); at != atomics_.end() && at->first < end; ++at) {
    const std::uint64_t from = at->first == event.object && event.op.value != 0 ? event.op.offset : 0;
    const std::uint64_t bytes_end =
        event.op.value == 0
            ? kCellBytes
            : std::min<std::uint64_t>(
                  event.op.offset + event.op.value - (at->first - event.object) * kCellBytes, kCellBytes);
    for (std::uint64_t b = from; b < bytes_end; ++b) at->second[b] = {number + 1, nullptr};
  }
}

}  // namespace deadheat::witness
