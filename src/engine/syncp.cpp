#include "engine/syncp.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/dispatch.h"

namespace deadheat::engine {

using order::Ideal;

SyncP::~SyncP() {
  cells_.for_each([](State& s) { delete s.accesses; });
}

SyncP::Asked& SyncP::List::asked_by(ThreadId t) {
  const auto at = std::ranges::find(asked, t, &Asked::by);
  if (at != asked.end()) return *at;
  asked.push_back({t, 0, {}});
  return asked.back();
}

std::uint64_t& SyncP::Place::told_to(SiteId later, EventKind what) {
  const std::uint64_t key = std::uint64_t{index(later)} << 8 | static_cast<std::uint64_t>(what);
  const auto at = std::ranges::find(told, key, &std::pair<std::uint64_t, std::uint64_t>::first);
  if (at != told.end()) return at->second;
  told.emplace_back(key, 0);
  return told.back().second;
}

// Where the set is in the hash table, or would be.
std::uint32_t& SyncP::Accesses::place(order::LocksetId set) {
  const std::size_t mask = places.size() - 1;
  std::size_t at = index(set) * 0x9E3779B97F4A7C15u >> 40 & mask;
  while (places[at] != 0 && held[places[at] - 1] != set) at = (at + 1) & mask;
  return places[at];
}

SyncP::List* SyncP::Accesses::find(order::LocksetId set) {
  if (!places.empty()) {
    const std::uint32_t number = place(set);
    return number == 0 ? nullptr : &lists[number - 1];
  }
  const auto at = std::ranges::find(held, set);
  return at == held.end() ? nullptr : &lists[static_cast<std::size_t>(at - held.begin())];
}

SyncP::List& SyncP::Accesses::add(order::LocksetId set, order::Locksets& sets) {
  always = held.empty() ? set : sets.common(always, set);
  held.push_back(set);
  lists.emplace_back();
  if (held.size() >= kFew && held.size() * 2 > places.size()) {
    places.assign(4 * std::bit_ceil(held.size()), 0);
    for (std::uint32_t i = 0; i < held.size(); ++i) place(held[i]) = i + 1;
  } else if (!places.empty()) {
    place(set) = static_cast<std::uint32_t>(held.size());
  }
  return lists.back();
}

SyncP::Accesses* SyncP::Accesses::clone() const {
  auto* const copy = new Accesses(*this);
  for (List& list : copy->lists) {
    for (Entry& entry : list.entries) entry.before = entry.before.share();
    for (Asked& asked : list.asked) {
      for (Place& place : asked.places) {
        for (Entry& entry : place.alive) entry.before = entry.before.share();
      }
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
    old_.resize(block.threads);
    forked_.resize(block.threads);
    joined_.resize(block.threads);
  }
  find_old();
  const BlockView& events = block.events;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const Op& op = events.ops[events.op[i]];
    const ThreadId t{events.thread[i]};
    const clock::Time time = clock::time_of(events.first + i);
    const LockId l{events.object[i]};
    if (last_[index(t)] == 0) [[unlikely]] {
      ++(forked_[index(t)] ? came_forked_ : came_unforked_);
      late_ += dropped_ && !forked_[index(t)] ? 1 : 0;
    }
    if (op.kind == EventKind::fork) forked_[events.object[i]] = true;
    if (op.kind == EventKind::join) joined_[events.object[i]] = true;
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

// What all threads are after, without locks.
void SyncP::find_old() {
  const std::size_t threads = last_.size();
  // As seldom as not to take time.
  const std::uint64_t now = *std::ranges::max_element(last_);
  if (came_forked_ == 0 || now < asked_for_old_) return;
  if (came_unforked_ > 1) {
    std::ranges::fill(old_, 0);
    return;
  }
  asked_for_old_ = now + (few_ - 1) * threads * threads;
  std::ranges::fill(old_, now);
  for (std::uint32_t t = 0; t < threads; ++t) {
    if (joined_[t]) continue;
    const clock::Time* const times = order_.moment(ThreadId{t}).times;
    for (std::uint32_t u = 0; u < threads; ++u) old_[u] = t == u ? old_[u] : std::min(old_[u], times[u]);
  }
  dropped_ |= sections_.drop_old(old_, few_, [this](Message& known) { order_.forget(known); });
}

void SyncP::meet(Accesses& accesses, Later& later) {
  // Mostly it is the thread's own, or there is a lock that all hold.
  if (!accesses.shared && (accesses.held.empty() || accesses.owner == later.thread)) return;
  if (order_.locksets().keep_apart(accesses.always, later.before.held)) return;
  for (std::size_t i = 0; i < accesses.held.size(); ++i) {
    if (!order_.locksets().keep_apart(accesses.held[i], later.before.held)) meet(accesses.lists[i], later);
  }
}

void SyncP::meet(List& list, Later& later) {
  Asked& asked = list.asked_by(later.thread);
  for (; asked.looked_at < list.entries.size(); ++asked.looked_at) {
    const Entry& entry = list.entries[asked.looked_at];
    if (later.before.covers(later.thread, {entry.thread(), entry.time})) continue;
    auto place = std::ranges::find_if(asked.places, [&](const Place& p) {
      return p.site == entry.site && p.thread == entry.thread() && p.kind == entry.kind;
    });
    if (place == asked.places.end()) {
      asked.places.push_back({entry.thread(), entry.site, entry.kind, {}, {}});
      place = std::prev(asked.places.end());
    }
    place->alive.push_back(entry);
    place->alive.back().before = entry.before.share();
  }
  for (Place& place : asked.places) {
    if (!place.alive.empty() && conflict(place.kind, later.kind)) meet(place, later);
  }
}

void SyncP::meet(Place& place, Later& later) {
  std::uint64_t& told = place.told_to(later.site, later.kind);
  if (told >= limit_) {
    not_looked_at_ += place.alive.size();
    return;
  }
  // Once in the closure, an access stays there for all that the thread does from now on.
  std::erase_if(place.alive, [&](Entry& entry) {
    if (told >= limit_) {
      ++not_looked_at_;
      return false;
    }
    if (!can_meet(entry, later)) {
      order_.forget(entry.before);
      return true;
    }
    ++told;
    found_.push_back({entry.time - 1, later.cell, place.thread, place.site, place.kind});
    return false;
  });
}

bool SyncP::can_meet(const Entry& entry, Later& later) {
  const ThreadId t = entry.thread();
  if (later.before.covers(later.thread, {t, entry.time})) return false;
  const auto known = [](Ideal& set, const Message& message) { order::join(set, message); };
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
  order::join(set_, entry.before);
  ++closures_;
  return set_[index(t)] < entry.time && sections_.close(set_, t, entry.time, known);
}

void SyncP::remember(Accesses& accesses, const Later& later) {
  accesses.shared |= !accesses.held.empty() && accesses.owner != later.thread;
  accesses.owner = later.thread;
  List* const known = accesses.find(later.before.held);
  List& list = known != nullptr ? *known : accesses.add(later.before.held, order_.locksets());
  const Message before = order_.knows(later.thread, last_[index(later.thread)]);
  if (list.entries.size() >= list.enough) drop_old(list);
  list.entries.push_back({later.time, before, later.site, later.kind});
  ++kept_;
}

void SyncP::drop_old(List& list) {
  std::vector<Entry>& entries = list.entries;
  std::size_t at = 0, kept = 0;
  std::ranges::sort(list.asked, {}, &Asked::looked_at);
  auto asked = list.asked.begin();
  for (; at <= entries.size(); ++at) {
    for (; asked != list.asked.end() && asked->looked_at == at; ++asked) asked->looked_at = kept;
    if (at == entries.size()) break;
    if (entries[at].time <= old_[index(entries[at].thread())]) {
      order_.forget(entries[at].before);
    } else {
      entries[kept++] = entries[at];
    }
  }
  dropped_ |= kept < entries.size();
  kept_ -= entries.size() - kept;
  entries.resize(kept);
  list.enough = std::max(few_, 2 * kept);
}

void SyncP::drop(Accesses* accesses) {
  if (accesses == nullptr) return;
  for (List& list : accesses->lists) {
    for (Entry& entry : list.entries) order_.forget(entry.before);
    kept_ -= list.entries.size();
    for (Asked& asked : list.asked) {
      for (Place& place : asked.places) {
        for (Entry& entry : place.alive) order_.forget(entry.before);
      }
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
  return {{"closures", closures_},
          {"pairs not looked at, beyond the limit", not_looked_at_},
          {"threads that came without a fork, too late to meet old accesses", late_}};
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
