// All pairs of accesses that a search can make meet. What it keeps is by variable and locks held, all
// accesses that may still race; what can meet is up to the search, which also follows the events.
//
// Pairs with a common lock, and those ordered without locks, are known without a search. Accesses and
// sections that all threads are after without locks are dropped: no thread that is forked from now on can
// meet them. (A thread that nobody forks could. So nothing is dropped before a forked thread acts, nor once
// there were two others; one that comes later nevertheless is counted.) Searches: at most as many for each
// two places in two threads and a variable as the limits say.
//
// Threads share slots (order/slots.h), by which the search knows them: the next owner is after all that the
// former one was after, and so cannot meet what that one could not. Limits are of threads.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "engine/by_slots.h"
#include "engine/engine.h"
#include "engine/meeting.h"
#include "model/cells.h"
#include "order/ideal.h"
#include "order/locksets.h"
#include "order/slots.h"

namespace deadheat::engine {

// Of two places in two threads and a variable.
struct PairLimits {
  std::uint64_t told = UINT64_MAX;    // so many pairs are told,
  std::uint64_t failed = UINT64_MAX;  // so many searches may be for nothing
};

template <class Search>
class PairDetector final : public Engine {
 public:
  static constexpr std::size_t kFew = 16;

  // Lists with fewer accesses than `few` are not searched for what can be dropped.
  PairDetector(PairLimits limits, Shape shape, std::size_t few = kFew)
      : limits_(limits), many_cells_(shape.many_cells), few_(few), search_(shape) {}
  PairDetector(const PairDetector&) = delete;
  PairDetector& operator=(const PairDetector&) = delete;
  ~PairDetector() override;

  void order(const SortedBlock& block, RaceSink& races) override;
  std::vector<Counter> counters() const override;
  std::uint64_t bytes() const override;

 private:
  using Message = typename Search::Message;

  struct Entry {
    clock::Time time;
    Message before;  // what its thread knew, with its own events before
    SiteId site;
    EventKind kind;
    ThreadId slot() const { return before.last.thread(); }
    clock::Epoch epoch() const { return {slot(), time}; }
  };
  // Pairs of a place and one of a later access.
  struct Pairs {
    std::uint64_t later;  // its site and kind
    std::uint64_t told = 0, failed = 0;
  };
  // Accesses at one place that may still race with a thread, in order.
  struct Place {
    ThreadId thread;
    SiteId site;
    EventKind kind;
    std::vector<Entry> alive;
    std::vector<Pairs> pairs;

    Pairs& pairs_with(SiteId later, EventKind what);
  };
  // What a thread, and those who had its slot before, found out about a list, as far as they have asked.
  struct Asked {
    ThreadId slot, by;
    std::size_t looked_at = 0;  // the first so many entries
    std::vector<Place> places;
  };
  // Accesses with the same locks held, in order.
  struct List {
    std::vector<Entry> entries;
    std::vector<Asked> asked;
    std::size_t enough = 0;  // when there are so many, some may be dropped

    Asked& asked_by(ThreadId slot, ThreadId t);
  };
  struct Accesses {
    std::vector<order::LocksetId> held;
    std::vector<List> lists;    // of each of these
    order::LocksetId always{};  // locks that are held in all of them
    ThreadId owner{};           // the only slot, unless there are several
    bool shared = false;
    std::vector<std::uint32_t> places;  // a hash table, if there are many: numbers of lists and one

    List* find(order::LocksetId set);
    List& add(order::LocksetId set, order::Locksets& sets);
    Accesses* clone() const;

   private:
    std::uint32_t& place(order::LocksetId set);
  };
  struct State {
    Accesses* accesses;
    std::uint32_t next;
    model::ByteMask mask;
    State clone() const;
  };
  struct Found {
    std::uint64_t event;
    std::uint32_t cell;
    ThreadId thread;
    SiteId site;
    EventKind kind;
  };

  void order_threads(ThreadId t, EventKind kind, ThreadId u, clock::Time time);
  void meet_owners();
  void access(const SortedBlock& block, std::uint32_t i, RaceSink& races);
  void look_at(State& s, std::uint32_t cell, Later& later);
  void meet(Accesses& accesses, Later& later);
  void meet(List& list, Later& later);
  void meet(Place& place, Later& later);
  void remember(Accesses& accesses, const Later& later);
  void tell(const Later& later, RaceSink& races);
  void drop(Accesses* accesses);
  void drop_old(List& list);
  void find_old();
  static bool conflict(EventKind a, EventKind b);

  PairLimits limits_;
  std::uint64_t many_cells_;
  std::size_t few_;
  Search search_;
  BySlots<Search> by_slots_;
  order::Owners owners_;
  std::size_t met_ = 0;  // of the news of the block
  model::Cells<State> cells_;
  std::vector<Found> found_;      // of one access
  std::vector<clock::Time> old_;  // by slot: all others are after its events up to then
  std::uint64_t asked_for_old_ = 0;
  // Of the last owner of a slot.
  struct Life {
    bool forked = false, came = false, joined = false;
  };
  std::vector<Life> lives_;                            // by slot
  std::uint32_t came_forked_ = 0, came_unforked_ = 0;  // threads
  std::uint64_t late_ = 0;                             // of these, when something was dropped already
  bool dropped_ = false;
  std::uint64_t kept_ = 0, not_looked_at_ = 0, given_up_ = 0;
};

template <class Search>
PairDetector<Search>::~PairDetector() {
  cells_.for_each([](State& s) { delete s.accesses; });
}

template <class Search>
typename PairDetector<Search>::Asked& PairDetector<Search>::List::asked_by(ThreadId slot, ThreadId t) {
  const auto at = std::ranges::find(asked, slot, &Asked::slot);
  if (at == asked.end()) {
    asked.push_back({slot, t, 0, {}});
    return asked.back();
  }
  if (at->by != t) {
    at->by = t;
    std::erase_if(at->places, [](const Place& place) { return place.alive.empty(); });
    for (Place& place : at->places) place.pairs.clear();
  }
  return *at;
}

template <class Search>
typename PairDetector<Search>::Pairs& PairDetector<Search>::Place::pairs_with(SiteId later, EventKind what) {
  const std::uint64_t key = std::uint64_t{index(later)} << 8 | static_cast<std::uint64_t>(what);
  const auto at = std::ranges::find(pairs, key, &Pairs::later);
  if (at != pairs.end()) return *at;
  pairs.push_back({key});
  return pairs.back();
}

// Where the set is in the hash table, or would be.
template <class Search>
std::uint32_t& PairDetector<Search>::Accesses::place(order::LocksetId set) {
  const std::size_t mask = places.size() - 1;
  std::size_t at = index(set) * 0x9E3779B97F4A7C15u >> 40 & mask;
  while (places[at] != 0 && held[places[at] - 1] != set) at = (at + 1) & mask;
  return places[at];
}

template <class Search>
typename PairDetector<Search>::List* PairDetector<Search>::Accesses::find(order::LocksetId set) {
  if (!places.empty()) {
    const std::uint32_t number = place(set);
    return number == 0 ? nullptr : &lists[number - 1];
  }
  const auto at = std::ranges::find(held, set);
  return at == held.end() ? nullptr : &lists[static_cast<std::size_t>(at - held.begin())];
}

template <class Search>
typename PairDetector<Search>::List& PairDetector<Search>::Accesses::add(order::LocksetId set,
                                                                         order::Locksets& sets) {
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

template <class Search>
typename PairDetector<Search>::Accesses* PairDetector<Search>::Accesses::clone() const {
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

template <class Search>
typename PairDetector<Search>::State PairDetector<Search>::State::clone() const {
  State copy = *this;
  if (accesses != nullptr) copy.accesses = accesses->clone();
  return copy;
}

template <class Search>
void PairDetector<Search>::order(const SortedBlock& block, RaceSink& races) {
  by_slots_.begin_block(search_, block, 0);
  search_.reserve(block.variables);
  cells_.reserve(block.variables);
  met_ = 0;
  meet_owners();
  find_old();
  const BlockView& events = block.events;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const Op& op = events.ops[events.op[i]];
    const ThreadId t = by_slots_[ThreadId{events.thread[i]}];
    const clock::Time time = clock::time_of(events.first + i);
    if (Life& life = lives_[index(t)]; !life.came) [[unlikely]] {
      life.came = true;
      ++(life.forked ? came_forked_ : came_unforked_);
      late_ += dropped_ && !life.forked ? 1 : 0;
      if (came_unforked_ > 1) std::ranges::fill(old_, 0);
    }
    if (is_of_memory(op.kind)) {
      access(block, i, races);
    } else if (block.is_inner(i)) {
      search_.pass(t, time);
    } else if (is_of_thread(op.kind)) {
      order_threads(ThreadId{events.thread[i]}, op.kind, ThreadId{events.object[i]}, time);
    } else {
      search_.synchronise(t, op, events.object[i], time);
    }
  }
}

template <class Search>
void PairDetector<Search>::order_threads(ThreadId t, EventKind kind, ThreadId u, clock::Time time) {
  by_slots_.order_threads(search_, t, kind, u, time);
  meet_owners();
  if (!by_slots_.owns(u)) return;
  Life& life = lives_[index(by_slots_[u])];
  (kind == EventKind::fork ? life.forked : life.joined) = true;
}

template <class Search>
void PairDetector<Search>::meet_owners() {
  for (; met_ < by_slots_.news().size(); ++met_) {
    const order::Slots::Owner& owner = by_slots_.news()[met_];
    owners_.add(owner);
    if (owner.slot >= lives_.size()) {
      lives_.resize(owner.slot + std::size_t{1});
      old_.resize(owner.slot + std::size_t{1});
    }
    lives_[owner.slot] = {};
  }
}

template <class Search>
void PairDetector<Search>::access(const SortedBlock& block, std::uint32_t i, RaceSink& races) {
  const BlockView& events = block.events;
  const Op& op = events.ops[events.op[i]];
  const VarId x{events.object[i]};
  const ThreadId t = by_slots_[ThreadId{events.thread[i]}];
  const clock::Time time = clock::time_of(events.first + i);
  Later later{t, time, 0, op.kind, op.site, search_.order().moment(t)};
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
  search_.access(t, op, x, time);
}

template <class Search>
void PairDetector<Search>::look_at(State& s, std::uint32_t cell, Later& later) {
  if (s.accesses == nullptr) s.accesses = new Accesses;
  later.cell = cell;
  meet(*s.accesses, later);
  remember(*s.accesses, later);
}

template <class Search>
bool PairDetector<Search>::conflict(EventKind a, EventKind b) {
  const auto reads = [](EventKind kind) { return kind == EventKind::read || kind == EventKind::atomic_load; };
  return !(reads(a) && reads(b)) && !(is_atomic(a) && is_atomic(b));
}

// What all threads are after, without locks.
template <class Search>
void PairDetector<Search>::find_old() {
  const std::size_t threads = search_.last().size();
  // As seldom as not to take time.
  const std::uint64_t now = *std::ranges::max_element(search_.last());
  if (came_forked_ == 0 || came_unforked_ > 1 || now < asked_for_old_) return;
  asked_for_old_ = now + (few_ - 1) * threads * threads;
  std::ranges::fill(old_, now);
  for (std::uint32_t t = 0; t < threads; ++t) {
    if (lives_[t].joined) continue;
    const clock::Time* const times = search_.order().moment(ThreadId{t}).times;
    for (std::uint32_t u = 0; u < threads; ++u) old_[u] = t == u ? old_[u] : std::min(old_[u], times[u]);
  }
  dropped_ |= search_.drop_old(old_, few_);
}

template <class Search>
void PairDetector<Search>::meet(Accesses& accesses, Later& later) {
  // Mostly it is the thread's own, or there is a lock that all hold.
  if (!accesses.shared && (accesses.held.empty() || accesses.owner == later.thread)) return;
  if (search_.order().locksets().keep_apart(accesses.always, later.before.held)) return;
  for (std::size_t i = 0; i < accesses.held.size(); ++i) {
    if (!search_.order().locksets().keep_apart(accesses.held[i], later.before.held))
      meet(accesses.lists[i], later);
  }
}

template <class Search>
void PairDetector<Search>::meet(List& list, Later& later) {
  Asked& asked = list.asked_by(later.thread, owners_.of({later.thread, later.time}));
  for (; asked.looked_at < list.entries.size(); ++asked.looked_at) {
    const Entry& entry = list.entries[asked.looked_at];
    if (later.before.covers(later.thread, entry.epoch())) continue;
    const ThreadId thread = owners_.of(entry.epoch());
    auto place = std::ranges::find_if(asked.places, [&](const Place& p) {
      return p.site == entry.site && p.thread == thread && p.kind == entry.kind;
    });
    if (place == asked.places.end()) {
      asked.places.push_back({thread, entry.site, entry.kind, {}, {}});
      place = std::prev(asked.places.end());
    }
    place->alive.push_back(entry);
    place->alive.back().before = entry.before.share();
  }
  for (Place& place : asked.places) {
    if (!place.alive.empty() && conflict(place.kind, later.kind)) meet(place, later);
  }
}

template <class Search>
void PairDetector<Search>::meet(Place& place, Later& later) {
  Pairs& pairs = place.pairs_with(later.site, later.kind);
  const auto enough = [&](std::uint64_t accesses) {
    if (pairs.told < limits_.told && pairs.failed < limits_.failed) return false;
    (pairs.told < limits_.told ? given_up_ : not_looked_at_) += accesses;
    return true;
  };
  if (enough(place.alive.size())) return;
  std::erase_if(place.alive, [&](Entry& entry) {
    if (enough(1)) return false;
    switch (search_.can_meet(entry.before, entry.time, later)) {
      case Verdict::meets:
        ++pairs.told;
        found_.push_back({entry.time - 1, later.cell, place.thread, place.site, place.kind});
        return false;
      case Verdict::not_now:
        ++pairs.failed;
        return false;
      case Verdict::never:
        search_.order().forget(entry.before);
        return true;
    }
    return false;
  });
}

template <class Search>
void PairDetector<Search>::remember(Accesses& accesses, const Later& later) {
  accesses.shared |= !accesses.held.empty() && accesses.owner != later.thread;
  accesses.owner = later.thread;
  List* const known = accesses.find(later.before.held);
  List& list = known != nullptr ? *known : accesses.add(later.before.held, search_.order().locksets());
  const Message before = search_.order().knows(later.thread, search_.last(later.thread));
  if (list.entries.size() >= list.enough) drop_old(list);
  list.entries.push_back({later.time, before, later.site, later.kind});
  ++kept_;
}

template <class Search>
void PairDetector<Search>::drop_old(List& list) {
  std::vector<Entry>& entries = list.entries;
  std::size_t at = 0, kept = 0;
  std::ranges::sort(list.asked, {}, &Asked::looked_at);
  auto asked = list.asked.begin();
  for (; at <= entries.size(); ++at) {
    for (; asked != list.asked.end() && asked->looked_at == at; ++asked) asked->looked_at = kept;
    if (at == entries.size()) break;
    if (entries[at].time <= old_[index(entries[at].slot())]) {
      search_.order().forget(entries[at].before);
    } else {
      entries[kept++] = entries[at];
    }
  }
  dropped_ |= kept < entries.size();
  kept_ -= entries.size() - kept;
  entries.resize(kept);
  list.enough = std::max(few_, 2 * kept);
}

template <class Search>
void PairDetector<Search>::drop(Accesses* accesses) {
  if (accesses == nullptr) return;
  for (List& list : accesses->lists) {
    for (Entry& entry : list.entries) search_.order().forget(entry.before);
    kept_ -= list.entries.size();
    for (Asked& asked : list.asked) {
      for (Place& place : asked.places) {
        for (Entry& entry : place.alive) search_.order().forget(entry.before);
      }
    }
  }
  delete accesses;
}

// Each earlier access once, in the order of the trace, though they may have met in several places.
template <class Search>
void PairDetector<Search>::tell(const Later& later, RaceSink& races) {
  std::ranges::sort(found_, {}, [](const Found& f) { return std::pair(f.event, f.cell); });
  const Found* last = nullptr;
  for (const Found& f : found_) {
    if (last != nullptr && last->event == f.event) continue;
    last = &f;
    races.race({VarId{f.cell},
                {f.event, f.thread, f.site, f.kind},
                {later.time - 1, owners_.of({later.thread, later.time}), later.site, later.kind}});
  }
  found_.clear();
}

template <class Search>
std::vector<Counter> PairDetector<Search>::counters() const {
  std::vector<Counter> all = search_.counters();
  all.push_back({"pairs not looked at, beyond the limit", not_looked_at_});
  if (limits_.failed != UINT64_MAX) all.push_back({"pairs not looked at, after tries in vain", given_up_});
  all.push_back({"threads that came without a fork, too late to meet old accesses", late_});
  return all;
}

template <class Search>
std::uint64_t PairDetector<Search>::bytes() const {
  return search_.bytes() + by_slots_.bytes() + cells_.bytes() + kept_ * sizeof(Entry) * 3 / 2;
}

}  // namespace deadheat::engine
