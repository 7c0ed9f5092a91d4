#include "analysis/statistics.h"

#include <algorithm>
#include <bit>

namespace deadheat::analysis {

using model::HeldLocks;

void Statistics::feed(const BlockView& block) {
  if (block.size() == 0) return;
  sort_out(block);
  count_ops(block);
  count_runs(block);
  count_accesses(block);
  count_locks(block);
  summary_.events += block.size();
}

// Where events of each sort are, without a branch that would be mispredicted whenever the sort changes.
void Statistics::sort_out(const BlockView& block) {
  const std::size_t size = block.size();
  sort_.resize(block.ops.size());
  writes_.resize(block.ops.size());
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    const EventKind kind = block.ops[i].kind;
    sort_[i] = is_access(kind) ? Sort::access : is_of_lock(kind) ? Sort::lock : Sort::other;
    writes_[i] = is_access(kind) && kind != EventKind::read && kind != EventKind::atomic_load;
  }
  if (access_at_.size() < size + 1) {
    access_at_.resize(size + 1);
    lock_at_.resize(size + 1);
    run_at_.resize(size + 2);
  }
  op_counts_.assign(block.ops.size(), 0);
  op_most_.assign(block.ops.size(), 0);
  std::size_t accesses = 0, locks = 0, runs = 0;
  std::uint32_t previous = ~block.thread[0];
  for (std::size_t i = 0; i < size; ++i) {
    const auto at = static_cast<std::uint32_t>(i);
    const std::uint16_t op = block.op[i];
    const Sort sort = sort_[op];
    access_at_[accesses] = at;
    accesses += sort == Sort::access;
    lock_at_[locks] = at;
    locks += sort == Sort::lock;
    run_at_[runs] = at;
    runs += block.thread[i] != previous;
    previous = block.thread[i];
    ++op_counts_[op];
    op_most_[op] = std::max(op_most_[op], block.object[i]);
  }
  run_at_[runs] = static_cast<std::uint32_t>(size);
  accesses_ = accesses;
  lock_events_ = locks;
  block_runs_ = runs;
}

void Statistics::count_ops(const BlockView& block) {
  const auto raise = [](std::uint32_t& bound, std::uint64_t last) {
    bound = std::max(bound, static_cast<std::uint32_t>(std::min<std::uint64_t>(last + 1, UINT32_MAX)));
  };
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    if (op_counts_[i] == 0) continue;
    const Op& op = block.ops[i];
    summary_.by_kind[static_cast<std::size_t>(op.kind)] += op_counts_[i];
    site_events_[index(op.site)] += op_counts_[i];
    summary_.sites = std::max(summary_.sites, index(op.site));
    summary_.stacks = std::max(summary_.stacks, index(op.stack));
    switch (object_kind(op.kind)) {
      case ObjectKind::variable:
        raise(summary_.variables, op_most_[i] + cells(op) - 1);
        break;
      case ObjectKind::lock:
        raise(summary_.locks, op_most_[i]);
        break;
      case ObjectKind::thread:
        raise(summary_.threads, op_most_[i]);
        break;
      case ObjectKind::channel:
        raise(summary_.channels, op_most_[i]);
        break;
      case ObjectKind::barrier:
        raise(summary_.barriers, op_most_[i]);
        break;
      case ObjectKind::none:
        break;
    }
  }
}

void Statistics::count_runs(const BlockView& block) {
  for (std::size_t k = 0; k < block_runs_; ++k) {
    const std::uint32_t t = block.thread[run_at_[k]];
    const std::uint64_t length = run_at_[k + 1] - run_at_[k];
    if (t != run_thread_) {
      ++runs_;
      run_ = 0;
      run_thread_ = t;
    }
    run_ += length;
    longest_run_ = std::max(longest_run_, run_);
    summary_.threads = std::max(summary_.threads, t + 1);
    if (t >= summary_.per_thread.size()) summary_.per_thread.resize(std::size_t{t} + 1);
    Summary::Thread& thread = summary_.per_thread[t];
    if (thread.events == 0) thread.first = block.first + run_at_[k];
    thread.events += length;
    thread.last = block.first + run_at_[k + 1] - 1;
  }
  summary_.per_thread.resize(summary_.threads);
}

// The state of an access is fetched while those before it are worked on: with many variables the pass waits
// for memory otherwise.
void Statistics::count_accesses(const BlockView& block) {
  constexpr std::size_t kAhead = 16;
  Variable* ahead[kAhead];
  const auto fetch = [&](std::size_t k) {
    ahead[k % kAhead] = &variables_[block.object[access_at_[k]]];
    __builtin_prefetch(ahead[k % kAhead], 1);
  };
  for (std::size_t k = 0; k < std::min(kAhead, accesses_); ++k) fetch(k);
  for (std::size_t k = 0; k < accesses_; ++k) {
    const std::uint32_t at = access_at_[k];
    Variable& x = *ahead[k % kAhead];
    ++x.accesses;
    x.writes += writes_[block.op[at]];
    meet(x.threads, variable_windows_, block.object[at], block.thread[at]);
    if (k + kAhead < accesses_) fetch(k + kAhead);
  }
}

void Statistics::count_locks(const BlockView& block) {
  for (std::size_t k = 0; k < lock_events_; ++k) {
    const std::uint32_t at = lock_at_[k];
    const EventKind kind = block.ops[block.op[at]].kind;
    const std::uint32_t t = block.thread[at];
    const std::uint32_t l = block.object[at];
    const bool shared = kind == EventKind::acquire_shared || kind == EventKind::release_shared;
    const auto mode = shared ? HeldLocks::Mode::shared : HeldLocks::Mode::exclusive;
    if (kind == EventKind::release || kind == EventKind::release_shared) {
      held_.release(ThreadId{t}, LockId{l}, mode);
      continue;
    }
    Lock& lock = locks_[l];
    if (!held_.acquire(ThreadId{t}, LockId{l}, mode, block.first + at)) {
      ++lock.reentries;
      continue;
    }
    ++lock.acquires;
    lock.shared += shared;
    lock.contended += lock.holder != 0 && lock.holder != t + 1;
    lock.holder = t + 1;
    meet(lock.threads, lock_windows_, l, t);
    summary_.max_locks_held = std::max(summary_.max_locks_held, static_cast<std::uint32_t>(held_.total()));
    summary_.max_locks_held_by_thread = std::max(summary_.max_locks_held_by_thread,
                                                 static_cast<std::uint32_t>(held_.held(ThreadId{t}).size()));
  }
}

void Statistics::change_window(Threads& threads, Windows& windows, std::uint32_t object,
                               std::uint32_t window) {
  if (threads.bits != 0) windows(object, threads.window) = threads.bits;
  const std::uint64_t* const known = windows.find(object, window);
  threads.others += static_cast<std::uint32_t>(std::popcount(threads.bits));
  threads.bits = known == nullptr ? 0 : *known;
  threads.others -= static_cast<std::uint32_t>(std::popcount(threads.bits));
  threads.window = window;
}

std::uint32_t Statistics::Threads::count() const {
  return static_cast<std::uint32_t>(std::popcount(bits)) + others;
}

std::uint32_t Statistics::sites_used() const {
  std::uint32_t used = 0;
  site_events_.for_each([&](std::uint32_t id, std::uint64_t events) { used += id != 0 && events > 0; });
  return used;
}

std::uint64_t Statistics::count_variables(std::uint32_t least_threads) const {
  std::uint64_t n = 0;
  variables_.for_each([&](std::uint32_t, const Variable& x) { n += x.threads.count() >= least_threads; });
  return n;
}

namespace {

// Keeps the n that come first; ties are broken by the id, so that the list is the same every time.
template <class Use, class Before>
void keep_first(std::vector<Use>& uses, std::size_t n, Before before) {
  n = std::min(n, uses.size());
  std::partial_sort(uses.begin(), uses.begin() + static_cast<std::ptrdiff_t>(n), uses.end(), before);
  uses.resize(n);
}

// A list that is cut down now and then, so that it never holds all variables.
template <class Use, class Before>
void add(std::vector<Use>& uses, const Use& use, std::size_t n, Before before) {
  uses.push_back(use);
  if (uses.size() >= 2 * n + 1024) keep_first(uses, n, before);
}

}  // namespace

std::vector<LockUse> Statistics::top_locks(std::size_t n) const {
  const auto before = [](const LockUse& a, const LockUse& b) {
    if (a.contended != b.contended) return a.contended > b.contended;
    if (a.acquires != b.acquires) return a.acquires > b.acquires;
    return a.lock < b.lock;
  };
  std::vector<LockUse> top;
  locks_.for_each([&](std::uint32_t l, const Lock& lock) {
    if (lock.acquires == 0) return;
    add(top, {LockId{l}, lock.acquires, lock.shared, lock.reentries, lock.contended, lock.threads.count()}, n,
        before);
  });
  keep_first(top, n, before);
  return top;
}

std::vector<VariableUse> Statistics::top_variables(std::size_t n) const {
  const auto before = [](const VariableUse& a, const VariableUse& b) {
    if (a.threads != b.threads) return a.threads > b.threads;
    if (a.accesses != b.accesses) return a.accesses > b.accesses;
    return a.variable < b.variable;
  };
  std::vector<VariableUse> top;
  variables_.for_each([&](std::uint32_t x, const Variable& v) {
    if (v.accesses > 0) add(top, {VarId{x}, v.accesses, v.writes, v.threads.count()}, n, before);
  });
  keep_first(top, n, before);
  return top;
}

std::vector<SiteUse> Statistics::top_sites(std::size_t n) const {
  const auto before = [](const SiteUse& a, const SiteUse& b) {
    return a.events != b.events ? a.events > b.events : a.site < b.site;
  };
  std::vector<SiteUse> top;
  site_events_.for_each([&](std::uint32_t id, std::uint64_t events) {
    if (id != 0 && events > 0) add(top, {SiteId{id}, events}, n, before);
  });
  keep_first(top, n, before);
  return top;
}

std::size_t Statistics::bytes() const {
  return variables_.bytes() + locks_.bytes() + variable_windows_.bytes() + lock_windows_.bytes() +
         site_events_.bytes();
}

}  // namespace deadheat::analysis
