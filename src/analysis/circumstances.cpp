#include "analysis/circumstances.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/window_events.h"
#include "base/assert.h"
#include "base/progress.h"
#include "model/pair_table.h"
#include "model/table.h"

namespace deadheat::analysis {

namespace {

using Mode = model::HeldLocks::Mode;
using model::NumberedEvent;

// What an event is to the thread that does it. Atomics and fences count whatever their memory order is:
// whether they order anything may depend on others far away.
struct Role {
  bool syncs = false, waits = false, signals = false, allocates = false;
};

constexpr Role role_of(EventKind kind) {
  switch (kind) {
    case EventKind::read:
    case EventKind::write:
    case EventKind::begin:  // the fork before it says more
    case EventKind::end:    // the join behind it does
    case EventKind::gap:
    case EventKind::gap_range:
    case EventKind::try_acquire_failed:
    case EventKind::try_recv_failed:
    case EventKind::try_join_failed:
      return {};
    case EventKind::alloc:
    case EventKind::free:
      return {.allocates = true};
    case EventKind::atomic_load:
    case EventKind::acquire:
    case EventKind::acquire_shared:
    case EventKind::join:
    case EventKind::recv:
    case EventKind::barrier_exit:
      return {.syncs = true, .waits = true};
    case EventKind::atomic_store:
    case EventKind::release:
    case EventKind::release_shared:
    case EventKind::fork:
    case EventKind::send:
    case EventKind::barrier_enter:
      return {.syncs = true, .signals = true};
    case EventKind::atomic_rmw:
    case EventKind::fence:
      return {.syncs = true, .waits = true, .signals = true};
  }
  return {};
}

class Gatherer {
 public:
  explicit Gatherer(std::span<const Finding> findings) : findings_(findings), races_(findings.size()) {
    for (std::size_t i = 0; i < findings.size(); ++i) {
      wanted_.push_back({findings[i].first.earlier.event, i, false});
      wanted_.push_back({findings[i].first.later.event, i, true});
    }
    std::ranges::sort(wanted_, {}, &Wanted::event);
    for (const Finding& finding : findings) memory_.push_back({.variable = index(finding.first.variable)});
    std::ranges::sort(memory_, {}, &Memory::variable);
    const auto repeated = std::ranges::unique(memory_, {}, &Memory::variable);
    memory_.erase(repeated.begin(), repeated.end());
  }

  bool done() const { return next_ == wanted_.size(); }

  // False if the events are not those of the findings.
  bool feed(const BlockView& block) {
    roles_.clear();
    for (const Op& op : block.ops) roles_.push_back(role_of(op.kind));
    for (std::size_t i = 0; i < block.size() && !done(); ++i) {
      const std::uint64_t number = block.first + i;
      if (wanted_[next_].event == number) {
        if (!take({number, block[i]})) return false;
      }
      if (roles_[block.op[i]].syncs) sync({number, block[i]}, roles_[block.op[i]]);
      if (roles_[block.op[i]].allocates) allocate({number, block[i]});
    }
    return true;
  }

  std::vector<CircumstancesOfRace> races() && { return std::move(races_); }

 private:
  struct Wanted {
    std::uint64_t event;
    std::size_t race;
    bool later;
  };
  struct Thread {
    std::optional<NumberedEvent> fork, last_sync, last_wait;
    std::vector<std::size_t> waiting;  // races whose earlier access is its, and that want its next signal
  };

  struct Where {
    SiteId site = SiteId::none;
    StackId stack = StackId::none;
  };
  // A variable that is raced for.
  struct Memory {
    std::uint32_t variable;
    std::optional<NumberedEvent> alloc = {};
    std::optional<std::uint64_t> freed = {};  // since then
  };

  void allocate(const NumberedEvent& e) {
    const std::uint64_t end = e.event.object + cells(e.event.op);
    for (auto at = std::ranges::lower_bound(memory_, e.event.object, {}, &Memory::variable);
         at != memory_.end() && at->variable < end; ++at) {
      if (e.event.op.kind == EventKind::free) {
        at->freed = e.number;
      } else {
        at->alloc = e;
        at->freed.reset();
      }
    }
  }

  std::optional<NumberedEvent> alloc_of(const model::RacePair& pair) const {
    const auto at = std::ranges::lower_bound(memory_, index(pair.variable), {}, &Memory::variable);
    return at->freed && *at->freed < pair.earlier.event ? std::nullopt : at->alloc;
  }

  bool take(const NumberedEvent& e) {
    Thread& thread = threads_[index(e.event.thread)];
    for (; !done() && wanted_[next_].event == e.number; ++next_) {
      const Wanted& wanted = wanted_[next_];
      const model::RacePair& pair = findings_[wanted.race].first;
      const model::Side& side = wanted.later ? pair.later : pair.earlier;
      if (side.thread != e.event.thread || side.kind != e.event.op.kind || side.site != e.event.op.site) {
        return false;
      }
      Circumstance& around = wanted.later ? races_[wanted.race].later : races_[wanted.race].earlier;
      around.event = e.event;
      around.held = held_by(e.event.thread);
      around.last_sync = thread.last_sync;
      around.last_wait = thread.last_wait;
      around.fork = thread.fork;
      if (wanted.later) races_[wanted.race].alloc = alloc_of(pair);
      if (!wanted.later) thread.waiting.push_back(wanted.race);
    }
    return true;
  }

  std::vector<LockHeld> held_by(ThreadId t) {
    std::vector<LockHeld> out;
    for (const model::HeldLocks::Held& held : held_.held(t)) {
      const Where* where = places(held.mode).find(index(held.lock), index(t));
      const Where known = where != nullptr ? *where : Where{};
      out.push_back({held.lock, held.mode, held.event, known.site, known.stack});
    }
    std::ranges::sort(out, {}, &LockHeld::event);
    return out;
  }

  void sync(const NumberedEvent& e, Role role) {
    // Inside a re-entered lock nothing happens.
    if (!change_locks(e)) return;
    Thread& thread = threads_[index(e.event.thread)];
    thread.last_sync = e;
    if (role.waits) thread.last_wait = e;
    if (role.signals) signal(thread, e);
    if (e.event.op.kind == EventKind::fork) {
      Thread& child = threads_[e.event.object];
      child.fork = child.last_sync = child.last_wait = e;
    } else if (e.event.op.kind == EventKind::join) {
      signal(threads_[e.event.object], e);
    }
  }

  void signal(Thread& thread, const NumberedEvent& e) {
    for (const std::size_t race : thread.waiting) {
      // An atomic access is no signal behind itself; one behind the later access comes too late.
      if (e.number == findings_[race].first.earlier.event) {
        still_waiting_.push_back(race);
      } else if (e.number < findings_[race].first.later.event) {
        races_[race].earlier.next_signal = e;
      }
    }
    thread.waiting.swap(still_waiting_);
    still_waiting_.clear();
  }

  // False for an acquire or release that is not the outermost.
  bool change_locks(const NumberedEvent& e) {
    const LockId l{e.event.object};
    switch (e.event.op.kind) {
      case EventKind::acquire:
        return acquire(e, l, Mode::exclusive);
      case EventKind::acquire_shared:
        return acquire(e, l, Mode::shared);
      case EventKind::release:
        return held_.release(e.event.thread, l, Mode::exclusive) != model::HeldLocks::Release::inner;
      case EventKind::release_shared:
        return held_.release(e.event.thread, l, Mode::shared) != model::HeldLocks::Release::inner;
      default:
        return true;
    }
  }

  bool acquire(const NumberedEvent& e, LockId l, Mode mode) {
    if (!held_.acquire(e.event.thread, l, mode, e.number)) return false;
    places(mode)(index(l), index(e.event.thread)) = {e.event.op.site, e.event.op.stack};
    return true;
  }

  model::PairTable<Where>& places(Mode mode) { return places_[static_cast<std::size_t>(mode)]; }

  std::span<const Finding> findings_;
  std::vector<CircumstancesOfRace> races_;
  std::vector<Wanted> wanted_;  // by event
  std::vector<Memory> memory_;  // by variable
  std::size_t next_ = 0;
  model::Table<Thread> threads_;
  model::HeldLocks held_;
  model::PairTable<Where> places_[2];  // (lock, thread): of the last outermost acquire, by mode
  std::vector<Role> roles_;            // by operation of the block in hand
  std::vector<std::size_t> still_waiting_;
};

tl::unexpected<Error> changed(const std::string& path) {
  return input_error(path + ": changed while it was read; try again");
}

}  // namespace

Result<Circumstances> circumstances_of(const std::string& path, const ReadOptions& options,
                                       std::span<const Finding> findings) {
  auto source = open_source(path, options);
  if (!source) return fail(source.error());
  Gatherer gatherer(findings);
  base::ProgressLine line("explain", "events");
  while (!gatherer.done()) {
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    if (*block == nullptr) return changed(path);
    if (!gatherer.feed(**block)) return changed(path);
    const Progress progress = (*source)->progress();
    line.update((*block)->first + (*block)->size(), progress.done_bytes, progress.total_bytes);
  }
  return Circumstances{std::move(gatherer).races(), std::move(*source)};
}

namespace {

// The findings of each window that has some.
struct InWindow {
  filter::Window window;
  std::vector<std::size_t> which;
  std::vector<Finding> findings;
};

std::vector<InWindow> by_window(const Findings& findings) {
  std::vector<InWindow> out;
  std::unordered_map<std::uint64_t, std::size_t> places;  // begin of the window to place in `out`
  const auto& windows = findings.windows->places;
  for (std::size_t i = 0; i < findings.races.size(); ++i) {
    const model::RacePair& pair = findings.races[i].first;
    const auto behind = std::ranges::upper_bound(windows, pair.later.event, {}, &filter::Window::begin);
    const filter::Window window = *(behind - 1);
    const auto [at, fresh] = places.try_emplace(window.begin, out.size());
    if (fresh) out.push_back({window, {}, {}});
    out[at->second].which.push_back(i);
    out[at->second].findings.push_back(findings.races[i]);
  }
  std::ranges::sort(out, {}, [](const InWindow& one) { return one.window.begin; });
  return out;
}

// What the pairs say by themselves.
CircumstancesOfRace nothing_around(const model::RacePair& pair) {
  const auto event_of = [&](const model::Side& side) {
    return Event{side.thread, {.kind = side.kind, .site = side.site}, index(pair.variable)};
  };
  CircumstancesOfRace out;
  out.earlier.event = event_of(pair.earlier);
  out.later.event = event_of(pair.later);
  return out;
}

}  // namespace

Result<Circumstances> circumstances_in_windows(const std::string& path, const ReadOptions& options,
                                               const Findings& findings) {
  Circumstances out{.races = {}, .source = findings.read_once, .around = Around::window};
  if (findings.read_once != nullptr) {
    out.around = Around::pair;
    for (const Finding& finding : findings.races) out.races.push_back(nothing_around(finding.first));
    return out;
  }
  auto source = open_source(path, options);
  if (!source) return fail(source.error());
  auto* const reader = dynamic_cast<TraceReader*>(source->get());
  DEADHEAT_ASSERT(reader != nullptr, "a trace of which only windows were read can be entered anywhere");
  out.races.resize(findings.races.size());
  for (const InWindow& one : by_window(findings)) {
    Gatherer gatherer(one.findings);
    for (std::uint64_t at = one.window.begin; !gatherer.done();) {
      if (at >= one.window.end) return changed(path);
      const auto place = reader->block_of(at);
      if (!place) return fail(place.error());
      const auto block = reader->read(*place);
      if (!block) return fail(block.error());
      if (!gatherer.feed(clipped(**block, at, one.window.end))) return changed(path);
      at = place->first + place->events;
    }
    auto races = std::move(gatherer).races();
    for (std::size_t i = 0; i < races.size(); ++i) out.races[one.which[i]] = std::move(races[i]);
  }
  // Names are needed only where there is something to be called by them.
  if (!findings.races.empty()) {
    if (auto loaded = reader->load_names(); !loaded) return fail(loaded.error());
  }
  out.source = std::move(*source);
  return out;
}

}  // namespace deadheat::analysis
