#include "trace/summarize.h"

#include <algorithm>

namespace deadheat::trace {

void Summarizer::add(const BlockView& block, const Bounds& bounds) {
  summary_.events += block.size();
  summary_.threads = bounds.of(ObjectKind::thread);
  summary_.locks = bounds.of(ObjectKind::lock);
  summary_.variables = bounds.of(ObjectKind::variable);
  summary_.channels = bounds.of(ObjectKind::channel);
  summary_.barriers = bounds.of(ObjectKind::barrier);
  summary_.sites = bounds.sites - 1;
  summary_.stacks = bounds.stacks - 1;
  summary_.per_thread.resize(summary_.threads);
  count_kinds(block);
  count_threads(block);
  follow_locks(block);
}

void Summarizer::count_kinds(const BlockView& block) {
  op_counts_.assign(block.ops.size(), 0);
  for (const std::uint16_t op : block.op) ++op_counts_[op];
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    summary_.by_kind[static_cast<std::size_t>(block.ops[i].kind)] += op_counts_[i];
  }
}

void Summarizer::count_threads(const BlockView& block) {
  for (std::size_t i = 0; i < block.size();) {
    const std::uint32_t t = block.thread[i];
    std::size_t end = i + 1;
    while (end < block.size() && block.thread[end] == t) ++end;
    Summary::Thread& thread = summary_.per_thread[t];
    if (thread.events == 0) thread.first = block.first + i;
    thread.events += end - i;
    thread.last = block.first + end - 1;
    i = end;
  }
}

void Summarizer::follow_locks(const BlockView& block) {
  is_lock_op_.resize(block.ops.size());
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    is_lock_op_[i] = is_of_lock(block.ops[i].kind);
  }
  // Picks out the lock events without a branch that would be mispredicted at every fifth event.
  lock_events_.resize(block.size() + 1);
  std::size_t n = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    lock_events_[n] = static_cast<std::uint32_t>(i);
    n += is_lock_op_[block.op[i]];
  }
  using model::HeldLocks;
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t i = lock_events_[k];
    const EventKind kind = block.ops[block.op[i]].kind;
    const ThreadId t{block.thread[i]};
    const LockId l{block.object[i]};
    const bool shared = kind == EventKind::acquire_shared || kind == EventKind::release_shared;
    const auto mode = shared ? HeldLocks::Mode::shared : HeldLocks::Mode::exclusive;
    if (kind == EventKind::release || kind == EventKind::release_shared) {
      held_.release(t, l, mode);
    } else if (held_.acquire(t, l, mode, block.first + i)) {
      summary_.max_locks_held = std::max(summary_.max_locks_held, static_cast<std::uint32_t>(held_.total()));
      summary_.max_locks_held_by_thread =
          std::max(summary_.max_locks_held_by_thread, static_cast<std::uint32_t>(held_.held(t).size()));
    }
  }
}

}  // namespace deadheat::trace
