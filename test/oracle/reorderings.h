// All correct reorderings of a small trace (some 24 events, four threads), searched to the end.
//
// A correct reordering takes of each thread a first part of its events, in any order in which
//   - a thread starts after its fork, and a join follows all of the child's events (and its fork);
//   - a lock is held by one writer or by readers;
//   - a receive follows all sends on its channel, a barrier's exit all enters of its generation, that it
//     follows in the trace;
//   - every byte that is read was last set by the same event as in the trace, or by none if so there. alloc
//     and free set their bytes;
//   - an alloc follows all allocs and frees of its bytes that it follows in the trace;
//   - gaps are respected: gaps.h;
//   - an attempt to take a lock that failed finds it held: by a writer, or by whomever if it is held by
//     readers in the trace; if nobody holds it there, all that is before it there is done, and nothing else.
//     One to receive that failed has the same sends and receives of the channel before it as in the trace;
//     one to join that failed comes before the thread's end, if it does in the trace.
//
// Where it is not known whether a trace is complete, plain writes are also reads: Values::of_writes_too.
//
// A conflicting pair (e, f) is co-enabled if a correct reordering leaves both e and f next in their threads
// (both threads are there: forked, if they are forked at all); adjacent if one ends with e, f in this order.
//
// What can still happen depends on where each thread stands and on who last set each byte: a state seen
// before is not entered again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "oracle/gaps.h"

namespace deadheat::oracle {

struct Reorderings {
  Pairs co_enabled, adjacent;
  // For each co-enabled pair: event numbers, in an order that leads to where both are next.
  std::map<Pair, std::vector<std::size_t>> witnesses;
  // Some reordering leads to a cycle of threads, each next at an acquire of a lock that the next one holds.
  bool deadlock = false;
  std::size_t states = 0;
};

// Which values are kept.
enum class Values : std::uint8_t { read, of_writes_too };

enum class Keep : std::uint8_t {
  correct,          // all correct reorderings
  sync_preserving,  // those in which the acquires of a lock that are taken (but two by readers) keep their
                    // order
};

class ReorderingSearch {
 public:
  ReorderingSearch(Trace trace, Keep keep, Values values = Values::read)
      : trace_(trace), keep_(keep), values_(values), events_(trace.size()), gaps_(trace) {
    find_threads();
    find_needs();
    find_locks_held();
    find_memory();
    find_attempts();
  }

  // f(order) for each reordering that cannot be continued, or not into a state that was not seen.
  template <class F>
  void for_each_end(F f) {
    at_end_ = f;
    visit(start());
  }

  Reorderings run() {
    visit(start());
    found_.states = seen_.size();
    return std::move(found_);
  }

  // Whether these events in this order are a reordering of the kind that is searched.
  bool allows(const std::vector<std::size_t>& order) const {
    State s = start();
    for (const std::size_t i : order) {
      if (next(s, events_[i].thread) != i || !enabled(s, i)) return false;
      s = after(s, i);
    }
    return true;
  }

 private:
  static constexpr std::uint8_t kNobody = 0xFF;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct About {  // an event
    std::size_t thread = 0, rank = 0;
    std::vector<std::size_t> needs;       // events that come before it
    std::vector<std::size_t> parts;       // of memory that it touches
    std::vector<std::uint8_t> last_sets;  // by those, in the trace
    // Reads: by part, the gaps that have to be done before it, and those that must not be.
    std::vector<std::size_t> gaps_before, gaps_behind;
    bool found_readers = false, found_free = false;  // a failed attempt: what the lock was, if not written
  };
  struct Thread {
    std::vector<std::size_t> events;
    std::size_t fork = kNone;
    std::vector<std::map<std::uint32_t, std::pair<int, int>>> held;  // by rank: exclusive and shared depths
  };
  struct State {
    std::vector<std::uint8_t> at;    // by thread: how many of its events are done
    std::vector<std::uint8_t> last;  // by part of memory: who set it
  };

  State start() const {
    return {std::vector<std::uint8_t>(threads_.size()), std::vector<std::uint8_t>(memory_, kNobody)};
  }

  void find_threads() {
    std::map<ThreadId, std::size_t> number;
    for (const Event& e : trace_) number.try_emplace(e.thread, number.size());
    threads_.resize(number.size());
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      const std::size_t t = number[trace_[i].thread];
      events_[i].thread = t;
      events_[i].rank = threads_[t].events.size();
      threads_[t].events.push_back(i);
      if (trace_[i].op.kind != EventKind::fork) continue;
      const auto child = number.find(ThreadId{trace_[i].object});
      if (child != number.end()) threads_[child->second].fork = i;
    }
  }

  void find_needs() {
    for (std::size_t b = 0; b < trace_.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        if (needs(trace_[b], trace_[a])) events_[b].needs.push_back(a);
      }
    }
    for (const std::size_t g : gaps_.all()) {
      for (const std::size_t before : gaps_.all()) {
        if (gaps_.happens_before(before, g) && gaps_.overlap(before, g)) events_[g].needs.push_back(before);
      }
    }
  }
  bool reads(EventKind kind) const {
    return oracle::reads(kind) || (values_ == Values::of_writes_too && kind == EventKind::write);
  }
  // Whether e must come after what is before it in the trace.
  static bool needs(const Event& e, const Event& before) {
    const bool same = e.object == before.object;
    switch (e.op.kind) {
      case EventKind::join:
        return index(before.thread) == e.object || (before.op.kind == EventKind::fork && same);
      case EventKind::recv:
        return before.op.kind == EventKind::send && same;
      case EventKind::barrier_exit:
        return before.op.kind == EventKind::barrier_enter && same && before.op.value == e.op.value;
      case EventKind::alloc:
        return is_allocation(before.op.kind) && bytes_of(before).overlap(bytes_of(e));
      default:
        return false;
    }
  }

  void find_locks_held() {
    for (Thread& thread : threads_) {
      std::map<std::uint32_t, std::pair<int, int>> held;
      for (const std::size_t i : thread.events) {
        thread.held.push_back(held);
        const EventKind kind = trace_[i].op.kind;
        if (!is_of_lock(kind)) continue;
        auto& [exclusive, shared] = held[trace_[i].object];
        (edges::is_shared(kind) ? shared : exclusive) += edges::is_acquire(kind) ? 1 : -1;
      }
      thread.held.push_back(held);
    }
  }

  // Bytes that the same events touch are one part of memory.
  void find_memory() {
    std::set<std::uint64_t> bytes;
    for (const Event& e : trace_) {
      if (!is_memory(e.op.kind)) continue;
      for (std::uint64_t b = bytes_of(e).first; b < bytes_of(e).end; ++b) bytes.insert(b);
    }
    std::map<std::vector<std::size_t>, std::uint64_t> parts;  // a byte of each
    for (const std::uint64_t byte : bytes) {
      std::vector<std::size_t> touching;
      for (std::size_t i = 0; i < trace_.size(); ++i) {
        const EventKind kind = trace_[i].op.kind;
        const bool known = is_memory(kind) || kind == EventKind::gap_range;
        if (known && bytes_of(trace_[i]).contain(byte)) touching.push_back(i);
      }
      parts.emplace(touching, byte);
    }
    for (const auto& [touching, byte] : parts) {
      std::vector<std::size_t> all = touching;
      for (const std::size_t g : gaps_.all()) {
        if (trace_[g].op.kind == EventKind::gap) all.push_back(g);
      }
      std::sort(all.begin(), all.end());
      find_part(all, byte);
      ++memory_;
    }
  }
  void find_part(const std::vector<std::size_t>& touching, std::uint64_t byte) {
    std::map<std::size_t, std::uint8_t> seen;  // by gap that may have written it: the last write in the trace
    std::uint8_t last = kNobody;
    for (const std::size_t i : touching) {
      if (is_gap(trace_[i].op.kind)) {
        if (gaps_.may_write(i, byte)) seen[i] = last;
        if (!gaps_.may_read(i, byte)) continue;  // it finds whatever is there
      }
      events_[i].parts.push_back(memory_);
      events_[i].last_sets.push_back(last);
      if (sets(trace_[i].op.kind)) last = static_cast<std::uint8_t>(i);
    }
    // A gap that may have written the byte comes with the value that it finds: it is done while that is
    // there, so between the write and the read, or not at all as long as the value stays.
    last = kNobody;
    for (const std::size_t i : touching) {
      if (reads(trace_[i].op.kind)) {
        for (const auto& [g, found] : seen) {
          if (found == last) (g < i ? events_[i].gaps_before : events_[i].gaps_behind).push_back(g);
        }
      }
      if (sets(trace_[i].op.kind)) last = static_cast<std::uint8_t>(i);
    }
  }

  void find_attempts() {
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (trace_[i].op.kind != EventKind::try_acquire_failed) continue;
      std::pair<int, int> held;
      for (std::size_t k = 0; k < i; ++k) {
        const EventKind kind = trace_[k].op.kind;
        if (!is_of_lock(kind) || trace_[k].object != trace_[i].object) continue;
        (edges::is_shared(kind) ? held.second : held.first) += edges::is_acquire(kind) ? 1 : -1;
      }
      events_[i].found_readers = held.first == 0 && held.second > 0;
      events_[i].found_free = held.first == 0 && held.second == 0;
    }
  }
  bool fails(const State& s, std::size_t i) const {
    const Event& e = trace_[i];
    if (events_[i].found_free) {
      for (std::size_t k = 0; k < trace_.size(); ++k) {
        if (done(s, k) != (k < i)) return false;
      }
      return true;
    }
    if (e.op.kind == EventKind::try_acquire_failed) {
      for (std::size_t u = 0; u < threads_.size(); ++u) {
        const auto& held = threads_[u].held[s.at[u]];
        const auto lock = held.find(e.object);
        if (lock == held.end()) continue;
        if (lock->second.first > 0 || (lock->second.second > 0 && events_[i].found_readers)) return true;
      }
      return false;
    }
    for (std::size_t k = 0; k < trace_.size(); ++k) {
      const EventKind kind = trace_[k].op.kind;
      if (e.op.kind == EventKind::try_recv_failed) {
        const bool matters =
            (kind == EventKind::send || kind == EventKind::recv) && trace_[k].object == e.object;
        if (matters && done(s, k) != (k < i)) return false;
      } else if (kind == EventKind::end && index(trace_[k].thread) == e.object && k > i && done(s, k)) {
        return false;
      }
    }
    return true;
  }

  bool done(const State& s, std::size_t i) const { return s.at[events_[i].thread] > events_[i].rank; }

  // The event that thread t does next, if it is there and has one.
  std::size_t next(const State& s, std::size_t t) const {
    const Thread& thread = threads_[t];
    if (s.at[t] == thread.events.size()) return kNone;
    if (s.at[t] == 0 && thread.fork != kNone && !done(s, thread.fork)) return kNone;
    return thread.events[s.at[t]];
  }

  bool in_the_way(const State& s, std::size_t u, std::size_t acquire) const {
    if (u == events_[acquire].thread) return false;
    const auto& held = threads_[u].held[s.at[u]];
    const auto lock = held.find(trace_[acquire].object);
    if (lock == held.end()) return false;
    const auto& [exclusive, shared] = lock->second;
    return exclusive > 0 || (shared > 0 && trace_[acquire].op.kind == EventKind::acquire);
  }
  bool keeps_order(const State& s, std::size_t acquire) const {
    for (std::size_t i = acquire + 1; i < trace_.size(); ++i) {
      const EventKind a = trace_[acquire].op.kind, b = trace_[i].op.kind;
      if (edges::is_acquire(b) && trace_[i].object == trace_[acquire].object && done(s, i) &&
          !(edges::is_shared(a) && edges::is_shared(b))) {
        return false;
      }
    }
    return true;
  }
  // Whether event i, which is next in its thread, may happen now.
  bool enabled(const State& s, std::size_t i) const {
    const About& e = events_[i];
    for (const std::size_t need : e.needs) {
      if (!done(s, need)) return false;
    }
    const EventKind kind = trace_[i].op.kind;
    if (edges::is_acquire(kind)) {
      for (std::size_t u = 0; u < threads_.size(); ++u) {
        if (in_the_way(s, u, i)) return false;
      }
      if (keep_ == Keep::sync_preserving && !keeps_order(s, i)) return false;
    }
    if (is_failed_attempt(kind) && !fails(s, i)) return false;
    for (const std::size_t g : e.gaps_before) {
      if (!done(s, g)) return false;
    }
    for (const std::size_t g : e.gaps_behind) {
      if (done(s, g)) return false;
    }
    if (reads(kind) || is_gap(kind)) {
      for (std::size_t p = 0; p < e.parts.size(); ++p) {
        if (s.last[e.parts[p]] != e.last_sets[p]) return false;
      }
    }
    return true;
  }
  State after(State s, std::size_t i) const {
    ++s.at[events_[i].thread];
    if (sets(trace_[i].op.kind)) {
      for (const std::size_t part : events_[i].parts) s.last[part] = static_cast<std::uint8_t>(i);
    }
    return s;
  }

  void visit(const State& s) {
    std::string key(s.at.begin(), s.at.end());
    key.append(s.last.begin(), s.last.end());
    if (!seen_.insert(std::move(key)).second) {
      if (at_end_) at_end_(path_);
      return;
    }
    std::vector<std::size_t> nexts;
    for (std::size_t t = 0; t < threads_.size(); ++t) nexts.push_back(next(s, t));
    note_co_enabled(nexts);
    found_.deadlock = found_.deadlock || in_deadlock(s, nexts);
    bool is_end = true;
    for (const std::size_t e : nexts) {
      if (e == kNone || !enabled(s, e)) continue;
      is_end = false;
      const State then = after(s, e);
      note_adjacent(then, e);
      path_.push_back(e);
      visit(then);
      path_.pop_back();
    }
    if (is_end && at_end_) at_end_(path_);
  }

  bool conflict(std::size_t a, std::size_t b) {
    const auto at = conflicts_.find({a, b});
    if (at != conflicts_.end()) return at->second;
    return conflicts_[{a, b}] = conflicting(trace_, a, b);
  }
  void note_co_enabled(const std::vector<std::size_t>& nexts) {
    for (const std::size_t a : nexts) {
      for (const std::size_t b : nexts) {
        if (a == kNone || b == kNone || a >= b || !conflict(a, b)) continue;
        if (found_.co_enabled.insert({a, b}).second) found_.witnesses[{a, b}] = path_;
      }
    }
  }
  void note_adjacent(const State& then, std::size_t e) {
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      const std::size_t f = next(then, t);
      if (f != kNone && e < f && conflict(e, f) && enabled(then, f)) found_.adjacent.insert({e, f});
    }
  }
  bool in_deadlock(const State& s, const std::vector<std::size_t>& nexts) const {
    const std::size_t n = nexts.size();
    std::vector<std::vector<bool>> waits(n, std::vector<bool>(n));
    for (std::size_t t = 0; t < n; ++t) {
      if (nexts[t] == kNone || !edges::is_acquire(trace_[nexts[t]].op.kind)) continue;
      for (std::size_t u = 0; u < n; ++u) waits[t][u] = in_the_way(s, u, nexts[t]);
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          if (waits[i][k] && waits[k][j]) waits[i][j] = true;
        }
      }
    }
    for (std::size_t t = 0; t < n; ++t) {
      if (waits[t][t]) return true;
    }
    return false;
  }

  Trace trace_;
  Keep keep_;
  Values values_;
  std::vector<About> events_;
  Gaps gaps_;
  std::vector<Thread> threads_;
  std::size_t memory_ = 0;  // parts
  std::unordered_set<std::string> seen_;
  std::map<Pair, bool> conflicts_;
  std::vector<std::size_t> path_;
  std::function<void(const std::vector<std::size_t>&)> at_end_;
  Reorderings found_;
};

inline Reorderings reorderings(Trace trace, Keep keep = Keep::correct, Values values = Values::read) {
  return ReorderingSearch(trace, keep, values).run();
}

}  // namespace deadheat::oracle
