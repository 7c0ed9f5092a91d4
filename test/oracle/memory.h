// Which bytes events touch, and which accesses conflict, said slowly.
//
// Conflicting: accesses by two threads with a byte in common, at least one of them a write, not both atomic.
// A free is a write of its bytes here: using memory and giving it away do not go together. An alloc is no
// access: it makes its bytes new, and accesses before and after it are not to the same memory there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "deadheat/event.h"

namespace deadheat::oracle {

using Trace = std::span<const Event>;
using Pair = std::pair<std::size_t, std::size_t>;  // of event numbers, the earlier first
using Pairs = std::set<Pair>;

struct Bytes {
  std::uint64_t first, end;
  bool empty() const { return first >= end; }
  bool overlap(const Bytes& other) const { return first < other.end && other.first < end; }
  bool contain(std::uint64_t byte) const { return first <= byte && byte < end; }
  Bytes common(const Bytes& other) const { return {std::max(first, other.first), std::min(end, other.end)}; }
};
inline Bytes bytes_of(const Event& e) {
  const std::uint64_t cell = std::uint64_t{e.object} * kCellBytes;
  if (e.op.value == 0) return {cell, cell + kCellBytes};
  return {cell + e.op.offset, cell + e.op.offset + e.op.value};
}

inline bool is_memory(EventKind kind) { return is_of_memory(kind); }
inline bool can_race(EventKind kind) { return is_access(kind) || kind == EventKind::free; }
inline bool reads(EventKind kind) {
  return kind == EventKind::read || kind == EventKind::atomic_load || kind == EventKind::atomic_rmw;
}
// What a later read cannot look through. alloc and free leave no value, but what was there is gone.
inline bool sets(EventKind kind) {
  return is_memory(kind) && kind != EventKind::read && kind != EventKind::atomic_load;
}
inline bool acquires(MemoryOrder order) {
  return order != MemoryOrder::relaxed && order != MemoryOrder::release;
}
inline bool releases(MemoryOrder order) {
  return order == MemoryOrder::release || order == MemoryOrder::acq_rel || order == MemoryOrder::seq_cst;
}

// Whether a byte of `shared` is left that no alloc between a and b made new.
inline bool any_kept(Trace trace, std::size_t a, std::size_t b, Bytes shared) {
  std::vector<Bytes> kept = {shared};
  for (std::size_t i = a + 1; i < b && !kept.empty(); ++i) {
    if (trace[i].op.kind != EventKind::alloc) continue;
    const Bytes renewed = bytes_of(trace[i]);
    std::vector<Bytes> rest;
    for (const Bytes& k : kept) {
      const Bytes left{k.first, std::min(k.end, renewed.first)}, right{std::max(k.first, renewed.end), k.end};
      if (!left.empty()) rest.push_back(left);
      if (!right.empty()) rest.push_back(right);
    }
    kept = std::move(rest);
  }
  return !kept.empty();
}

// a < b.
inline bool conflicting(Trace trace, std::size_t a, std::size_t b) {
  const Event &x = trace[a], &y = trace[b];
  if (!can_race(x.op.kind) || !can_race(y.op.kind) || x.thread == y.thread) return false;
  if (!sets(x.op.kind) && !sets(y.op.kind)) return false;
  if (is_atomic(x.op.kind) && is_atomic(y.op.kind)) return false;
  const Bytes shared = bytes_of(x).common(bytes_of(y));
  return !shared.empty() && any_kept(trace, a, b, shared);
}

// All conflicting pairs for which `also(a, b)` holds.
template <class Also>
Pairs conflicting_pairs(Trace trace, Also also) {
  Pairs found;
  for (std::size_t b = 0; b < trace.size(); ++b) {
    if (!can_race(trace[b].op.kind)) continue;
    for (std::size_t a = 0; a < b; ++a) {
      if (can_race(trace[a].op.kind) && trace[a].thread != trace[b].thread &&
          bytes_of(trace[a]).overlap(bytes_of(trace[b])) && also(a, b) && conflicting(trace, a, b)) {
        found.insert({a, b});
      }
    }
  }
  return found;
}
inline Pairs conflicting_pairs(Trace trace) {
  return conflicting_pairs(trace, [](std::size_t, std::size_t) { return true; });
}

// The last event before i that set this byte; none: its initial value is there.
inline std::optional<std::size_t> last_set(Trace trace, std::size_t i, std::uint64_t byte) {
  for (std::size_t k = i; k-- > 0;) {
    if (sets(trace[k].op.kind) && bytes_of(trace[k]).contain(byte)) return k;
  }
  return std::nullopt;
}

}  // namespace deadheat::oracle
