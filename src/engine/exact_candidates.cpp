#include "engine/exact_candidates.h"

#include <algorithm>

namespace deadheat::engine {

using model::HeldLocks;
using solve::Index;

ExactCandidates::ExactCandidates(const solve::Window& window, const solve::Rules& rules)
    : window_(window), rules_(rules), intervals_(window.events), accesses_(intervals_.size()) {
  find_locksets();
}

void ExactCandidates::find_locksets() {
  HeldLocks locks;
  for (const auto& h : window_.held) {
    for (std::uint32_t n = 0; n < h.depth; ++n) locks.acquire(h.thread, h.lock, h.mode, 0);
  }
  std::vector<const Lockset*> now(rules_.threads());  // by thread; none: to be looked up
  held_.resize(window_.events.size());
  for (Index i = 0; i < window_.events.size(); ++i) {
    const Event& e = window_.events[i];
    const Lockset*& own = now[rules_.thread(i)];
    if (is_of_lock(e.op.kind)) {
      const auto mode = solve::is_shared(e.op.kind) ? HeldLocks::Mode::shared : HeldLocks::Mode::exclusive;
      if (solve::is_acquire(e.op.kind)) {
        locks.acquire(e.thread, LockId{e.object}, mode, 0);
      } else {
        locks.release(e.thread, LockId{e.object}, mode);
      }
      own = nullptr;
    }
    if (!is_of_memory(e.op.kind)) continue;
    if (own == nullptr) {
      Lockset set;
      for (const auto& h : locks.held(e.thread)) set.emplace_back(index(h.lock), h.mode);
      std::ranges::sort(set);
      own = &locksets_.try_emplace(std::move(set)).first->first;
    }
    held_[i] = own;
  }
}

bool ExactCandidates::kept_apart(Index a, Index b) const {
  for (const auto& [lock, mode] : *held_[a]) {
    for (auto at = std::ranges::lower_bound(*held_[b], std::pair(lock, HeldLocks::Mode::exclusive));
         at != held_[b]->end() && at->first == lock; ++at) {
      if (mode == HeldLocks::Mode::exclusive || at->second == HeldLocks::Mode::exclusive) return true;
    }
  }
  return false;
}

std::span<const ExactCandidates::Candidate> ExactCandidates::of(Index i) {
  found_.clear();
  const Event& e = window_.events[i];
  if (!is_access(e.op.kind) && e.op.kind != EventKind::free) return pass(i), found_;
  const solve::Cut before = rules_.always_before(i);
  intervals_.each(e, [&](std::size_t at) {
    for (const Accesses& other : accesses_[at]) {
      if (other.thread == rules_.thread(i)) continue;
      // What is needed before i cannot meet it.
      const auto needed = [&](Index earlier) { return rules_.rank(earlier) < before[other.thread]; };
      for (auto a = std::ranges::partition_point(other.events, needed); a != other.events.end(); ++a) {
        const EventKind x = window_.events[*a].op.kind, y = e.op.kind;
        if ((!solve::sets(x) && !solve::sets(y)) || (is_atomic(x) && is_atomic(y)) || kept_apart(*a, i))
          continue;
        found_.push_back({*a, i, intervals_.variable(at)});
      }
    }
  });
  std::ranges::sort(found_, {}, [](const Candidate& c) { return std::pair(c.earlier, index(c.variable)); });
  const auto same = [](const Candidate& a, const Candidate& b) { return a.earlier == b.earlier; };
  found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());
  pass(i);
  return found_;
}

void ExactCandidates::pass(Index i) {
  const Event& e = window_.events[i];
  if (!is_of_memory(e.op.kind)) return;
  intervals_.each(e, [&](std::size_t at) {
    auto& accesses = accesses_[at];
    if (e.op.kind == EventKind::alloc) return accesses.clear();
    auto own = std::ranges::find(accesses, rules_.thread(i), &Accesses::thread);
    if (own == accesses.end()) own = accesses.insert(own, {rules_.thread(i), {}});
    own->events.push_back(i);
  });
}

}  // namespace deadheat::engine
