// Checks a witness: an order of some events of a trace after which two conflicting accesses are both next.
//
// This is the judge of all who make witnesses, so it shares nothing with them but the event model. At each
// position it asks the trace and what was done so far, and keeps no state in between.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deadheat/event.h"
#include "oracle/gaps.h"

namespace deadheat::oracle {

struct Verdict {
  std::string broken;        // the rule; empty: all is well
  std::size_t position = 0;  // in the order, or its length if the end is wrong
  bool ok() const { return broken.empty(); }
};

class WitnessChecker {
 public:
  // `writes_read`: where it is not known whether the trace is complete, plain writes are reads too.
  explicit WitnessChecker(std::span<const Event> trace, bool writes_read = false)
      : trace_(trace), writes_read_(writes_read), gaps_(trace) {}

  // Whether the events of these numbers, in this order, are a correct reordering of the trace.
  Verdict check(std::span<const std::size_t> order) const {
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (std::string broken = wrong_with(order.first(i), order[i]); !broken.empty()) return {broken, i};
    }
    return {};
  }

  // Whether this order also leaves both a and b, which conflict, next in their threads.
  Verdict check(std::span<const std::size_t> order, std::size_t a, std::size_t b) const {
    if (Verdict v = check(order); !v.ok()) return v;
    if (a > b) std::swap(a, b);
    if (b >= trace_.size() || !conflict(a, b)) return {"the pair does not conflict", order.size()};
    for (const std::size_t e : {a, b}) {
      if (!is_next(order, e)) return {"an access of the pair is not next in its thread", order.size()};
      if (!is_started(order, trace_[e].thread)) {
        return {"the thread of an access of the pair is not forked", order.size()};
      }
    }
    return {};
  }

 private:
  using Done = std::span<const std::size_t>;

  static bool has(Done done, std::size_t e) { return std::find(done.begin(), done.end(), e) != done.end(); }

  std::string wrong_with(Done done, std::size_t e) const {
    if (e >= trace_.size()) return "there is no such event";
    if (has(done, e)) return "the event is done twice";
    if (!is_next(done, e)) return "the event is not next in its thread";
    if (!is_started(done, trace_[e].thread)) return "the thread is not forked";
    if (is_gap(trace_[e].op.kind)) return wrong_gap(done, e);
    if (is_failed_attempt(trace_[e].op.kind)) return fails(done, e) ? "" : "an attempt that failed would not";
    if (writes_read_ && trace_[e].op.kind == EventKind::write) return wrong_value(done, e);
    switch (trace_[e].op.kind) {
      case EventKind::read:
      case EventKind::atomic_load:
      case EventKind::atomic_rmw:
        return wrong_value(done, e);
      case EventKind::acquire:
      case EventKind::acquire_shared:
        return wrong_lock(done, e);
      case EventKind::join:
      case EventKind::recv:
      case EventKind::barrier_exit:
      case EventKind::alloc:
        return missing(done, e);
      default:
        return "";
    }
  }

  bool is_next(Done done, std::size_t e) const {
    for (std::size_t i = 0; i < e; ++i) {
      if (trace_[i].thread == trace_[e].thread && !has(done, i)) return false;
    }
    return !has(done, e);
  }
  bool is_started(Done done, ThreadId t) const {
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (trace_[i].op.kind == EventKind::fork && ThreadId{trace_[i].object} == t) return has(done, i);
    }
    return true;
  }

  static std::uint64_t first_byte(const Event& e) {
    return std::uint64_t{e.object} * 8 + (e.op.value == 0 ? 0 : e.op.offset);
  }
  static std::uint64_t byte_count(const Event& e) { return e.op.value == 0 ? 8 : e.op.value; }
  static bool touches(const Event& e, std::uint64_t byte) {
    return is_of_memory(e.op.kind) && byte >= first_byte(e) && byte - first_byte(e) < byte_count(e);
  }
  static bool changes(const Event& e) {
    return e.op.kind == EventKind::write || e.op.kind == EventKind::atomic_store ||
           e.op.kind == EventKind::atomic_rmw || e.op.kind == EventKind::alloc ||
           e.op.kind == EventKind::free;
  }
  std::string wrong_value(Done done, std::size_t e) const {
    for (std::uint64_t n = 0; n < byte_count(trace_[e]); ++n) {
      const std::uint64_t byte = first_byte(trace_[e]) + n;
      std::optional<std::size_t> then, now;
      for (std::size_t i = 0; i < e; ++i) {
        if (changes(trace_[i]) && touches(trace_[i], byte)) then = i;
      }
      for (const std::size_t i : done) {
        if (changes(trace_[i]) && touches(trace_[i], byte)) now = i;
      }
      if (then != now) return "a byte that is read has another last write than in the trace";
      // O3, as it is written: which gaps lie between.
      const auto after = [&](std::size_t g) {
        const auto last = std::find(done.begin(), done.end(), now.value_or(trace_.size()));
        return !now || std::find(last, done.end(), g) != done.end();
      };
      for (const std::size_t g : gaps_.all()) {
        if (!gaps_.may_write(g, byte)) continue;
        const bool between = has(done, g) && after(g);
        const bool between_in_trace = gaps_.happens_before(g, e) && (!now || gaps_.happens_before(*now, g));
        if (between != between_in_trace)
          return "what may be hidden between a read and its write is not the same";
      }
    }
    return "";
  }

  std::string wrong_gap(Done done, std::size_t g) const {
    for (const std::size_t before : gaps_.all()) {
      if (gaps_.happens_before(before, g) && gaps_.overlap(before, g) && !has(done, before)) {
        return "a gap comes before another that happens before it";
      }
    }
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (!changes(trace_[i])) continue;
      for (std::uint64_t n = 0; n < byte_count(trace_[i]); ++n) {
        const std::uint64_t byte = first_byte(trace_[i]) + n;
        if (gaps_.may_read(g, byte) && last_write(done, byte) != last_write_before(g, byte)) {
          return "a byte that a gap may have read has another last write than in the trace";
        }
      }
    }
    return "";
  }
  std::optional<std::size_t> last_write(Done done, std::uint64_t byte) const {
    std::optional<std::size_t> last;
    for (const std::size_t i : done) {
      if (changes(trace_[i]) && touches(trace_[i], byte)) last = i;
    }
    return last;
  }
  std::optional<std::size_t> last_write_before(std::size_t e, std::uint64_t byte) const {
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < e; ++i) {
      if (changes(trace_[i]) && touches(trace_[i], byte)) last = i;
    }
    return last;
  }

  // How often a lock is held, exclusively and shared.
  std::pair<int, int> held(Done done, std::uint32_t lock) const {
    std::pair<int, int> out;
    for (const std::size_t i : done) {
      if (!is_of_lock(trace_[i].op.kind) || trace_[i].object != lock) continue;
      const EventKind kind = trace_[i].op.kind;
      const bool shared = kind == EventKind::acquire_shared || kind == EventKind::release_shared;
      const bool takes = kind == EventKind::acquire || kind == EventKind::acquire_shared;
      (shared ? out.second : out.first) += takes ? 1 : -1;
    }
    return out;
  }
  bool fails(Done done, std::size_t e) const {
    const Event& event = trace_[e];
    std::vector<std::size_t> before(e);
    for (std::size_t i = 0; i < e; ++i) before[i] = i;
    if (event.op.kind == EventKind::try_acquire_failed) {
      const auto now = held(done, event.object), then = held(before, event.object);
      if (then.first == 0 && then.second == 0) {  // nobody knows when it was held
        return done.size() == e &&
               std::all_of(done.begin(), done.end(), [e](std::size_t i) { return i < e; });
      }
      return now.first > 0 || (now.second > 0 && then.first == 0 && then.second > 0);
    }
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      const EventKind kind = trace_[i].op.kind;
      if (event.op.kind == EventKind::try_recv_failed && trace_[i].object == event.object &&
          (kind == EventKind::send || kind == EventKind::recv) && has(done, i) != (i < e)) {
        return false;
      }
      if (event.op.kind == EventKind::try_join_failed && kind == EventKind::end && i > e &&
          trace_[i].thread == ThreadId{event.object} && has(done, i)) {
        return false;
      }
    }
    return true;
  }

  std::string wrong_lock(Done done, std::size_t e) const {
    struct Hold {
      ThreadId thread;
      bool exclusive;
    };
    std::vector<Hold> holds;  // of this lock
    for (const std::size_t i : done) {
      if (!is_of_lock(trace_[i].op.kind) || trace_[i].object != trace_[e].object) continue;
      const EventKind kind = trace_[i].op.kind;
      const bool exclusive = kind == EventKind::acquire || kind == EventKind::release;
      if (kind == EventKind::acquire || kind == EventKind::acquire_shared) {
        holds.push_back({trace_[i].thread, exclusive});
        continue;
      }
      const auto gone = std::find_if(holds.begin(), holds.end(), [&](const Hold& h) {
        return h.thread == trace_[i].thread && h.exclusive == exclusive;
      });
      if (gone == holds.end()) return "a lock is released that is not held";
      holds.erase(gone);
    }
    for (const Hold& h : holds) {
      if (h.thread != trace_[e].thread && (h.exclusive || trace_[e].op.kind == EventKind::acquire)) {
        return "the lock is held by another thread";
      }
    }
    return "";
  }

  // Events that come first because they come first in the trace.
  std::string missing(Done done, std::size_t e) const {
    const Event& event = trace_[e];
    for (std::size_t i = 0; i < e; ++i) {
      const Event& before = trace_[i];
      if (has(done, i)) continue;
      const bool same_object = before.object == event.object;
      if (event.op.kind == EventKind::join) {
        if (before.thread == ThreadId{event.object}) return "a joined thread has not done all it did";
        if (before.op.kind == EventKind::fork && same_object) return "a joined thread is not forked";
      } else if (event.op.kind == EventKind::recv) {
        if (before.op.kind == EventKind::send && same_object)
          return "a message is received before it is sent";
      } else if (event.op.kind == EventKind::barrier_exit) {
        if (before.op.kind == EventKind::barrier_enter && same_object && before.op.value == event.op.value) {
          return "a barrier is left before all have come";
        }
      } else if ((before.op.kind == EventKind::alloc || before.op.kind == EventKind::free) &&
                 share_a_byte(before, event)) {
        return "memory is allocated before it was allocated or freed the last time";
      }
    }
    return "";
  }

  static bool share_a_byte(const Event& a, const Event& b) {
    for (std::uint64_t n = 0; n < byte_count(a); ++n) {
      if (touches(b, first_byte(a) + n)) return true;
    }
    return false;
  }
  bool conflict(std::size_t a, std::size_t b) const {
    const Event &x = trace_[a], &y = trace_[b];
    const auto plain = [](const Event& e) { return !is_atomic(e.op.kind); };
    if (x.thread == y.thread || x.op.kind == EventKind::alloc || y.op.kind == EventKind::alloc) return false;
    if (!(changes(x) || changes(y)) || !(plain(x) || plain(y))) return false;
    for (std::uint64_t n = 0; n < byte_count(x); ++n) {
      const std::uint64_t byte = first_byte(x) + n;
      if (!touches(x, byte) || !touches(y, byte)) continue;
      bool renewed = false;
      for (std::size_t i = a; i < b; ++i) {
        renewed = renewed || (trace_[i].op.kind == EventKind::alloc && touches(trace_[i], byte));
      }
      if (!renewed) return true;
    }
    return false;
  }

  std::span<const Event> trace_;
  bool writes_read_;
  Gaps gaps_;
};

}  // namespace deadheat::oracle
