// Random small traces, well formed as they are made: for millions of them. Locks nest, are taken hand over
// hand and re-entered; sections are open at the end; threads are forked inside critical sections, or are
// there from the start; variables are read before any write. Some traces keep a locking discipline, so that
// races and their absence are both common.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "deadheat/event.h"

namespace deadheat::oracle {

struct SmallTraceOptions {
  std::uint32_t min_events = 5, max_events = 24;
  std::uint32_t max_threads = 4, max_locks = 3, max_variables = 3;
  std::array<std::uint32_t, kEventKinds> weights{};
  bool nested_locks = false;       // only properly nested ones
  bool forks_inside = true;        // fork and join by a thread that holds a lock
  bool parts = false;              // accesses of parts of variables
  bool across = false;             // accesses that go on into the next variable (text cannot tell them)
  std::uint32_t longest = 2;       // alloc or free, in variables; more than one only with `across`
  bool leave_out = false;          // each trace is without some kinds, so that the others meet
  bool unique_sites = false;       // else three
  std::uint32_t joined_again = 0;  // of a hundred joins of a thread that was joined so many are made
  std::uint32_t forked = 2;        // of five threads so many must be forked before they act
  std::uint32_t disciplined = 3;   // of ten traces so many keep to a discipline, mostly

  std::uint32_t& weight(EventKind kind) { return weights[static_cast<std::size_t>(kind)]; }

  // Reads, writes, locks, forks and joins.
  static SmallTraceOptions basic() {
    SmallTraceOptions o;
    o.weight(EventKind::read) = 28;
    o.weight(EventKind::write) = 22;
    o.weight(EventKind::acquire) = 16;
    o.weight(EventKind::release) = 48;
    o.weight(EventKind::fork) = 24;
    o.weight(EventKind::join) = 3;
    return o;
  }
  // Every kind of event, and accesses of all sizes.
  static SmallTraceOptions all() {
    SmallTraceOptions o = basic();
    o.weight(EventKind::acquire) = 12;
    o.weight(EventKind::acquire_shared) = 9;
    o.weight(EventKind::release_shared) = 36;
    for (const EventKind kind : {EventKind::atomic_load, EventKind::atomic_store}) o.weight(kind) = 9;
    o.weight(EventKind::atomic_rmw) = 7;
    o.weight(EventKind::fence) = 8;
    for (const EventKind kind : {EventKind::begin, EventKind::end}) o.weight(kind) = 1;
    o.weight(EventKind::send) = 6;
    o.weight(EventKind::recv) = 14;
    o.weight(EventKind::barrier_enter) = 18;
    o.weight(EventKind::barrier_exit) = 50;
    o.weight(EventKind::alloc) = 5;
    o.weight(EventKind::free) = 3;
    o.parts = o.across = o.leave_out = true;
    return o;
  }
  // Locks of readers and writers.
  static SmallTraceOptions readers() {
    SmallTraceOptions o = basic();
    o.weight(EventKind::acquire) = 10;
    o.weight(EventKind::acquire_shared) = 16;
    o.weight(EventKind::release_shared) = 48;
    return o;
  }
  // Atomics, fences and memory that comes and goes.
  static SmallTraceOptions atomics() {
    SmallTraceOptions o = all();
    for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
      const ObjectKind object = object_kind(static_cast<EventKind>(kind));
      const bool keep = object == ObjectKind::variable || object == ObjectKind::thread;
      if (!keep && static_cast<EventKind>(kind) != EventKind::fence) o.weights[kind] = 0;
    }
    o.weight(EventKind::read) = o.weight(EventKind::write) = 8;
    o.weight(EventKind::fence) = 5;
    o.weight(EventKind::alloc) = o.weight(EventKind::free) = 2;
    o.leave_out = false;
    return o;
  }
  // Gaps and failed attempts among everything else.
  static SmallTraceOptions gaps() {
    SmallTraceOptions o = all();
    o.max_events = 18;
    o.weight(EventKind::gap) = 16;
    o.weight(EventKind::gap_range) = 16;
    o.weight(EventKind::try_acquire_failed) = 5;
    o.weight(EventKind::try_recv_failed) = 4;
    o.weight(EventKind::try_join_failed) = 3;
    o.weight(EventKind::end) = 4;
    o.disciplined = 6;
    return o;
  }
  // Memory that comes and goes, mostly several variables at once.
  static SmallTraceOptions memory() {
    SmallTraceOptions o = basic();
    o.weight(EventKind::alloc) = 14;
    o.weight(EventKind::free) = 14;
    o.parts = o.across = true;
    o.max_variables = 6;
    o.longest = 5;
    return o;
  }
  // Threads that come and go, and some that are joined by several.
  static SmallTraceOptions generations() {
    SmallTraceOptions o = basic();
    o.min_events = 15;
    o.max_events = 50;
    o.max_threads = 12;
    o.max_variables = 2;
    o.weight(EventKind::fork) = 40;
    o.weight(EventKind::join) = 40;
    o.weight(EventKind::acquire) = 8;
    o.weight(EventKind::acquire_shared) = 4;
    o.weight(EventKind::release_shared) = 16;
    o.weight(EventKind::send) = 3;
    o.weight(EventKind::recv) = 5;
    o.forked = 4;
    o.joined_again = 8;
    return o;
  }
  // The same, mostly in sections of few locks, by which threads come to know of others.
  static SmallTraceOptions generations_in_sections() {
    SmallTraceOptions o = generations();
    o.min_events = 25;
    o.max_threads = 8;
    o.max_locks = 2;
    o.max_variables = 3;
    o.weight(EventKind::read) = 8;
    o.weight(EventKind::write) = 40;
    o.weight(EventKind::acquire) = 30;
    o.weight(EventKind::acquire_shared) = 3;
    o.weight(EventKind::release) = 90;
    o.weight(EventKind::send) = o.weight(EventKind::recv) = 1;
    o.joined_again = 15;
    return o;
  }
  // The same as generations, with every kind of event.
  static SmallTraceOptions generations_of_all() {
    SmallTraceOptions o = all();
    const SmallTraceOptions like = generations();
    o.min_events = like.min_events;
    o.max_events = like.max_events;
    o.max_threads = like.max_threads;
    o.weight(EventKind::fork) = 50;
    o.weight(EventKind::join) = 50;
    o.forked = like.forked;
    o.joined_again = like.joined_again;
    return o;
  }
  // Messages, barriers and few locks.
  static SmallTraceOptions meetings() {
    SmallTraceOptions o = basic();
    o.weight(EventKind::acquire) = 5;
    o.weight(EventKind::send) = 12;
    o.weight(EventKind::recv) = 28;
    o.weight(EventKind::barrier_enter) = 18;
    o.weight(EventKind::barrier_exit) = 50;
    return o;
  }
};

class SmallTraceMaker {
 public:
  SmallTraceMaker(std::uint64_t seed, const SmallTraceOptions& options) : random_(seed), o_(options) {}

  std::vector<Event> make() {
    const std::uint32_t length = o_.min_events + below(o_.max_events - o_.min_events + 1);
    threads_.resize(2 + below(o_.max_threads - 1));
    locks_.resize(1 + below(o_.max_locks));
    variables_ = 1 + below(o_.max_variables);
    discipline_ = below(10) < o_.disciplined ? 20 : below(12);  // in 20 accesses so many are protected
    choose_weights();
    if (weight(EventKind::atomic_load) > 0) atomic_variables_ = below(1u << variables_);
    if (weight(EventKind::acquire) == 0) discipline_ = 0;
    // Thread 0 is there from the start, others mostly too: else there is little for them to do.
    for (std::size_t t = 1; t < threads_.size(); ++t) threads_[t].forked = below(5) < o_.forked;
    for (std::uint32_t tries = 0; trace_.size() < length && tries < 40 * length; ++tries) step();
    return std::move(trace_);
  }

 private:
  struct Lock {
    std::uint32_t writer = 0, depth = 0;  // depth 0: no writer
  };
  struct Hold {
    std::uint32_t lock;
    bool shared;
    friend bool operator==(const Hold&, const Hold&) = default;
  };
  struct Thread {
    bool forked = false;   // must be forked before it acts
    bool started = false;  // was forked
    bool acted = false, over = false, joined = false;
    std::vector<Hold> holds;       // in order, re-entered ones as often as they are
    std::array<bool, 2> inside{};  // of each barrier
    bool there() const { return !over && !joined && (!forked || started); }
  };
  struct Barrier {
    std::uint32_t generation = 0, inside = 0;
    bool open = true;  // to enters: nobody has left this generation
  };

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  void choose_weights() {
    weights_ = o_.weights;
    if (o_.leave_out) leave_out_some();
    parts_ = o_.parts && below(2) == 0;
    total_ = 0;
    for (const std::uint32_t w : weights_) total_ += w;
  }
  void leave_out_some() {
    const auto leave_out = [&](std::initializer_list<EventKind> kinds) {
      for (const EventKind kind : kinds) weights_[static_cast<std::size_t>(kind)] = 0;
    };
    using K = EventKind;
    if (below(2) == 0) leave_out({K::acquire_shared, K::release_shared});
    if (below(3) != 0) leave_out({K::barrier_enter, K::barrier_exit});
    if (below(2) == 0) leave_out({K::send, K::recv});
    if (below(2) == 0) leave_out({K::alloc, K::free});
    if (below(3) == 0) leave_out({K::fence});
    if (below(3) == 0) leave_out({K::atomic_load, K::atomic_store, K::atomic_rmw, K::fence});
  }

  std::uint32_t weight(EventKind kind) const { return weights_[static_cast<std::size_t>(kind)]; }

  EventKind draw_kind() {
    std::uint32_t at = below(total_);
    std::size_t kind = 0;
    while (at >= weights_[kind]) at -= weights_[kind++];
    return static_cast<EventKind>(kind);
  }

  void step() {
    const std::uint32_t t = below(static_cast<std::uint32_t>(threads_.size()));
    Thread& thread = threads_[t];
    if (!thread.there()) return;
    const EventKind kind = draw_kind();
    if (is_gap(kind) || is_failed_attempt(kind)) return observe(t, kind);
    switch (object_kind(kind)) {
      case ObjectKind::variable:
        return is_allocation(kind) ? allocate(t, kind) : access(t, kind);
      case ObjectKind::lock:
        if (kind == EventKind::acquire || kind == EventKind::acquire_shared) {
          return acquire(t, below(static_cast<std::uint32_t>(locks_.size())), kind);
        }
        return release(t, kind);
      case ObjectKind::thread:
        return kind == EventKind::fork ? fork(t) : join(t);
      case ObjectKind::channel:
        return message(t, kind);
      case ObjectKind::barrier:
        return barrier(t, kind);
      case ObjectKind::none:
        return other(t, kind);
    }
  }

  void observe(std::uint32_t t, EventKind kind) {
    const std::uint32_t object = kind == EventKind::gap                  ? 0
                                 : kind == EventKind::gap_range          ? below(variables_)
                                 : kind == EventKind::try_acquire_failed ? below(size_of(locks_))
                                 : kind == EventKind::try_join_failed    ? below(size_of(threads_))
                                                                         : below(2);
    // Mostly where something is to be found.
    const bool held =
        kind == EventKind::try_acquire_failed && (locks_[object].depth > 0 || held_by_readers(object));
    if (kind == EventKind::try_acquire_failed && !held && below(4) != 0) return;
    Event& e = put(t, kind, object);
    if (kind == EventKind::gap_range && parts_) choose_bytes(e.op);
  }
  static std::uint32_t size_of(const auto& list) { return static_cast<std::uint32_t>(list.size()); }

  Event& put(std::uint32_t t, EventKind kind, std::uint32_t object = 0) {
    threads_[t].acted = true;
    const auto n = static_cast<std::uint32_t>(trace_.size());
    trace_.push_back(
        {ThreadId{t}, {.kind = kind, .site = SiteId{1 + (o_.unique_sites ? n : below(3))}}, object});
    return trace_.back();
  }

  void access(std::uint32_t t, EventKind kind) {
    const std::uint32_t x = below(variables_);
    const bool atomic = is_atomic(kind), for_atomics = (atomic_variables_ >> x & 1) != 0;
    if (atomic != for_atomics && below(8) != 0) return;  // few variables are accessed in both ways
    const auto l = static_cast<std::uint32_t>(x % locks_.size());
    if (!atomic && below(20) < discipline_ && !holds(t, l, kind != EventKind::read)) {
      // To read, holding it as a reader is enough.
      const bool reader = kind == EventKind::read && weight(EventKind::acquire_shared) > 0;
      return acquire(t, l, reader && below(2) == 0 ? EventKind::acquire_shared : EventKind::acquire);
    }
    Event& e = put(t, kind, x);
    if (parts_) choose_bytes(e.op);
    if (atomic) e.op.order = draw_order(kind);
  }
  bool holds(std::uint32_t t, std::uint32_t l, bool exclusively) const {
    const auto& held = threads_[t].holds;
    return std::find(held.begin(), held.end(), Hold{l, false}) != held.end() ||
           (!exclusively && std::find(held.begin(), held.end(), Hold{l, true}) != held.end());
  }
  void choose_bytes(Op& op) {
    struct Part {
      std::uint8_t offset, size;
    };
    static constexpr std::array<Part, 10> kParts = {
        {{0, 0}, {0, 8}, {0, 4}, {4, 4}, {2, 4}, {0, 1}, {7, 1}, {0, 4}, {4, 8}, {6, 4}}};
    const Part part = kParts[below(o_.across ? 10 : 8)];
    op.offset = part.offset;
    op.value = part.size;
  }
  MemoryOrder draw_order(EventKind kind) {
    using O = MemoryOrder;
    static constexpr std::array<O, 6> kAny = {O::relaxed, O::consume, O::acquire,
                                              O::release, O::acq_rel, O::seq_cst};
    static constexpr std::array<O, 5> kLoad = {O::relaxed, O::consume, O::acquire, O::acquire, O::seq_cst};
    static constexpr std::array<O, 4> kStore = {O::relaxed, O::release, O::release, O::seq_cst};
    if (kind == EventKind::atomic_load) return kLoad[below(5)];
    if (kind == EventKind::atomic_store) return kStore[below(4)];
    return kAny[below(6)];
  }

  void allocate(std::uint32_t t, EventKind kind) {
    Event& e = put(t, kind, below(variables_));
    static constexpr std::array<std::uint8_t, 4> kSizes = {0, 8, 4, 16};
    if (parts_) e.op.value = kSizes[below(o_.across ? 4 : 3)];
    if (parts_ && o_.longest > 2 && below(2) == 0) e.op.value = 1 + below(o_.longest * 8);
  }

  void acquire(std::uint32_t t, std::uint32_t l, EventKind kind) {
    Lock& lock = locks_[l];
    const bool shared = kind == EventKind::acquire_shared;
    const bool mine = lock.depth > 0 && lock.writer == t;
    if (lock.depth > 0 && !mine) return;
    if (!shared && !mine && held_by_readers(l)) return;
    if (holds(t, l, false) && below(4) != 0) return;  // re-entered, seldom
    threads_[t].holds.push_back({l, shared});
    if (!shared) {
      lock.writer = t;
      ++lock.depth;
    }
    put(t, kind, l);
  }
  bool held_by_readers(std::uint32_t l) const {
    return std::any_of(threads_.begin(), threads_.end(), [&](const Thread& u) {
      return std::find(u.holds.begin(), u.holds.end(), Hold{l, true}) != u.holds.end();
    });
  }
  // Mostly of the lock taken last, else of any, also in the order in which they were taken.
  void release(std::uint32_t t, EventKind kind) {
    auto& holds = threads_[t].holds;
    if (holds.empty()) return;
    std::size_t at = holds.size() - 1;
    if (!o_.nested_locks && below(3) == 0) at = below(static_cast<std::uint32_t>(holds.size()));
    const Hold hold = holds[at];
    if (hold.shared != (kind == EventKind::release_shared)) return;
    holds.erase(holds.begin() + static_cast<std::ptrdiff_t>(at));
    if (!hold.shared) --locks_[hold.lock].depth;
    put(t, kind, hold.lock);
  }

  void fork(std::uint32_t t) {
    const std::uint32_t u = below(static_cast<std::uint32_t>(threads_.size()));
    if (!threads_[u].forked || threads_[u].started || threads_[u].joined || u == t) return;
    if (!o_.forks_inside && !threads_[t].holds.empty()) return;
    threads_[u].started = true;
    put(t, EventKind::fork, u);
  }
  void join(std::uint32_t t) {
    const std::uint32_t u = below(static_cast<std::uint32_t>(threads_.size()));
    Thread& child = threads_[u];
    if (u == t || (!child.acted && !child.started)) return;
    if (child.joined && (o_.joined_again == 0 || below(100) >= o_.joined_again)) return;
    if (!child.holds.empty() && below(4) != 0) return;
    if (!o_.forks_inside && !(threads_[t].holds.empty() && child.holds.empty())) return;
    child.joined = true;
    put(t, EventKind::join, u);
  }

  void message(std::uint32_t t, EventKind kind) {
    const std::uint32_t c = below(2);
    if (kind == EventKind::send) sent_[c] = true;
    if (sent_[c]) put(t, kind, c);
  }

  void barrier(std::uint32_t t, EventKind kind) {
    const std::uint32_t b = below(4) == 0;
    Barrier& barrier = barriers_[b];
    bool& inside = threads_[t].inside[b];
    if (kind == EventKind::barrier_enter) {
      if (!barrier.open && barrier.inside == 0) barrier = {barrier.generation + 1, 0, true};
      if (inside || !barrier.open) return;
      ++barrier.inside;
    } else {
      // Left alone it orders nothing: mostly some wait for others.
      if (!inside || (barrier.open && barrier.inside < 2 && below(8) != 0)) return;
      barrier.open = false;
      --barrier.inside;
    }
    inside = kind == EventKind::barrier_enter;
    put(t, kind, b).op.value = barrier.generation;
  }

  void other(std::uint32_t t, EventKind kind) {
    if (kind == EventKind::begin && threads_[t].acted) return;
    if (kind == EventKind::end && trace_.size() < 4) return;
    threads_[t].over = kind == EventKind::end;
    Event& e = put(t, kind);
    if (kind == EventKind::fence) e.op.order = draw_order(kind);
  }

  std::mt19937_64 random_;
  const SmallTraceOptions& o_;
  std::array<std::uint32_t, kEventKinds> weights_{};
  std::uint32_t total_ = 0, variables_ = 1, discipline_ = 0, atomic_variables_ = 0;
  bool parts_ = false;
  std::vector<Thread> threads_;
  std::vector<Lock> locks_;
  std::array<Barrier, 2> barriers_{};
  std::array<bool, 2> sent_{};
  std::vector<Event> trace_;
};

inline std::vector<Event> small_trace(std::uint64_t seed, const SmallTraceOptions& options) {
  return SmallTraceMaker(seed, options).make();
}

}  // namespace deadheat::oracle
