#include "engine/syncp.h"

#include <algorithm>

#include "engine/dispatch.h"

namespace deadheat::engine {

using order::Ideal;

bool SyncPreserving::begin_block(std::uint32_t slot, std::uint32_t threads) {
  const bool wider = order_.begin_block(slot, threads);
  return reserve_threads(threads) || wider;
}

bool SyncPreserving::reserve_threads(std::uint32_t threads) {
  if (last_.size() < threads) {
    last_.resize(threads);
    closed_.resize(threads);
  }
  return order_.reserve_threads(threads);
}

void SyncPreserving::fork(ThreadId t, ThreadId u, clock::Time time) {
  order_.fork(t, u, time);
  last_[index(t)] = time;
}

void SyncPreserving::join(ThreadId t, ThreadId u, clock::Time time) {
  order_.join(t, u, time);
  last_[index(t)] = time;
}

void SyncPreserving::join_ended(ThreadId t, const Message& ended, clock::Time time) {
  order_.join_ended(t, ended, time);
  last_[index(t)] = time;
}

void SyncPreserving::synchronise(ThreadId t, const Op& op, std::uint32_t object, clock::Time time) {
  dispatch(order_, t, op, object, time);
  const LockId l{object};
  const bool is_shared = op.kind == EventKind::acquire_shared || op.kind == EventKind::release_shared;
  const auto mode = is_shared ? Sections::shared : Sections::exclusive;
  if (op.kind == EventKind::acquire || op.kind == EventKind::acquire_shared) {
    sections_.acquire(t, l, mode, time);
  } else if (op.kind == EventKind::release || op.kind == EventKind::release_shared) {
    sections_.release(t, l, mode, time, order_.knows(t, time));
  }
  last_[index(t)] = time;
}

void SyncPreserving::access(ThreadId t, const Op& op, VarId x, clock::Time time) {
  dispatch(order_, t, op, index(x), time);
  order_.accessed(t, x, op, time);
  last_[index(t)] = time;
}

Verdict SyncPreserving::can_meet(const Message& before, clock::Time time, Later& later) {
  const ThreadId t = before.last.thread();
  if (later.before.covers(later.thread, {t, time})) return Verdict::never;
  const auto known = [](Ideal& set, const Message& message) { order::join(set, message); };
  Ideal& closed = closed_[index(later.thread)];
  if (!later.closed) {
    closed.resize(last_.size());
    for (std::size_t u = 0; u < closed.size(); ++u) closed[u] = std::max(closed[u], later.before.times[u]);
    closed[index(later.thread)] = last_[index(later.thread)];
    // Nothing later than the access is in it: there is no reason to stop.
    sections_.close(closed, later.thread, later.time, known);
    later.closed = true;
  }
  // Once in the closure, an access stays there for all that the thread does from now on.
  if (closed[index(t)] >= time) return Verdict::never;
  set_ = closed;
  order::join(set_, before);
  ++closures_;
  return set_[index(t)] < time && sections_.close(set_, t, time, known) ? Verdict::meets : Verdict::never;
}

Result<std::unique_ptr<Engine>> make_syncp(const Settings& settings, Shape shape) {
  PairLimits limits;
  if (settings.get("limit") != "unlimited") {
    const auto told = settings.number("limit", 1, UINT64_MAX);
    if (!told) return fail(told.error());
    limits.told = *told;
  }
  return std::make_unique<SyncP>(limits, shape);
}

}  // namespace deadheat::engine
