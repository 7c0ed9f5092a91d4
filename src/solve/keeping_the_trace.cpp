#include "solve/keeping_the_trace.h"

#include <algorithm>

#include "solve/replay.h"

namespace deadheat::solve {

namespace {

using Mode = model::HeldLocks::Mode;

bool within(const Cut& a, const Cut& b) {
  return std::ranges::equal(a, b, [](Index x, Index y) { return x <= y; });
}

// f(section, lock) for each section that begins in the cut.
template <class F>
void each_section(const Rules& rules, const Cut& cut, F&& f) {
  for (const Lock& lock : rules.locks()) {
    for (const Lock::OfThread& of_thread : lock.threads) {
      for (const auto* sections : {&of_thread.exclusive, &of_thread.shared}) {
        for (const Section& s : *sections) {
          if (s.acquire != kNone && !rules.in(cut, s.acquire)) break;
          f(s, lock);
        }
      }
    }
  }
}

// Whether another thread takes the lock after this section begins.
bool taken_again(const Rules& rules, const Cut& cut, const Section& section, const Lock& lock) {
  const auto later = [&](const std::vector<Section>& theirs) {
    const auto end = std::ranges::partition_point(
        theirs, [&](const Section& s) { return s.acquire == kNone || rules.in(cut, s.acquire); });
    if (end == theirs.begin() || std::prev(end)->acquire == kNone) return false;
    return section.acquire == kNone || std::prev(end)->acquire > section.acquire;
  };
  for (const Lock::OfThread& other : lock.threads) {
    if (other.thread == section.thread) continue;
    if (later(other.exclusive) || (section.mode == Mode::exclusive && later(other.shared))) return true;
  }
  return false;
}

bool finals_hold(const Rules& rules, const Goal& goal, const Order& order) {
  if (goal.finals.empty()) return true;
  Replay replay(rules);
  for (const Index i : order) replay.do_event(i);
  return std::ranges::all_of(goal.finals,
                             [&](const Rules::Value& v) { return replay.last(v.part) == v.source; });
}

Order events_in(const Rules& rules, const Cut& cut) {
  Order order;
  for (Index i = 0; i < rules.size(); ++i) {
    if (rules.in(cut, i)) order.push_back(i);
  }
  return order;
}

}  // namespace

std::optional<Order> keeping_the_trace(const Rules& rules, const Goal& goal) {
  Cut cut = goal.must;
  for (bool progress = true; progress;) {
    progress = false;
    bool stuck = false;
    each_section(rules, cut, [&](const Section& s, const Lock& lock) {
      if (stuck || (s.release != kNone && rules.in(cut, s.release)) || !taken_again(rules, cut, s, lock))
        return;
      if (s.release == kNone) {
        stuck = true;
        return;
      }
      rules.add(cut, s.release);
      progress = true;
      stuck = !within(cut, goal.may);
    });
    if (stuck) return std::nullopt;
  }
  if (!within(cut, goal.may)) return std::nullopt;
  Order order = events_in(rules, cut);
  if (!finals_hold(rules, goal, order)) return std::nullopt;
  return order;
}

}  // namespace deadheat::solve
