// Optimistic sync-reversal races by their definition (engine/osr.h), every event and edge of it written down:
// the closure of a pair, the graph of what is kept in it, and whether that has a cycle.
#pragma once

#include <optional>
#include <set>

#include "oracle/order.h"
#include "oracle/sync_preserving.h"

namespace deadheat::oracle {

class Optimistic {
 public:
  explicit Optimistic(Trace trace) : trace_(trace), hard_(hard_rf_and_allocations_order(trace)) {
    find_sections();
    find_kept();
  }

  Pairs pairs() const {
    return conflicting_pairs(trace_, [this](std::size_t e, std::size_t f) { return can_meet(e, f); });
  }

 private:
  using Set = std::set<std::size_t>;
  struct Section {
    std::size_t acquire;
    std::optional<std::size_t> release;
  };

  // The same, quick to ask.
  struct Members {
    Members(const Set& events, std::size_t size) : is_in(size) {
      for (const std::size_t i : events) is_in[i] = true;
    }
    bool contains(std::size_t i) const { return is_in[i]; }
    std::vector<bool> is_in;
  };

  void find_sections() {
    for (const std::size_t i : edges::outermost(trace_)) {
      if (edges::is_acquire(trace_[i].op.kind)) {
        sections_.push_back({i, {}});
        continue;
      }
      for (auto s = sections_.rbegin(); s != sections_.rend(); ++s) {
        const Event &a = trace_[s->acquire], &r = trace_[i];
        if (a.thread != r.thread || a.object != r.object ||
            edges::is_shared(a.op.kind) != edges::is_shared(r.op.kind)) {
          continue;
        }
        s->release = i;
        break;
      }
    }
  }
  // What keeps the order of the trace, whatever the set. (Of releases, those of open sections are not in it.)
  void find_kept() {
    for (std::size_t b = 0; b < trace_.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        if (hard_.ordered(a, b) || memory(a, b)) kept_.push_back({a, b});
      }
    }
    for (const Pair& edge : edges::locks(trace_)) kept_.push_back(edge);
  }
  bool memory(std::size_t a, std::size_t b) const {
    const EventKind x = trace_[a].op.kind, y = trace_[b].op.kind;
    return is_memory(x) && is_memory(y) && (sets(x) || sets(y)) &&
           bytes_of(trace_[a]).overlap(bytes_of(trace_[b]));
  }

  void add(Set& set, std::size_t event) const {
    for (std::size_t i = 0; i <= event; ++i) {
      if (hard_.ordered_or_same(i, event)) set.insert(i);
    }
  }
  Set closure(std::size_t e, std::size_t f) const {
    Set set;
    for (const std::size_t event : {e, f}) {
      if (const auto before = pred(trace_, event)) add(set, *before);
    }
    for (std::size_t size = 0; size != set.size();) {
      size = set.size();
      for (const Section& s : sections_) {
        if (!set.contains(s.acquire) || !s.release || *s.release > f) continue;
        if (hard_.ordered_or_same(e, *s.release) || hard_.ordered_or_same(f, *s.release)) continue;
        add(set, *s.release);
      }
    }
    return set;
  }
  bool apart(const Section& s, const Section& other) const {
    const Event &a = trace_[s.acquire], &b = trace_[other.acquire];
    return a.object == b.object && a.thread != b.thread &&
           !(edges::is_shared(a.op.kind) && edges::is_shared(b.op.kind));
  }
  bool can_meet(std::size_t e, std::size_t f) const {
    const Set events = closure(e, f);
    if (events.contains(e) || events.contains(f)) return false;
    const Members set(events, trace_.size());
    Edges edges;
    for (const auto& [a, b] : kept_) {
      if (set.contains(a) && set.contains(b)) edges.push_back({a, b});
    }
    const auto is_open = [&](const Section& s) { return !s.release || !set.contains(*s.release); };
    for (const Section& open : sections_) {
      if (!set.contains(open.acquire) || !is_open(open)) continue;
      for (const Section& other : sections_) {
        if (!set.contains(other.acquire) || !apart(open, other)) continue;
        if (is_open(other)) return false;
        edges.push_back({*other.release, open.acquire});
      }
    }
    return !has_cycle(std::move(edges));
  }
  // Takes away the edges from where none leads to, until there are no such.
  bool has_cycle(Edges left) const {
    for (std::size_t size = 0; size != left.size();) {
      size = left.size();
      std::vector<bool> followed(trace_.size());
      for (const auto& [a, b] : left) followed[b] = true;
      std::erase_if(left, [&](const Pair& edge) { return !followed[edge.first]; });
    }
    return !left.empty();
  }

  Trace trace_;
  Order hard_;
  Edges kept_;
  std::vector<Section> sections_;
};

// What the engine tells: these, and all sync-preserving ones.
inline Pairs optimistic_and_sync_preserving(Trace trace) {
  Pairs pairs = Optimistic(trace).pairs();
  pairs.merge(SyncPreserving(trace).pairs());
  return pairs;
}

}  // namespace deadheat::oracle
