// All accesses to a variable, by what is told of them: thread, kind, place in the program, locks held. Of
// each such group the last ones are those that an access need not come after; so it meets a group as a whole,
// and a race that fires often costs a search in each group, not a comparison with each access. Time
// O(threads, groups of those that are met) an access; 16 bytes an access.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "history/edges.h"

namespace deadheat::history {

// Accesses of one thread that differ in nothing but their time.
struct AccessGroup {
  ThreadId thread;
  EventKind kind;
  SiteId site;
  order::LocksetId held;
  std::vector<std::uint64_t> events;  // in order
  std::vector<std::uint64_t> sums;    // of a hash of each event, up to it

  bool is_of(const Kept& k) const {
    return kind == k.kind() && site == k.site && held == k.held && thread == k.epoch.thread();
  }
  void add(std::uint64_t event) {
    events.push_back(event);
    sums.push_back((sums.empty() ? 0 : sums.back()) + hash(event));
  }
  // The last ones of a group, from number `first` on. Two of these with the same number, ends and sum are
  // taken for the same.
  std::span<const std::uint64_t> from(std::size_t first) const { return std::span(events).subspan(first); }
  std::uint64_t sum_from(std::size_t first) const { return sums.back() - (first == 0 ? 0 : sums[first - 1]); }
  static std::uint64_t hash(std::uint64_t event) {
    std::uint64_t h = (event + 1) * 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93u;
    return h ^ h >> 29;
  }
};

class AllAccesses {
 public:
  void add(const Kept& access) {
    OfThread& own = of(access.epoch.thread());
    own.last = std::max(own.last, access.epoch.time());
    if (own.recent >= own.groups.size() || !own.groups[own.recent].is_of(access))
      own.recent = find(own, access);
    own.groups[own.recent].add(access.epoch.event());
  }
  // f(group, first) for each group of which some, from number `first` on, are not covered by `now`.
  template <class Now, class F>
  void each_uncovered(ThreadId t, const Now& now, F&& f) const {
    for (const OfThread& other : threads_) {
      if (now.covers(t, {other.thread, other.last})) continue;
      const auto covered = [&](std::uint64_t event) {
        return now.covers(t, {other.thread, clock::time_of(event)});
      };
      for (const AccessGroup& group : other.groups) {
        if (covered(group.events.back())) continue;
        const auto first = std::ranges::partition_point(group.events, covered);
        f(group, static_cast<std::size_t>(first - group.events.begin()));
      }
    }
  }
  template <class F>
  void each_group(F&& f) const {
    for (const OfThread& own : threads_) {
      for (const AccessGroup& group : own.groups) f(group);
    }
  }
  std::size_t bytes() const {
    std::size_t sum = sizeof(*this) + threads_.capacity() * sizeof(OfThread);
    for (const OfThread& own : threads_) sum += own.groups.capacity() * sizeof(AccessGroup);
    each_group([&](const AccessGroup& group) {
      sum += (group.events.capacity() + group.sums.capacity()) * sizeof(std::uint64_t);
    });
    return sum;
  }

 private:
  struct OfThread {
    ThreadId thread;
    clock::Time last = 0;
    std::size_t recent = 0;  // group: accesses come in rows
    std::vector<AccessGroup> groups;
  };

  OfThread& of(ThreadId t) {
    const auto at = std::ranges::lower_bound(threads_, t, {}, &OfThread::thread);
    if (at != threads_.end() && at->thread == t) return *at;
    return *threads_.insert(at, OfThread{.thread = t, .groups = {}});
  }
  static std::size_t find(OfThread& own, const Kept& access) {
    const auto at = std::ranges::find_if(own.groups, [&](const AccessGroup& g) { return g.is_of(access); });
    if (at != own.groups.end()) return static_cast<std::size_t>(at - own.groups.begin());
    own.groups.push_back({access.epoch.thread(), access.kind(), access.site, access.held, {}, {}});
    return own.groups.size() - 1;
  }

  std::vector<OfThread> threads_;  // by number
};

}  // namespace deadheat::history
