// Happens-before, said slowly: every edge of its definition is drawn between two events, and reachability is
// closed over all of them. Quadratic in events, and more in edges: for traces of some thousands of events.
// What engines compute with clocks is compared with this.
//
// The definition (semantics of the events, for well-formed traces):
//   - the events of one thread, in order;
//   - the outermost release of a lock before every later outermost acquire of it, except that a shared
//   release
//     is not before a shared acquire;
//   - a fork before the child's events, the child's events before its join;
//   - a send before every later receive on its channel;
//   - the enters of a barrier's generation before the exits of that generation;
//   - synchronises-with of C++20: a read that acquires and takes its value from a release sequence is after
//   the
//     release that heads it. A write heads a release sequence if it releases, or if a fence that releases
//     comes before it in its thread (then the fence is the earlier end). The sequence goes on through the
//     read-modify-writes that take their value from it, whoever does them. A read acquires by its order, or
//     by a later fence of its thread that acquires (then the fence is the later end). consume counts as
//     acquire. A value comes from the last write of overlapping bytes in the trace; if that write is not
//     atomic, nothing synchronises.
//
// Conflicting: accesses by two threads to overlapping bytes, at least one of them a write, not both atomic.
// An alloc of these bytes between the two makes them new: then the accesses are not to the same memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "deadheat/event.h"

namespace deadheat::oracle {

struct Bytes {
  std::uint64_t first, end;
  bool overlap(const Bytes& other) const { return first < other.end && other.first < end; }
};
inline Bytes bytes_of(const Event& e) {
  const std::uint64_t first = std::uint64_t{e.object} * kCellBytes + e.op.offset;
  if (e.op.value == 0) return {first - e.op.offset, first - e.op.offset + kCellBytes};
  return {first, first + e.op.value};
}

inline bool writes(EventKind kind) {
  return kind == EventKind::write || kind == EventKind::atomic_store || kind == EventKind::atomic_rmw;
}
inline bool acquires(MemoryOrder order) {
  return order != MemoryOrder::relaxed && order != MemoryOrder::release;
}
inline bool releases(MemoryOrder order) {
  return order == MemoryOrder::release || order == MemoryOrder::acq_rel || order == MemoryOrder::seq_cst;
}

class HappensBefore {
 public:
  explicit HappensBefore(std::span<const Event> trace)
      : trace_(trace), words_((trace.size() + 63) / 64), earlier_(trace.size()), into_(trace.size()) {
    draw_program_order();
    draw_locks();
    draw_threads();
    draw_messages();
    draw_barriers();
    draw_atomics();
    close();
  }

  // a before b, in the trace and by happens-before.
  bool ordered(std::size_t a, std::size_t b) const { return (earlier_[b][a / 64] >> (a % 64) & 1) != 0; }

  // Both are accesses that conflict; a < b.
  bool conflict(std::size_t a, std::size_t b) const {
    const Event &x = trace_[a], &y = trace_[b];
    if (!is_access(x.op.kind) || !is_access(y.op.kind) || x.thread == y.thread) return false;
    if (!writes(x.op.kind) && !writes(y.op.kind)) return false;
    if (is_atomic(x.op.kind) && is_atomic(y.op.kind)) return false;
    return bytes_of(x).overlap(bytes_of(y)) && !renewed(a, b);
  }

  // All racing pairs (a, b) with a < b.
  std::vector<std::pair<std::size_t, std::size_t>> races() const {
    std::map<std::uint64_t, std::vector<std::size_t>> by_cell;
    std::set<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t b = 0; b < trace_.size(); ++b) {
      if (!is_access(trace_[b].op.kind)) continue;
      const Bytes bytes = bytes_of(trace_[b]);
      for (std::uint64_t cell = bytes.first / kCellBytes; cell * kCellBytes < bytes.end; ++cell) {
        for (const std::size_t a : by_cell[cell]) {
          if (!ordered(a, b) && conflict(a, b)) found.insert({a, b});
        }
        by_cell[cell].push_back(b);
      }
    }
    return {found.begin(), found.end()};
  }

 private:
  void edge(std::size_t a, std::size_t b) { into_[b].push_back(a); }
  EventKind kind(std::size_t i) const { return trace_[i].op.kind; }

  bool renewed(std::size_t a, std::size_t b) const {
    for (std::size_t i = a + 1; i < b; ++i) {
      if (kind(i) == EventKind::alloc && bytes_of(trace_[i]).overlap(bytes_of(trace_[a])) &&
          bytes_of(trace_[i]).overlap(bytes_of(trace_[b]))) {
        return true;
      }
    }
    return false;
  }

  void draw_program_order() {
    std::map<ThreadId, std::size_t> last;
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      const auto at = last.find(trace_[i].thread);
      if (at != last.end()) edge(at->second, i);
      last[trace_[i].thread] = i;
    }
  }

  // The outermost acquires and releases, in order.
  std::vector<std::size_t> outermost() const {
    std::map<std::tuple<ThreadId, std::uint32_t, bool>, int> depth;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (object_kind(kind(i)) != ObjectKind::lock) continue;
      const bool shared = kind(i) == EventKind::acquire_shared || kind(i) == EventKind::release_shared;
      int& d = depth[{trace_[i].thread, trace_[i].object, shared}];
      const bool acquire = kind(i) == EventKind::acquire || kind(i) == EventKind::acquire_shared;
      if (acquire ? d++ == 0 : --d == 0) found.push_back(i);
    }
    return found;
  }
  void draw_locks() {
    const auto events = outermost();
    for (const std::size_t a : events) {
      for (const std::size_t b : events) {
        if (a >= b || trace_[a].object != trace_[b].object) continue;
        const bool from = kind(a) == EventKind::release || kind(a) == EventKind::release_shared;
        const bool to = kind(b) == EventKind::acquire || kind(b) == EventKind::acquire_shared;
        const bool readers = kind(a) == EventKind::release_shared && kind(b) == EventKind::acquire_shared;
        if (from && to && !readers) edge(a, b);
      }
    }
  }

  void draw_threads() {
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (object_kind(kind(i)) != ObjectKind::thread) continue;
      const ThreadId child{trace_[i].object};
      for (std::size_t k = 0; k < trace_.size(); ++k) {
        if (trace_[k].thread != child || k == i) continue;
        if (kind(i) == EventKind::fork && k > i) edge(i, k);
        if (kind(i) == EventKind::join && k < i) edge(k, i);
      }
    }
  }

  void draw_messages() { draw_all_pairs(EventKind::send, EventKind::recv); }
  void draw_barriers() { draw_all_pairs(EventKind::barrier_enter, EventKind::barrier_exit); }
  void draw_all_pairs(EventKind from, EventKind to) {
    std::vector<std::size_t> sources;
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (kind(i) == from) sources.push_back(i);
      if (kind(i) != to) continue;
      for (const std::size_t a : sources) {
        const bool same_generation = !is_barrier(to) || trace_[a].op.value == trace_[i].op.value;
        if (trace_[a].object == trace_[i].object && same_generation) edge(a, i);
      }
    }
  }

  // The write that the read (or read-modify-write) at i takes its value from.
  std::optional<std::size_t> value_of(std::size_t i) const {
    for (std::size_t k = i; k-- > 0;) {
      if (writes(kind(k)) && bytes_of(trace_[k]).overlap(bytes_of(trace_[i]))) return k;
    }
    return std::nullopt;
  }
  void draw_atomics() {
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (kind(i) != EventKind::atomic_load && kind(i) != EventKind::atomic_rmw) continue;
      std::vector<std::size_t> later_ends;
      if (acquires(trace_[i].op.order)) later_ends.push_back(i);
      for (std::size_t k = i + 1; k < trace_.size(); ++k) {
        if (trace_[k].thread == trace_[i].thread && kind(k) == EventKind::fence &&
            acquires(trace_[k].op.order)) {
          later_ends.push_back(k);
          break;  // later ones follow by program order
        }
      }
      if (later_ends.empty()) continue;
      for (auto write = value_of(i); write && is_atomic(kind(*write));
           write = kind(*write) == EventKind::atomic_rmw ? value_of(*write) : std::nullopt) {
        for (const std::size_t a : earlier_ends(*write)) {
          for (const std::size_t b : later_ends) edge(a, b);
        }
      }
    }
  }
  // What synchronises with who reads from the release sequence headed by this write.
  std::vector<std::size_t> earlier_ends(std::size_t write) const {
    std::vector<std::size_t> ends;
    if (releases(trace_[write].op.order)) ends.push_back(write);
    for (std::size_t k = write; k-- > 0;) {
      if (trace_[k].thread == trace_[write].thread && kind(k) == EventKind::fence &&
          releases(trace_[k].op.order)) {
        ends.push_back(k);
        break;  // earlier ones precede it by program order
      }
    }
    return ends;
  }

  // Edges point forward in the trace, so one pass in its order closes them.
  void close() {
    for (std::size_t b = 0; b < trace_.size(); ++b) {
      earlier_[b].assign(words_, 0);
      for (const std::size_t a : into_[b]) {
        for (std::size_t w = 0; w <= a / 64; ++w) earlier_[b][w] |= earlier_[a][w];
        earlier_[b][a / 64] |= std::uint64_t{1} << (a % 64);
      }
    }
  }

  std::span<const Event> trace_;
  std::size_t words_;
  std::vector<std::vector<std::uint64_t>> earlier_;  // by event: a bit for each earlier one that is before it
  std::vector<std::vector<std::size_t>> into_;       // by event: the other ends of its edges
};

}  // namespace deadheat::oracle
