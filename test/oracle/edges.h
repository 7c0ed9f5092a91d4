// The edges that orders of events are made of, in named groups. All of them point forward in the trace. An
// order is what a list of groups gives when it is closed: order.h.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "oracle/memory.h"

namespace deadheat::oracle {

using Edges = std::vector<Pair>;
using EdgeGroup = Edges (*)(Trace);

namespace edges {

// The events of one thread, in order.
inline Edges program_order(Trace trace) {
  Edges found;
  std::map<ThreadId, std::size_t> last;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const auto at = last.find(trace[i].thread);
    if (at != last.end()) found.push_back({at->second, i});
    last[trace[i].thread] = i;
  }
  return found;
}

inline bool is_acquire(EventKind kind) {
  return kind == EventKind::acquire || kind == EventKind::acquire_shared;
}
inline bool is_shared(EventKind kind) {
  return kind == EventKind::acquire_shared || kind == EventKind::release_shared;
}

// Of the acquires and releases those that are not re-entrant.
inline std::vector<std::size_t> outermost(Trace trace) {
  std::map<std::tuple<ThreadId, std::uint32_t, bool>, int> depth;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const EventKind kind = trace[i].op.kind;
    if (!is_of_lock(kind)) continue;
    int& d = depth[{trace[i].thread, trace[i].object, is_shared(kind)}];
    if (is_acquire(kind) ? d++ == 0 : --d == 0) found.push_back(i);
  }
  return found;
}

// The outermost release of a lock before every later outermost acquire of it, except that a shared release is
// not before a shared acquire.
inline Edges locks(Trace trace) {
  Edges found;
  const auto events = outermost(trace);
  for (const std::size_t a : events) {
    for (const std::size_t b : events) {
      const EventKind from = trace[a].op.kind, to = trace[b].op.kind;
      if (a >= b || trace[a].object != trace[b].object || is_acquire(from) || !is_acquire(to)) continue;
      if (!is_shared(from) || !is_shared(to)) found.push_back({a, b});
    }
  }
  return found;
}

// A fork before the child's events, those before its join; the fork also if there are none.
inline Edges threads(Trace trace) {
  Edges found;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (!is_of_thread(trace[i].op.kind)) continue;
    const std::uint32_t child = trace[i].object;
    const bool fork = trace[i].op.kind == EventKind::fork;
    for (std::size_t k = 0; k < trace.size(); ++k) {
      const bool is_fork = trace[k].op.kind == EventKind::fork && trace[k].object == child;
      if (fork && k > i && index(trace[k].thread) == child) found.push_back({i, k});
      if (!fork && k < i && (index(trace[k].thread) == child || is_fork)) found.push_back({k, i});
    }
  }
  return found;
}

inline Edges all_pairs(Trace trace, EventKind from, EventKind to) {
  Edges found;
  std::vector<std::size_t> sources;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace[i].op.kind == from) sources.push_back(i);
    if (trace[i].op.kind != to) continue;
    for (const std::size_t a : sources) {
      // Events other than barriers' have no generation: 0.
      if (trace[a].object == trace[i].object && trace[a].op.value == trace[i].op.value) {
        found.push_back({a, i});
      }
    }
  }
  return found;
}
// A send before every later receive on its channel.
inline Edges messages(Trace trace) { return all_pairs(trace, EventKind::send, EventKind::recv); }
// The enters of a barrier's generation before the exits of that generation.
inline Edges barriers(Trace trace) {
  return all_pairs(trace, EventKind::barrier_enter, EventKind::barrier_exit);
}

// In each cell that i touches, the last event before it that set one of its bytes.
inline std::set<std::size_t> values_of(Trace trace, std::size_t i) {
  std::set<std::size_t> found;
  const Bytes bytes = bytes_of(trace[i]);
  for (std::uint64_t cell = bytes.first / kCellBytes; cell * kCellBytes < bytes.end; ++cell) {
    const Bytes part = bytes.common({cell * kCellBytes, (cell + 1) * kCellBytes});
    for (std::size_t k = i; k-- > 0;) {
      if (!sets(trace[k].op.kind) || !bytes_of(trace[k]).overlap(part)) continue;
      found.insert(k);
      break;
    }
  }
  return found;
}
// What synchronises with who reads from the release sequence headed by this write.
inline std::vector<std::size_t> release_ends(Trace trace, std::size_t write) {
  std::vector<std::size_t> ends;
  if (releases(trace[write].op.order)) ends.push_back(write);
  for (std::size_t k = write; k-- > 0;) {
    if (trace[k].thread == trace[write].thread && trace[k].op.kind == EventKind::fence &&
        releases(trace[k].op.order)) {
      ends.push_back(k);
      break;  // earlier ones precede it by program order
    }
  }
  return ends;
}
// What a read makes synchronise: itself, a later fence, or nothing.
inline std::vector<std::size_t> acquire_ends(Trace trace, std::size_t read) {
  std::vector<std::size_t> ends;
  if (acquires(trace[read].op.order)) ends.push_back(read);
  for (std::size_t k = read + 1; k < trace.size(); ++k) {
    if (trace[k].thread == trace[read].thread && trace[k].op.kind == EventKind::fence &&
        acquires(trace[k].op.order)) {
      ends.push_back(k);
      break;  // later ones follow by program order
    }
  }
  return ends;
}

// Synchronises-with of C++20: a read that acquires and takes its value from a release sequence is after the
// release that heads it. A write heads a release sequence if it releases, or if a fence that releases comes
// before it in its thread (then the fence is the earlier end). The sequence goes on through the
// read-modify-writes that take their value from it, whoever does them. A read acquires by its order, or by a
// later fence of its thread that acquires (then the fence is the later end). consume counts as acquire. A
// value comes from the last write of overlapping bytes in the trace, one for each cell; if that write is not
// atomic, or the memory was allocated or freed since, nothing synchronises.
inline Edges atomics(Trace trace) {
  Edges found;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace[i].op.kind != EventKind::atomic_load && trace[i].op.kind != EventKind::atomic_rmw) continue;
    const auto later_ends = acquire_ends(trace, i);
    if (later_ends.empty()) continue;
    auto writes = values_of(trace, i);
    while (!writes.empty()) {
      const std::size_t write = *writes.rbegin();
      writes.erase(write);
      if (!is_atomic(trace[write].op.kind)) continue;
      for (const std::size_t a : release_ends(trace, write)) {
        for (const std::size_t b : later_ends) found.push_back({a, b});
      }
      if (trace[write].op.kind == EventKind::atomic_rmw) writes.merge(values_of(trace, write));
    }
  }
  return found;
}

// What was last done to each byte that i reads.
inline std::set<std::size_t> sources_of(Trace trace, std::size_t i) {
  std::set<std::size_t> found;
  const Bytes bytes = bytes_of(trace[i]);
  for (std::uint64_t byte = bytes.first; byte < bytes.end; ++byte) {
    if (const auto write = last_set(trace, i, byte)) found.insert(*write);
  }
  return found;
}
inline Edges from_sources(Trace trace, bool allocations) {
  Edges found;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (!reads(trace[i].op.kind)) continue;
    for (const std::size_t w : sources_of(trace, i)) {
      if (is_allocation(trace[w].op.kind) == allocations) found.push_back({w, i});
    }
  }
  return found;
}
// rf: the last write of each byte before the event that reads it. An alloc or free gives no value.
inline Edges reads_from(Trace trace) { return from_sources(trace, false); }

// What a correct reordering keeps of allocations: an alloc or free before the reads that find what it left,
// and before every later alloc of one of its bytes. Not part of any order of the literature.
inline Edges allocations(Trace trace) {
  Edges found = from_sources(trace, true);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace[i].op.kind != EventKind::alloc) continue;
    for (std::size_t k = 0; k < i; ++k) {
      if (is_allocation(trace[k].op.kind) && bytes_of(trace[k]).overlap(bytes_of(trace[i]))) {
        found.push_back({k, i});
      }
    }
  }
  return found;
}

}  // namespace edges
}  // namespace deadheat::oracle
