// The rules of a well-formed trace, said slowly: each asks a question about all earlier events, nothing is
// kept between events. Quadratic and more. Finds the first event that breaks a rule, which is where the
// question "is it well formed?" is decided; how to go on after that is WellFormed's own business.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "deadheat/event.h"
#include "model/well_formed.h"
#include "oracle/memory.h"

namespace deadheat::oracle {

using model::Rule;

// How often t took l in this mode more than it gave it back. `past` keeps the rules, so this is never < 0.
inline int depth(Trace past, ThreadId t, std::uint32_t l, bool shared) {
  int n = 0;
  for (const Event& e : past) {
    if (e.thread != t || e.object != l) continue;
    if (e.op.kind == (shared ? EventKind::acquire_shared : EventKind::acquire)) ++n;
    if (e.op.kind == (shared ? EventKind::release_shared : EventKind::release)) --n;
  }
  return n;
}

inline std::set<ThreadId> actors(Trace past) {
  std::set<ThreadId> threads;
  for (const Event& e : past) threads.insert(e.thread);
  return threads;
}

inline std::set<ThreadId> holders(Trace past, std::uint32_t l, bool shared) {
  std::set<ThreadId> found;
  for (const ThreadId t : actors(past)) {
    if (depth(past, t, l, shared) > 0) found.insert(t);
  }
  return found;
}

inline bool happened(Trace past, auto&& like) {
  for (const Event& e : past) {
    if (like(e)) return true;
  }
  return false;
}

inline void check_lock(Trace past, const Event& e, std::set<Rule>& broken) {
  auto writers = holders(past, e.object, false);
  auto readers = holders(past, e.object, true);
  const bool writes = writers.contains(e.thread);
  const bool reads = readers.contains(e.thread);
  const bool free = writers.empty() && readers.empty();
  writers.erase(e.thread);
  readers.erase(e.thread);
  switch (e.op.kind) {
    case EventKind::acquire:
      if (!writers.empty() || (!readers.empty() && !writes)) {
        broken.insert(Rule::lock_held);
      } else if (reads && !writes) {
        broken.insert(Rule::lock_upgrade);
      }
      break;
    case EventKind::acquire_shared:
      if (!writers.empty()) broken.insert(Rule::lock_held);
      break;
    case EventKind::release:
      if (!writes) broken.insert(free ? Rule::release_free : Rule::release_other);
      break;
    case EventKind::release_shared:
      if (!reads) broken.insert(free ? Rule::release_free : Rule::release_other);
      break;
    default:
      break;
  }
}

inline void check_thread(Trace past, const Event& e, std::set<Rule>& broken) {
  const auto by = [](ThreadId t) { return [=](const Event& p) { return p.thread == t; }; };
  const auto did = [](EventKind kind, std::uint32_t object) {
    return [=](const Event& p) { return p.op.kind == kind && p.object == object; };
  };
  const auto did_by = [](EventKind kind, ThreadId t) {
    return [=](const Event& p) { return p.op.kind == kind && p.thread == t; };
  };
  if (happened(past, did(EventKind::join, index(e.thread)))) broken.insert(Rule::after_join);
  if (happened(past, did_by(EventKind::end, e.thread))) broken.insert(Rule::after_end);
  const bool to_itself = e.object == index(e.thread);
  if (e.op.kind == EventKind::join && to_itself) broken.insert(Rule::join_self);
  if (e.op.kind == EventKind::begin && happened(past, by(e.thread))) {
    const bool before = happened(past, did_by(EventKind::begin, e.thread));
    broken.insert(before ? Rule::begin_twice : Rule::begin_late);
  }
  if (e.op.kind == EventKind::fork) {
    if (to_itself) {
      broken.insert(Rule::fork_self);
    } else if (happened(past, did(EventKind::fork, e.object))) {
      const bool repeated = did(EventKind::fork, e.object)(past.back()) && past.back().thread == e.thread;
      broken.insert(repeated ? Rule::fork_repeated : Rule::fork_twice);
    } else if (happened(past, by(ThreadId{e.object}))) {
      broken.insert(Rule::fork_late);
    } else if (happened(past, did(EventKind::join, e.object))) {
      broken.insert(Rule::fork_joined);
    }
  }
}

inline void check_barrier(Trace past, const Event& e, std::set<Rule>& broken) {
  const Event* last = nullptr;  // what this thread last did at this barrier
  bool closed = false;
  for (const Event& p : past) {
    if (!is_barrier(p.op.kind) || p.object != e.object) continue;
    if (p.thread == e.thread) last = &p;
    closed |= p.op.kind == EventKind::barrier_exit && p.op.value >= e.op.value;
  }
  const bool inside = last != nullptr && last->op.kind == EventKind::barrier_enter;
  if (e.op.kind == EventKind::barrier_exit) {
    if (!inside || last->op.value != e.op.value) broken.insert(Rule::barrier_exit);
  } else if (inside) {
    broken.insert(Rule::barrier_inside);
  } else if (last != nullptr && e.op.value < last->op.value) {
    broken.insert(Rule::barrier_back);
  } else if (closed) {
    broken.insert(Rule::barrier_closed);
  }
}

inline void check_attributes(const Event& e, std::set<Rule>& broken) {
  const Op& op = e.op;
  const bool sized = has_size(op.kind);
  const bool load_wrong = op.order == MemoryOrder::release || op.order == MemoryOrder::acq_rel;
  const bool store_wrong = op.order == MemoryOrder::consume || op.order == MemoryOrder::acquire ||
                           op.order == MemoryOrder::acq_rel;
  if (has_offset(op.kind) && op.offset > 7) {
    broken.insert(Rule::attribute);
  } else if ((!has_order(op.kind) && op.order != MemoryOrder::relaxed) ||
             (!has_offset(op.kind) && op.offset != 0) || (!sized && !is_barrier(op.kind) && op.value != 0)) {
    broken.insert(Rule::stray);
  } else if ((op.kind == EventKind::atomic_load && load_wrong) ||
             (op.kind == EventKind::atomic_store && store_wrong)) {
    broken.insert(Rule::order);
  }
  if (object_kind(op.kind) == ObjectKind::none && e.object != 0) broken.insert(Rule::stray);
}

// The rules that `e` breaks behind `past`, which breaks none.
inline std::set<Rule> broken_by(Trace past, const Event& e) {
  std::set<Rule> broken;
  check_attributes(e, broken);
  check_thread(past, e, broken);
  if (is_of_lock(e.op.kind)) check_lock(past, e, broken);
  if (is_barrier(e.op.kind)) check_barrier(past, e, broken);
  if (e.op.kind == EventKind::recv) {
    const bool sent =
        happened(past, [&](const Event& p) { return p.op.kind == EventKind::send && p.object == e.object; });
    if (!sent) broken.insert(Rule::recv_unsent);
  }
  return broken;
}

struct FirstFault {
  std::size_t event;
  std::set<Rule> rules;
};
inline std::optional<FirstFault> first_fault(Trace trace) {
  for (std::size_t i = 0; i < trace.size(); ++i) {
    auto rules = broken_by(trace.first(i), trace[i]);
    if (!rules.empty()) return FirstFault{i, std::move(rules)};
  }
  return std::nullopt;
}

}  // namespace deadheat::oracle
