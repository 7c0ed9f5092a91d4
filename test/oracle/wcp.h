// Weak causal precedence by its definition: Kini, Mathur & Viswanathan, "Dynamic Race Prediction in Linear
// Time" (PLDI 2017), definition 3. The smallest relation < such that, for critical sections C before C' of
// one lock, not both of readers,
//   (a) if e in C and e' in C' conflict, rel(C) < e';
//   (b) if e in C, e' in C' and e < e', rel(C) < rel(C');
//   (c) it is closed under composition with happens-before on either side.
// A section has its acquire and its release; one that is open at the end has no release. Of one thread's
// sections only (b) can say something.
// Departs: the paper has locks alone. What is ordered whichever thread gets a lock first (fork and join,
// messages, barriers, atomics: the hard order) is part of happens-before, and a race is neither ordered by <
// nor by that. And (b) also counts e before e' by the hard order, if they are of two threads and rel(C) is
// not before rel(C') by it too: a fork inside a section is such a case.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "oracle/order.h"

namespace deadheat::oracle {

class Wcp {
 public:
  explicit Wcp(Trace trace) : trace_(trace), hb_(hb_order(trace)), hard_(hard_order(trace)) {
    find_sections();
    for (const Section& c : sections_) {
      for (const Section& d : sections_) {
        if (apart(c, d)) add_conflicts(c, d);
      }
    }
    close();
    while (add_releases()) close();
  }

  // a < b.
  bool strictly(std::size_t a, std::size_t b) const { return earlier_[b][a]; }
  bool ordered(std::size_t a, std::size_t b) const { return strictly(a, b) || hard_.ordered(a, b); }
  // The conflicting pairs that are not ordered.
  Pairs pairs() const {
    return conflicting_pairs(trace_, [this](std::size_t a, std::size_t b) { return !ordered(a, b); });
  }

  const Order& hb() const { return hb_; }
  const Order& hard() const { return hard_; }

 private:
  static constexpr std::size_t kOpen = static_cast<std::size_t>(-1);
  struct Section {
    std::size_t acquire, release;
    bool shared;
  };

  void find_sections() {
    std::map<std::tuple<ThreadId, std::uint32_t, bool>, std::size_t> open;
    for (const std::size_t i : edges::outermost(trace_)) {
      const bool shared = edges::is_shared(trace_[i].op.kind);
      const std::tuple key(trace_[i].thread, trace_[i].object, shared);
      if (edges::is_acquire(trace_[i].op.kind)) {
        open[key] = sections_.size();
        sections_.push_back({i, kOpen, shared});
      } else {
        sections_[open.at(key)].release = i;
      }
    }
  }
  // c is before d, and they exclude each other.
  bool apart(const Section& c, const Section& d) const {
    return trace_[c.acquire].object == trace_[d.acquire].object && !(c.shared && d.shared) &&
           c.release != kOpen && c.release < d.acquire;
  }
  bool in(const Section& c, std::size_t e) const {
    return trace_[e].thread == trace_[c.acquire].thread && e >= c.acquire && e <= c.release;
  }
  // (a)
  void add_conflicts(const Section& c, const Section& d) {
    for (std::size_t e = c.acquire; e <= c.release; ++e) {
      for (std::size_t f = d.acquire; f < trace_.size(); ++f) {
        if (in(c, e) && in(d, f) && conflicting(trace_, e, f)) edges_.insert({c.release, f});
      }
    }
  }
  // (b): of a section's events the acquire is the first and the release the last. True if there were any.
  bool add_releases() {
    const std::size_t before = edges_.size();
    for (const Section& c : sections_) {
      for (const Section& d : sections_) {
        if (d.release == kOpen || !apart(c, d)) continue;
        const bool hard = trace_[c.acquire].thread != trace_[d.acquire].thread &&
                          hard_.ordered(c.acquire, d.release) && !hard_.ordered(c.release, d.release);
        if (hard || strictly(c.acquire, d.release)) edges_.insert({c.release, d.release});
      }
    }
    return edges_.size() != before;
  }
  // (c)
  void close() {
    earlier_.assign(trace_.size(), std::vector<bool>(trace_.size()));
    for (const auto& [from, to] : edges_) {
      for (std::size_t b = to; b < trace_.size(); ++b) {
        if (!hb_.ordered_or_same(to, b)) continue;
        for (std::size_t a = 0; a <= from; ++a) {
          if (hb_.ordered_or_same(a, from)) earlier_[b][a] = true;
        }
      }
    }
  }

  Trace trace_;
  Order hb_, hard_;
  std::vector<Section> sections_;
  Pairs edges_;                             // of (a) and (b)
  std::vector<std::vector<bool>> earlier_;  // by event: those before it
};

// What the promise of WCP's first race depends on: how many events are not as it asks for.
struct Sections {
  std::size_t not_nested = 0;  // releases of another lock than the one that was taken last
  std::size_t across = 0;      // forks and joins by who holds a lock, and joins of such
  std::size_t meetings = 0;    // messages, barriers, fences and atomics of who holds a lock

  explicit Sections(Trace trace) {
    std::map<ThreadId, std::vector<std::pair<std::uint32_t, bool>>> holds;
    const auto outermost = edges::outermost(trace);
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const Event& e = trace[i];
      auto& held = holds[e.thread];
      const ObjectKind object = object_kind(e.op.kind);
      const std::pair lock(e.object, edges::is_shared(e.op.kind));
      if (object == ObjectKind::thread) {
        const bool by_holder = !held.empty();
        const bool of_holder = e.op.kind == EventKind::join && !holds[ThreadId{e.object}].empty();
        across += by_holder || of_holder ? 1 : 0;
      } else if (object == ObjectKind::channel || object == ObjectKind::barrier ||
                 e.op.kind == EventKind::fence || is_atomic(e.op.kind)) {
        meetings += held.empty() ? 0 : 1;
      } else if (object == ObjectKind::lock && std::binary_search(outermost.begin(), outermost.end(), i)) {
        if (edges::is_acquire(e.op.kind)) {
          held.push_back(lock);
        } else {
          not_nested += held.back() == lock ? 0 : 1;
          held.erase(std::find(held.begin(), held.end(), lock));
        }
      }
    }
  }
};

}  // namespace deadheat::oracle
