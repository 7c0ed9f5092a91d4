#include "solve/greedy.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

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
          if (s.acquire == kNone || rules.in(cut, s.acquire)) f(s, lock);
        }
      }
    }
  }
}

// Whether another thread takes the lock after this section begins.
bool taken_again(const Rules& rules, const Cut& cut, const Section& section, const Lock& lock) {
  const auto later = [&](const Section& s) {
    return s.acquire != kNone && (section.acquire == kNone || s.acquire > section.acquire) &&
           rules.in(cut, s.acquire);
  };
  for (const Lock::OfThread& other : lock.threads) {
    if (other.thread == section.thread) continue;
    if (std::ranges::any_of(other.exclusive, later)) return true;
    if (section.mode == Mode::exclusive && std::ranges::any_of(other.shared, later)) return true;
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

Cut with_ends(const Rules& rules, const Cut& must, const Cut& may) {
  Cut cut = must;
  for (bool progress = true; progress;) {
    progress = false;
    const Cut begun = cut;
    each_section(rules, begun, [&](const Section& s, const Lock&) {
      if (s.release == kNone || rules.in(cut, s.release) || !rules.in(may, s.release)) return;
      rules.add(cut, s.release);
      progress = true;
    });
  }
  return cut;
}

namespace {

class Steps {
 public:
  Steps(const Rules& rules, const Goal& goal, const Saturation& forced)
      : rules_(rules), forced_(forced), replay_(rules), done_(rules.threads()) {
    for (Index p = 0; p < rules.parts().size(); ++p) {
      for (const Part::Read& r : rules.parts()[p].reads) {
        if (rules.in(forced.must(), r.event)) ++readers_[key(p, r.source)];
      }
    }
    for (const Rules::Value& v : goal.finals) ++readers_[key(v.part, v.source)];
  }

  std::optional<Order> run() {
    std::size_t count = 0;
    for (const Index n : forced_.must()) count += n;
    Order order;
    while (order.size() < count) {
      const Index i = first_possible();
      if (i == kNone) return std::nullopt;
      for (const Rules::Value& v : rules_.reads(i)) --readers_[key(v.part, v.source)];
      replay_.do_event(i);
      ++done_[rules_.thread(i)];
      order.push_back(i);
    }
    return order;
  }

 private:
  static std::uint64_t key(Index part, Index source) { return std::uint64_t{part} << 32 | source; }

  Index first_possible() const {
    Index found = kNone;
    for (Index t = 0; t < rules_.threads(); ++t) {
      if (done_[t] == forced_.must()[t]) continue;
      const Index i = rules_.events_of(t)[done_[t]];
      if (i < found && possible(i)) found = i;
    }
    return found;
  }
  bool possible(Index i) const {
    const auto before = forced_.before(i);
    for (Index t = 0; t < rules_.threads(); ++t) {
      if (before[t] > done_[t] && t != rules_.thread(i)) return false;
    }
    const EventKind kind = rules_.event(i).op.kind;
    if (rules_.lock(i) != kNone && is_acquire(kind) && !replay_.may_acquire(i)) return false;
    for (const Rules::Value& v : rules_.reads(i)) {
      if (replay_.last(v.part) != v.source) return false;
    }
    for (const Index part : rules_.sets(i)) {
      const auto waiting = readers_.find(key(part, replay_.last(part)));
      if (waiting != readers_.end() && waiting->second > (reads(kind) ? 1u : 0u)) return false;
    }
    return true;
  }

  const Rules& rules_;
  const Saturation& forced_;
  Replay replay_;
  Cut done_;
  std::unordered_map<std::uint64_t, std::uint32_t> readers_;  // still to come, by part and source
};

}  // namespace

std::optional<Order> step_by_step(const Rules& rules, const Goal& goal, const Saturation& forced) {
  auto order = Steps(rules, goal, forced).run();
  if (order && !finals_hold(rules, goal, *order)) return std::nullopt;
  return order;
}

}  // namespace deadheat::solve
