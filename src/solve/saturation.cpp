#include "solve/saturation.h"

#include <algorithm>

namespace deadheat::solve {

Saturation::Saturation(const Rules& rules, const Goal& goal, Depth depth)
    : rules_(&rules),
      goal_(&goal),
      must_(rules.threads()),
      rows_(rules.size() * rules.threads()),
      after_(rules.size()) {
  require(goal.must);
  if (depth == Depth::all) saturate();
}

void Saturation::assume(std::span<const Rules::Need> orders) {
  for (const Rules::Need& n : orders) {
    if (n.before == kNone || n.after == kNone) possible_ = false;
    if (!possible_) return;
    order(n.before, n.after);
  }
  saturate();
}

void Saturation::saturate() {
  do {
    progress_ = false;
    if (possible_) locks();
    if (possible_) finals();
    if (possible_) reads();
  } while (possible_ && progress_);
}

void Saturation::require(Index i) {
  if (rules_->in(must_, i)) return;
  if (!rules_->in(goal_->may, i)) {
    possible_ = false;
    return;
  }
  Cut more = must_;
  rules_->add(more, i);
  require(more);
}

void Saturation::require(const Cut& more) {
  std::vector<Index> fresh;
  for (Index t = 0; t < rules_->threads(); ++t) {
    if (more[t] > goal_->may[t]) possible_ = false;
    for (Index rank = must_[t]; rank < more[t]; ++rank) fresh.push_back(rules_->events_of(t)[rank]);
    must_[t] = std::max(must_[t], more[t]);
  }
  progress_ = progress_ || !fresh.empty();
  std::ranges::sort(fresh);
  for (const Index i : fresh) {
    std::ranges::copy(rules_->needs(i), &rows_[row(i)]);
    if (rules_->rank(i) > 0) join(i, rules_->events_of(rules_->thread(i))[rules_->rank(i) - 1]);
    for (const Rules::Need& n : rules_->into(i)) join(i, n.before);
  }
}

// a before b.
void Saturation::order(Index a, Index b) {
  require(a);
  require(b);
  if (!possible_ || (a != b && before(a, b))) return;
  if (a == b || before(b, a)) {
    possible_ = false;
    return;
  }
  progress_ = true;
  found_.push_back({a, b});
  after_[a].push_back(b);
  join(b, a);
  spread(b);
}

bool Saturation::join(Index into, Index from) {
  bool changed = false;
  Index* const to = &rows_[row(into)];
  const Index* const more = &rows_[row(from)];
  for (std::size_t t = 0; t < rules_->threads(); ++t) {
    changed = changed || more[t] > to[t];
    to[t] = std::max(to[t], more[t]);
  }
  return changed;
}

// To all that comes after event i.
void Saturation::spread(Index i) {
  changed_.assign(1, i);
  while (!changed_.empty()) {
    const Index from = changed_.back();
    changed_.pop_back();
    const auto to = [&](Index j) {
      if (rules_->in(must_, j) && join(j, from)) changed_.push_back(j);
    };
    const auto& own = rules_->events_of(rules_->thread(from));
    if (rules_->rank(from) + 1 < own.size()) to(own[rules_->rank(from) + 1]);
    for (const Index j : rules_->out_of(from)) to(j);
    for (const Index j : after_[from]) to(j);
  }
}

void Saturation::reads() {
  for (const Part& part : rules_->parts()) {
    for (const Part::Read& r : part.reads) {
      if (!possible_) return;
      if (rules_->in(must_, r.event)) read(part, r);
    }
  }
}

void Saturation::read(const Part& part, const Part::Read& read) {
  const auto [r, w] = read;
  for (const Part::Sets& sets : part.sets) {
    // The last set before the read.
    const auto end = std::ranges::partition_point(
        sets.events, [&](Index s) { return s != r && rules_->in(must_, s) && before(s, r); });
    if (end != sets.events.begin()) {
      const Index s = *std::prev(end);
      if (w == kNone) {
        possible_ = false;
      } else if (s != w) {
        order(s, w);
      }
    }
    if (!possible_) return;
    // The first set after the source.
    const auto after = std::ranges::partition_point(sets.events, [&](Index s) {
      return rules_->in(must_, s) && w != kNone && (s == w || !before(w, s));
    });
    if (after != sets.events.end() && *after != r && rules_->in(must_, *after)) order(r, *after);
    if (!possible_) return;
  }
}

void Saturation::finals() {
  for (const Rules::Value& final : goal_->finals) {
    for (const Part::Sets& sets : rules_->parts()[final.part].sets) {
      const auto end =
          std::ranges::partition_point(sets.events, [&](Index s) { return rules_->in(must_, s); });
      if (end == sets.events.begin() || *std::prev(end) == final.source) continue;
      if (final.source == kNone) {
        possible_ = false;
      } else {
        order(*std::prev(end), final.source);
      }
      if (!possible_) return;
    }
  }
}

void Saturation::locks() {
  for (const Lock& lock : rules_->locks()) {
    for (const Lock::OfThread& of_thread : lock.threads) {
      for (const auto* sections : {&of_thread.exclusive, &of_thread.shared}) {
        for (const Section& s : *sections) {
          // Held at the start: the others need its release.
          if (s.acquire == kNone) continue;
          if (!rules_->in(must_, s.acquire)) break;
          section(lock, s);
          if (!possible_) return;
        }
      }
    }
  }
}

void Saturation::section(const Lock& lock, const Section& section) {
  for (const Lock::OfThread& other : lock.threads) {
    if (other.thread == section.thread) continue;
    others(other.exclusive, section);
    if (section.mode == model::HeldLocks::Mode::exclusive && possible_) others(other.shared, section);
    if (!possible_) return;
  }
}

// The last of their sections that begins before this one ends is to end before this one begins.
void Saturation::others(const std::vector<Section>& theirs, const Section& section) {
  const bool ends = section.release != kNone && rules_->in(goal_->may, section.release);
  const Index last = ends && rules_->in(must_, section.release) ? section.release : section.acquire;
  const auto end = std::ranges::partition_point(theirs, [&](const Section& s) {
    if (s.acquire == kNone) return true;
    return rules_->in(must_, s.acquire) && (!ends || before(s.acquire, last));
  });
  if (end == theirs.begin()) return;
  const Index release = std::prev(end)->release;
  if (release == kNone) {
    possible_ = false;
  } else {
    order(release, section.acquire);
  }
}

}  // namespace deadheat::solve
