#include "engine/syncp.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/dispatch.h"

namespace deadheat::engine {

using order::Ideal;

SyncP::~SyncP() {
  cells_.for_each([](State& s) { delete s.accesses; });
}

SyncP::Asked& SyncP::Group::asked_by(ThreadId t) {
  const auto at = std::ranges::find(asked, t, &Asked::by);
  if (at != asked.end()) return *at;
  asked.push_back({t, 0, {}, {}});
  return asked.back();
}

SyncP::Group& SyncP::Accesses::group(ThreadId t, EventKind kind, SiteId site, order::LocksetId held) {
  auto of_thread = std::ranges::find(threads, t, &OfThread::thread);
  if (of_thread == threads.end()) {
    threads.push_back({t, {}});
    of_thread = std::prev(threads.end());
  }
  for (Group& group : of_thread->groups) {
    if (group.site == site && group.held == held && group.kind == kind) return group;
  }
  of_thread->groups.push_back({kind, site, held, {}, {}});
  return of_thread->groups.back();
}

SyncP::Accesses* SyncP::Accesses::clone() const {
  auto* const copy = new Accesses(*this);
  for (OfThread& thread : copy->threads) {
    for (Group& group : thread.groups) {
      for (Entry& entry : group.entries) entry.before = entry.before.share();
    }
  }
  return copy;
}

SyncP::State SyncP::State::clone() const {
  State copy = *this;
  if (accesses != nullptr) copy.accesses = accesses->clone();
  return copy;
}

void SyncP::order(const SortedBlock& block, RaceSink& races) {
  order_.begin_block(0, block.threads);
  order_.reserve(block.variables);
  cells_.reserve(block.variables);
  if (last_.size() < block.threads) {
    last_.resize(block.threads);
    closed_.resize(block.threads);
  }
  const BlockView& events = block.events;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const Op& op = events.ops[events.op[i]];
    const ThreadId t{events.thread[i]};
    const clock::Time time = clock::time_of(events.first + i);
    const LockId l{events.object[i]};
    if (object_kind(op.kind) == ObjectKind::variable) {
      access(block, i, races);
    } else if (!block.is_inner(i)) {
      dispatch(order_, t, op, events.object[i], time);
      using Sections = order::CriticalSections<Message>;
      const bool is_shared = op.kind == EventKind::acquire_shared || op.kind == EventKind::release_shared;
      const auto mode = is_shared ? Sections::shared : Sections::exclusive;
      if (op.kind == EventKind::acquire || op.kind == EventKind::acquire_shared) {
        sections_.acquire(t, l, mode, time);
      } else if (op.kind == EventKind::release || op.kind == EventKind::release_shared) {
        sections_.release(t, l, mode, time, order_.knows(t, time));
      }
    }
    last_[index(t)] = time;
  }
}

void SyncP::access(const SortedBlock& block, std::uint32_t i, RaceSink& races) {
  const BlockView& events = block.events;
  const Op& op = events.ops[events.op[i]];
  const VarId x{events.object[i]};
  const ThreadId t{events.thread[i]};
  const clock::Time time = clock::time_of(events.first + i);
  Later later{t, time, 0, op.kind, op.site, order_.moment(t)};
  const model::Stretch stretch = Sharding{}.stretch(0, index(x), op);
  const bool many = is_allocation(op.kind) && cells(op) > many_cells_;
  const auto each_cell = [&](auto&& f) {
    if (!many) return model::ByteRange{x, op}.each_cell(f);
    cells_.each_visited(index(x), index(x) + cells(op),
                        [&](std::uint32_t cell) { f(cell, model::bytes_in_cell(op, cell - index(x))); });
  };
  if (op.kind == EventKind::alloc) {
    const auto forget = [&](State& s) { drop(s.accesses); };
    cells_.forget_unvisited(stretch, forget);
    each_cell([&](std::uint32_t cell, model::ByteMask bytes) { cells_.forget(cell, bytes, forget); });
  } else if (block.is_checked(i)) {
    if (many) {
      cells_.visit_unvisited(stretch, [&](State& s, model::Stretch part) {
        if (const auto cell = cells_.first_unvisited(part)) look_at(s, *cell, later);
      });
    }
    each_cell([&](std::uint32_t cell, model::ByteMask bytes) {
      cells_.visit(cell, bytes, [&](State& s) { look_at(s, cell, later); });
    });
    tell(later, races);
  }
  dispatch(order_, t, op, index(x), time);
  order_.accessed(t, x, op, time);
}

void SyncP::look_at(State& s, std::uint32_t cell, Later& later) {
  if (s.accesses == nullptr) s.accesses = new Accesses;
  later.cell = cell;
  meet(*s.accesses, later);
  remember(*s.accesses, later);
}

bool SyncP::conflict(EventKind a, EventKind b) {
  const auto reads = [](EventKind kind) { return kind == EventKind::read || kind == EventKind::atomic_load; };
  return !(reads(a) && reads(b)) && !(is_atomic(a) && is_atomic(b));
}

void SyncP::meet(Accesses& accesses, Later& later) {
  for (OfThread& thread : accesses.threads) {
    if (thread.thread == later.thread) continue;
    for (Group& group : thread.groups) {
      // Ordered, all of them; or kept apart by a lock.
      if (later.before.covers(later.thread, {thread.thread, group.entries.back().time})) continue;
      if (!conflict(group.kind, later.kind)) continue;
      if (order_.locksets().keep_apart(group.held, later.before.held)) continue;
      meet(thread.thread, group, later);
    }
  }
}

void SyncP::meet(ThreadId t, Group& group, Later& later) {
  Asked& asked = group.asked_by(later.thread);
  const std::uint64_t place = std::uint64_t{index(later.site)} << 8 | static_cast<std::uint64_t>(later.kind);
  auto told = std::ranges::find(asked.told, place, &std::pair<std::uint64_t, std::uint64_t>::first);
  if (told == asked.told.end()) {
    asked.told.emplace_back(place, 0);
    told = std::prev(asked.told.end());
  }
  const auto count = static_cast<std::uint32_t>(group.entries.size());
  if (told->second >= limit_) {
    not_looked_at_ += asked.alive.size() + (count - asked.looked_at);
    return;
  }
  for (; asked.looked_at < count; ++asked.looked_at) asked.alive.push_back(asked.looked_at);
  // Once in the closure, an access stays there for all that the thread does from now on.
  std::erase_if(asked.alive, [&](std::uint32_t n) {
    const Entry& entry = group.entries[n];
    if (told->second >= limit_) {
      ++not_looked_at_;
      return false;
    }
    if (!can_meet(t, entry, later)) return true;
    ++told->second;
    found_.push_back({entry.time - 1, later.cell, t, group.site, group.kind});
    return false;
  });
}

bool SyncP::can_meet(ThreadId t, const Entry& entry, Later& later) {
  const auto known = [](Ideal& set, const Message& message) { join(set, message); };
  Ideal& closed = closed_[index(later.thread)];
  if (!later.closed) {
    closed.resize(last_.size());
    for (std::size_t u = 0; u < closed.size(); ++u) closed[u] = std::max(closed[u], later.before.times[u]);
    closed[index(later.thread)] = last_[index(later.thread)];
    // Nothing later than the access is in it: there is no reason to stop.
    sections_.close(closed, later.thread, later.time, known);
    later.closed = true;
  }
  if (closed[index(t)] >= entry.time) return false;
  set_ = closed;
  join(set_, entry.before);
  ++closures_;
  return set_[index(t)] < entry.time && sections_.close(set_, t, entry.time, known);
}

void SyncP::remember(Accesses& accesses, const Later& later) {
  accesses.group(later.thread, later.kind, later.site, later.before.held)
      .entries.push_back({later.time, order_.knows(later.thread, last_[index(later.thread)])});
  ++kept_;
}

void SyncP::join(Ideal& set, const Message& message) {
  if (message.vector == nullptr) return;
  const clock::Time* const times = message.vector->times();
  const std::size_t n = std::min<std::size_t>(set.size(), message.vector->width);
  for (std::size_t u = 0; u < n; ++u) set[u] = std::max(set[u], times[u]);
  if (message.last.none()) return;
  clock::Time& own = set[index(message.last.thread())];
  own = std::max(own, message.last.time());
}

void SyncP::drop(Accesses* accesses) {
  if (accesses == nullptr) return;
  for (OfThread& thread : accesses->threads) {
    for (Group& group : thread.groups) {
      for (Entry& entry : group.entries) order_.forget(entry.before);
      kept_ -= group.entries.size();
    }
  }
  delete accesses;
}

// Each earlier access once, in the order of the trace, though they may have met in several places.
void SyncP::tell(const Later& later, RaceSink& races) {
  std::ranges::sort(found_, {}, [](const Found& f) { return std::pair(f.event, f.cell); });
  const Found* last = nullptr;
  for (const Found& f : found_) {
    if (last != nullptr && last->event == f.event) continue;
    last = &f;
    races.race({VarId{f.cell},
                {f.event, f.thread, f.site, f.kind},
                {later.time - 1, later.thread, later.site, later.kind}});
  }
  found_.clear();
}

std::vector<Counter> SyncP::counters() const {
  return {{"closures", closures_}, {"pairs not looked at, beyond the limit", not_looked_at_}};
}

std::uint64_t SyncP::bytes() const {
  return order_.bytes() + cells_.bytes() + sections_.bytes() + kept_ * sizeof(Entry) * 3 / 2;
}

Result<std::unique_ptr<Engine>> make_syncp(const Settings& settings, Shape shape) {
  if (settings.get("limit") == "unlimited") return std::make_unique<SyncP>(UINT64_MAX, shape);
  const auto limit = settings.number("limit", 1, UINT64_MAX);
  if (!limit) return fail(limit.error());
  return std::make_unique<SyncP>(*limit, shape);
}

}  // namespace deadheat::engine
