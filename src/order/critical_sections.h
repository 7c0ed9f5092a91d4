// The critical sections of a trace, and the sync-preserving closure of a set of events:
// Mathur, Pavlogiannis & Viswanathan, "Optimal Prediction of Synchronization-Preserving Races" (POPL 2021),
// definition 3 and algorithm 1.
//
// A set that has, with each of its events, all that its thread did before is told by a time for each thread.
// It is closed if of two acquires of one lock in it, by two threads and not both by readers, the earlier one
// is released in it; then its events, in the order of the trace, are a run of the program.
// (Other ways to end the sections of a set, and to order them, are for engine/osr.h.)
// Departs: the paper walks queues of sections for each variable and pair of threads; here the last section
// within a set is searched, in the part of the list that the set has grown by.
// Time O(locks x threads x log) a round, and a round for each release that is added. Memory O(1) a section.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "clock/time.h"
#include "deadheat/event.h"
#include "model/table.h"
#include "order/ideal.h"

namespace deadheat::order {

// An acquire whose section is not over in a set: it has to wait for releases that come later in the trace.
struct Waiting {
  clock::Epoch acquire;
  std::vector<clock::Epoch> releases;
};

// Message: what is known at a release; `join(ideal, message)` of Order adds it to a set.
template <class Message>
class CriticalSections {
 public:
  using Time = clock::Time;
  enum Mode : std::uint8_t { exclusive, shared };

  void acquire(ThreadId t, LockId l, Mode mode, Time time) {
    sections(l, t).of[mode].push_back({time, 0, {}});
    ++count_;
  }
  // `known`: all that comes before what follows the release, and the release itself.
  void release(ThreadId t, LockId l, Mode mode, Time time, const Message& known) {
    auto& list = sections(l, t).of[mode];
    if (list.empty()) return;
    list.back().released = time;
    list.back().known = known;
  }

  // Makes the set closed; `join(set, message)` adds what a release knows. Stops early, and returns false, if
  // the set comes to hold the event of thread t at `time`.
  template <class Join>
  bool close(Ideal& set, ThreadId t, Time time, Join&& join) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Lock& lock : locks_) {
        if (lock.threads.size() < 2) continue;
        changed |= close(set, lock, join);
        if (set[index(t)] >= time) return false;
      }
    }
    return true;
  }

  // Adds the releases of all sections that begin in the set and are over, but of those that come after event
  // `but` without locks; again and again.
  template <class Join>
  void end_all(Ideal& set, clock::Epoch but, Join&& join) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Lock& lock : locks_) {
        each_last(lock, set, [&](const OfThread& thread, Mode, const Section& section) {
          if (section.released == 0 || section.released <= set[index(thread.thread)]) return;
          if (has(section.known, but)) return;
          join(set, section.known);
          changed = true;
        });
      }
    }
  }
  // The acquires of a set that the trace has before others of the lock, though their sections are not over in
  // it. False if two threads would hold a lock.
  bool find_waiting(const Ideal& set, std::vector<Waiting>& found) const {
    found.clear();
    for (const Lock& lock : locks_) {
      bool held_twice = false;
      each_last(lock, set, [&](const OfThread& thread, Mode mode, const Section& section) {
        if (is_over(section, thread, set)) return;
        Waiting waiting{{thread.thread, section.acquired}, {}};
        each_last(lock, set, [&](const OfThread& other, Mode other_mode, const Section& before) {
          if (other.thread == thread.thread || (mode == shared && other_mode == shared)) return;
          if (!is_over(before, other, set)) {
            held_twice = true;
          } else if (before.released > section.acquired) {
            waiting.releases.emplace_back(other.thread, before.released);
          }
        });
        if (!waiting.releases.empty()) found.push_back(std::move(waiting));
      });
      if (held_twice) return false;
    }
    return true;
  }

  // All sets from now on have these events: of the sections that end in them the last one is enough.
  // True if any was dropped; not looked for as long as there are fewer than `few`.
  template <class Forget>
  bool drop_old(const Ideal& events, std::size_t few, Forget&& forget) {
    if (count_ < std::max(few, enough_)) return false;
    const std::size_t before = count_;
    for (Lock& lock : locks_) {
      for (OfThread& thread : lock.threads) {
        for (auto& list : thread.of) {
          const auto old = [end = events[index(thread.thread)]](const Section& section) {
            return section.released != 0 && section.released <= end;
          };
          const auto behind = std::ranges::partition_point(list, old);
          if (behind - list.begin() < 2) continue;
          std::for_each(list.begin(), behind - 1, [&](Section& section) { forget(section.known); });
          count_ -= static_cast<std::size_t>(behind - 1 - list.begin());
          list.erase(list.begin(), behind - 1);
        }
      }
    }
    enough_ = 2 * count_;
    return count_ < before;
  }

  std::size_t bytes() const { return count_ * sizeof(Section) * 3 / 2; }

 private:
  struct Section {
    Time acquired, released;  // 0: it is still open
    Message known;
  };
  struct OfThread {
    ThreadId thread;
    std::vector<Section> of[2];  // by mode
  };
  struct Lock {
    std::vector<OfThread> threads;
  };
  // The two latest of something, by two threads.
  struct Latest {
    Time first = 0, second = 0;
    ThreadId of_first{};
    void see(ThreadId t, Time time) {
      if (time > first) {
        second = t == of_first ? second : first;
        first = time;
        of_first = t;
      } else if (t != of_first) {
        second = std::max(second, time);
      }
    }
    Time of_others(ThreadId t) const { return t == of_first ? second : first; }
  };

  OfThread& sections(LockId l, ThreadId t) {
    std::uint32_t& number = numbers_[index(l)];
    if (number == 0) {
      locks_.emplace_back();
      number = static_cast<std::uint32_t>(locks_.size());
    }
    auto& threads = locks_[number - 1].threads;
    const auto at = std::ranges::find(threads, t, &OfThread::thread);
    if (at != threads.end()) return *at;
    threads.push_back({t, {}});
    return threads.back();
  }
  // The last section that begins within the set.
  static const Section* last(const std::vector<Section>& list, Time end) {
    if (list.empty() || list.front().acquired > end) return nullptr;
    if (list.back().acquired <= end) return &list.back();
    return &*std::prev(std::ranges::upper_bound(list, end, {}, &Section::acquired));
  }
  // f(thread, mode, section) for the last section of each thread and mode that begins within the set: earlier
  // ones are over in it.
  template <class F>
  static void each_last(const Lock& lock, const Ideal& set, F&& f) {
    for (const OfThread& thread : lock.threads) {
      for (const Mode mode : {exclusive, shared}) {
        const Time end = set[index(thread.thread)];
        const Section* const section = end == 0 ? nullptr : last(thread.of[mode], end);
        if (section != nullptr) f(thread, mode, *section);
      }
    }
  }
  static bool is_over(const Section& section, const OfThread& thread, const Ideal& set) {
    return section.released != 0 && section.released <= set[index(thread.thread)];
  }
  template <class Join>
  bool close(Ideal& set, const Lock& lock, Join& join) const {
    Latest any, writers;
    for (const OfThread& thread : lock.threads) {
      const Time end = set[index(thread.thread)];
      if (end == 0) continue;
      for (const Mode mode : {exclusive, shared}) {
        const Section* const section = last(thread.of[mode], end);
        if (section == nullptr) continue;
        any.see(thread.thread, section->acquired);
        if (mode == exclusive) writers.see(thread.thread, section->acquired);
      }
    }
    if (any.second == 0) return false;  // one thread alone
    bool changed = false;
    for (const OfThread& thread : lock.threads) {
      for (const Mode mode : {exclusive, shared}) {
        const Time end = set[index(thread.thread)];
        const Section* const section = end == 0 ? nullptr : last(thread.of[mode], end);
        if (section == nullptr || section->released == 0 || section->released <= end) continue;
        const Latest& in_the_way = mode == exclusive ? any : writers;
        if (in_the_way.of_others(thread.thread) < section->acquired) continue;
        join(set, section->known);
        changed = true;
      }
    }
    return changed;
  }

  model::Table<std::uint32_t> numbers_;  // by lock: its place in locks_ and one
  std::vector<Lock> locks_;
  std::size_t count_ = 0, enough_ = 0;
};

}  // namespace deadheat::order
