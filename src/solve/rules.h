// What every correct reordering of a window keeps, made ready to be asked about many pairs.
//
// Events need others: those before them in their thread, the fork of the thread, of a joined thread its
// events, the sends of a channel, the enters of a barrier's generation, the write that a read sees, what was
// done last to memory that is allocated, the release of a lock that was held at the window's start. Needs
// point forward in the trace: it is one of the orders that keep them.
// Besides, sections of a lock do not overlap, and nothing is written between a read and the write it sees:
// this leaves a choice.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "solve/window.h"

namespace deadheat::solve {

using Index = std::uint32_t;  // of an event in its window, of a thread among those of the window
inline constexpr Index kNone = UINT32_MAX;
// By thread: its first so many events.
using Cut = std::vector<Index>;

// Where a thread holds a lock: from its outermost acquire to its outermost release.
struct Section {
  Index thread;
  model::HeldLocks::Mode mode;
  Index acquire;  // none: it is held at the window's start
  Index release;  // none: it is still held at the window's end
};
// Of a lock that more than one thread wants: by thread, in order; those of a thread and mode do not overlap.
struct Lock {
  struct OfThread {
    Index thread;
    std::vector<Section> exclusive, shared;
  };
  std::vector<OfThread> threads;
};

// Bytes that the same events touch, some of them reading, some setting, in several threads.
struct Part {
  struct Sets {
    Index thread;
    std::vector<Index> events;  // in order
  };
  struct Read {
    Index event;
    Index source;  // none: it sees what was there at the window's start
  };
  std::vector<Sets> sets;
  std::vector<Read> reads;
};

class Rules {
 public:
  explicit Rules(const Window& window);

  struct Value {
    Index part;
    Index source;
  };
  struct Need {
    Index before, after;
  };

  std::size_t size() const { return events_.size(); }
  std::uint64_t first() const { return first_; }
  const Event& event(Index i) const { return events_[i]; }
  Index threads() const { return static_cast<Index>(of_thread_.size()); }
  // Of a thread, in order.
  const std::vector<Index>& events_of(Index thread) const { return of_thread_[thread]; }
  Index thread(Index i) const { return thread_[i]; }
  Index rank(Index i) const { return rank_[i]; }
  bool in(const Cut& cut, Index i) const { return rank_[i] < cut[thread_[i]]; }

  // All that event i needs, itself included.
  std::span<const Index> needs(Index i) const { return {&needs_[std::size_t{i} * threads()], threads()}; }
  bool needs(Index i, Index other) const { return needs(i)[thread_[other]] > rank_[other]; }
  // All that is needed so that event i is next in its thread.
  Cut before(Index i) const;
  // The same without what is needed only because the window begins where it does: in any reordering of the
  // trace.
  Cut always_before(Index i) const;
  void add(Cut& cut, Index i) const;  // event i and all that it needs
  // The needs between threads: all of them, and by their ends.
  const std::vector<Need>& across() const { return across_; }
  std::span<const Need> into(Index after) const {
    return {across_.data() + into_[after], across_.data() + into_[after + 1]};
  }
  const std::vector<Index>& out_of(Index before) const { return out_of_[before]; }

  const std::vector<Lock>& locks() const { return locks_; }
  // The lock whose section event i begins or ends; none: no lock, or one that nobody else wants.
  Index lock(Index i) const { return lock_[i]; }
  const Section& section(Index acquire) const;  // of such a lock
  const std::vector<Part>& parts() const { return parts_; }
  // What event i must find, and which parts it sets.
  const std::vector<Value>& reads(Index i) const { return reads_[i]; }
  const std::vector<Index>& sets(Index i) const { return sets_[i]; }

 private:
  void find_threads();
  void find_sections(const Window& window);
  void find_needs_at_start(const Lock& lock);
  void find_needs_of_threads();
  void find_needs_of_messages();
  void find_needs_of_gaps(const Window& window);
  void find_needs_of_attempts(const Window& window);
  void find_memory();
  void keep_parts(const std::vector<std::vector<Index>>& touching);
  void close_needs();
  std::vector<Need> close(std::vector<Index>& needs, const std::vector<Need>& across) const;
  Cut before(const std::vector<Index>& needs, Index i) const;
  void need(Index after, Index before);
  bool is_reading(EventKind kind) const;
  bool is_setting(EventKind kind) const;

  std::uint64_t first_;
  std::span<const Event> events_;
  bool writes_read_, keeps_gaps_;
  Index last_gap_ = 0;                               // of unknown bytes
  std::unordered_map<std::uint32_t, Index> number_;  // of a thread by its id
  std::vector<Index> thread_, rank_;                 // by event
  std::vector<std::vector<Index>> of_thread_;
  std::vector<Index> needs_;  // by event and thread
  // Where locks are held at the start: the same without the needs of their releases.
  std::vector<Need> at_start_;
  std::vector<Index> always_;
  std::vector<Need> across_;  // by the later event
  std::vector<std::size_t> into_;
  std::vector<std::vector<Index>> out_of_;
  std::vector<Index> lock_;  // by event
  std::vector<Lock> locks_;
  std::vector<Part> parts_;
  std::vector<std::vector<Value>> reads_;
  std::vector<std::vector<Index>> sets_;
};

inline bool reads(EventKind kind) {
  return kind == EventKind::read || kind == EventKind::atomic_load || kind == EventKind::atomic_rmw;
}
inline bool sets(EventKind kind) {
  return is_of_memory(kind) && kind != EventKind::read && kind != EventKind::atomic_load;
}
inline bool Rules::is_reading(EventKind kind) const {
  return solve::reads(kind) || (writes_read_ && kind == EventKind::write) ||
         (keeps_gaps_ && kind == EventKind::gap_range);
}
inline bool Rules::is_setting(EventKind kind) const {
  return solve::sets(kind) || (keeps_gaps_ && kind == EventKind::gap_range);
}
inline bool is_acquire(EventKind kind) {
  return kind == EventKind::acquire || kind == EventKind::acquire_shared;
}
inline bool is_shared(EventKind kind) {
  return kind == EventKind::acquire_shared || kind == EventKind::release_shared;
}

}  // namespace deadheat::solve
