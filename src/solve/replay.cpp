#include "solve/replay.h"

#include <algorithm>

namespace deadheat::solve {

using Mode = model::HeldLocks::Mode;

Replay::Replay(const Rules& rules)
    : rules_(rules), held_(rules.locks().size()), last_(rules.parts().size(), kNone) {
  for (std::size_t l = 0; l < held_.size(); ++l) {
    for (const Lock::OfThread& of_thread : rules.locks()[l].threads) {
      for (const auto* sections : {&of_thread.exclusive, &of_thread.shared}) {
        if (!sections->empty() && sections->front().acquire == kNone) held_[l].push_back(sections->front());
      }
    }
  }
}

bool Replay::excludes(const Section& held, Index i) const {
  return held.thread != rules_.thread(i) &&
         (held.mode == Mode::exclusive || !is_shared(rules_.event(i).op.kind));
}

bool Replay::may_acquire(Index i) const {
  return std::ranges::none_of(held_[rules_.lock(i)], [&](const Section& s) { return excludes(s, i); });
}

std::vector<Section> Replay::in_the_way(Index i) const {
  std::vector<Section> found;
  std::ranges::copy_if(held_[rules_.lock(i)], std::back_inserter(found),
                       [&](const Section& s) { return excludes(s, i); });
  return found;
}

void Replay::do_event(Index i) {
  for (const Index part : rules_.sets(i)) last_[part] = i;
  if (rules_.lock(i) == kNone) return;
  auto& held = held_[rules_.lock(i)];
  const EventKind kind = rules_.event(i).op.kind;
  const Mode mode = is_shared(kind) ? Mode::shared : Mode::exclusive;
  if (is_acquire(kind)) {
    held.push_back({rules_.thread(i), mode, i, kNone});
  } else {
    std::erase_if(held, [&](const Section& s) { return s.thread == rules_.thread(i) && s.mode == mode; });
  }
}

}  // namespace deadheat::solve
