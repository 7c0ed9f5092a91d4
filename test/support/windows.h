// Windows of traces in memory, and the judgement of what is decided of them.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "oracle/memory.h"
#include "oracle/witness.h"
#include "solve/decide.h"
#include "solve/window.h"

namespace deadheat::test {

using oracle::Trace;

inline solve::Window window_from(Trace trace, std::size_t first, std::size_t end) {
  model::HeldLocks held;
  std::set<ThreadId> threads;
  for (std::size_t i = 0; i < first; ++i) {
    const Event& e = trace[i];
    threads.insert(e.thread);
    if (!is_of_lock(e.op.kind)) continue;
    const auto mode =
        solve::is_shared(e.op.kind) ? model::HeldLocks::Mode::shared : model::HeldLocks::Mode::exclusive;
    if (solve::is_acquire(e.op.kind)) {
      held.acquire(e.thread, LockId{e.object}, mode, i);
    } else {
      held.release(e.thread, LockId{e.object}, mode);
    }
  }
  solve::Window window{first, trace.subspan(first, end - first), {}};
  for (const ThreadId t : threads) {
    for (const auto& h : held.held(t)) window.held.push_back({t, h.lock, h.mode, h.depth});
  }
  return window;
}

// Whether the order of an answer, behind all that is before the window, does what was asked for.
inline bool is_right(Trace trace, const solve::Question& q, const solve::Answer& answer, std::size_t first) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < first; ++i) order.push_back(i);
  order.insert(order.end(), answer.order.begin(), answer.order.end());
  const oracle::WitnessChecker judge(trace);
  if (!judge.check(order, q.earlier, q.later).ok()) return false;
  if (q.notion == solve::Notion::co_enabled) return true;
  order.push_back(q.earlier);
  order.push_back(q.later);
  return judge.check(order).ok();
}

}  // namespace deadheat::test
