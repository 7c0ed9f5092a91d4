#include "solve/rules.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "solve/intervals.h"

namespace deadheat::solve {

using Mode = model::HeldLocks::Mode;

Rules::Rules(const Window& window)
    : first_(window.first),
      events_(window.events),
      writes_read_(window.writes_read),
      keeps_gaps_(window.keeps_gaps) {
  find_threads();
  find_needs_of_threads();
  find_needs_of_messages();
  if (keeps_gaps_) find_needs_of_gaps(window);
  if (keeps_gaps_) find_needs_of_attempts(window);
  find_sections(window);
  find_memory();
  close_needs();
}

void Rules::find_threads() {
  for (Index i = 0; i < events_.size(); ++i) {
    const Index t =
        number_.try_emplace(index(events_[i].thread), static_cast<Index>(number_.size())).first->second;
    if (t == of_thread_.size()) of_thread_.emplace_back();
    thread_.push_back(t);
    rank_.push_back(static_cast<Index>(of_thread_[t].size()));
    of_thread_[t].push_back(i);
  }
}

void Rules::need(Index after, Index before) {
  if (before != kNone && thread_[after] != thread_[before]) across_.push_back({before, after});
}

void Rules::find_needs_of_threads() {
  std::unordered_map<std::uint32_t, Index> forks;  // by the child's id
  std::vector<Index> last(threads(), kNone);
  for (Index i = 0; i < events_.size(); ++i) {
    const Event& e = events_[i];
    if (rank_[i] == 0) {
      if (const auto fork = forks.find(index(e.thread)); fork != forks.end()) need(i, fork->second);
    }
    if (e.op.kind == EventKind::fork) forks[e.object] = i;
    if (e.op.kind == EventKind::join) {
      if (const auto fork = forks.find(e.object); fork != forks.end()) need(i, fork->second);
      if (const auto child = number_.find(e.object); child != number_.end()) need(i, last[child->second]);
    }
    last[thread_[i]] = i;
  }
}

void Rules::find_needs_of_messages() {
  // What was sent on a channel, or came to a barrier in a generation: the last of each thread.
  std::map<std::tuple<EventKind, std::uint32_t, std::uint64_t>, std::map<Index, Index>> last;
  for (Index i = 0; i < events_.size(); ++i) {
    const Event& e = events_[i];
    const auto note = [&] { last[{e.op.kind, e.object, e.op.value}][thread_[i]] = i; };
    const auto find = [&](EventKind kind) {
      const auto at = last.find({kind, e.object, e.op.value});
      if (at == last.end()) return;
      for (const auto& [thread, event] : at->second) need(i, event);
    };
    if (e.op.kind == EventKind::send || e.op.kind == EventKind::barrier_enter) note();
    if (e.op.kind == EventKind::recv) find(EventKind::send);
    if (e.op.kind == EventKind::barrier_exit) find(EventKind::barrier_enter);
  }
}

void Rules::find_sections(const Window& window) {
  struct Open {
    std::uint32_t depth;
    Index acquire;
  };
  std::map<std::tuple<std::uint32_t, Index, Mode>, Open> open;  // by lock, thread and mode
  std::map<std::uint32_t, Lock> locks;
  lock_.assign(events_.size(), kNone);
  const auto close = [&](std::uint32_t lock, const Section& section) {
    auto& threads = locks[lock].threads;
    auto at = std::ranges::find(threads, section.thread, &Lock::OfThread::thread);
    if (at == threads.end()) at = threads.insert(at, {section.thread, {}, {}});
    (section.mode == Mode::shared ? at->shared : at->exclusive).push_back(section);
  };
  for (const Window::Held& held : window.held) {
    // A thread that does nothing in the window holds what it holds all the time: nobody else takes it.
    const auto t = number_.find(index(held.thread));
    if (t != number_.end()) open[{index(held.lock), t->second, held.mode}] = {held.depth, kNone};
  }
  for (Index i = 0; i < events_.size(); ++i) {
    const Event& e = events_[i];
    if (!is_of_lock(e.op.kind)) continue;
    const Mode mode = is_shared(e.op.kind) ? Mode::shared : Mode::exclusive;
    const auto at = open.find({e.object, thread_[i], mode});
    if (is_acquire(e.op.kind)) {
      if (at == open.end()) {
        open[{e.object, thread_[i], mode}] = {1, i};
      } else {
        ++at->second.depth;
      }
    } else if (at != open.end() && --at->second.depth == 0) {
      close(e.object, {thread_[i], mode, at->second.acquire, i});
      open.erase(at);
    }
  }
  for (const auto& [key, rest] : open) {
    const auto& [lock, thread, mode] = key;
    close(lock, {thread, mode, rest.acquire, kNone});
  }
  for (auto& [id, lock] : locks) {
    const bool exclusive =
        std::ranges::any_of(lock.threads, [](const Lock::OfThread& t) { return !t.exclusive.empty(); });
    if (lock.threads.size() < 2 || !exclusive) continue;
    find_needs_at_start(lock);
    for (const Lock::OfThread& of_thread : lock.threads) {
      for (const auto* sections : {&of_thread.exclusive, &of_thread.shared}) {
        for (const Section& section : *sections) {
          if (section.acquire != kNone) lock_[section.acquire] = static_cast<Index>(locks_.size());
          if (section.release != kNone) lock_[section.release] = static_cast<Index>(locks_.size());
        }
      }
    }
    locks_.push_back(std::move(lock));
  }
}

// Who holds the lock at the start leaves before others take it.
void Rules::find_needs_at_start(const Lock& lock) {
  for (const Lock::OfThread& holder : lock.threads) {
    for (const auto* sections : {&holder.exclusive, &holder.shared}) {
      if (sections->empty() || sections->front().acquire != kNone) continue;
      const Section& held = sections->front();
      for (const Lock::OfThread& other : lock.threads) {
        if (other.thread == holder.thread) continue;
        const auto first = [&](const std::vector<Section>& theirs) {
          if (!theirs.empty() && theirs.front().acquire != kNone && held.release != kNone) {
            at_start_.push_back({held.release, theirs.front().acquire});
          }
        };
        first(other.exclusive);
        if (held.mode == Mode::exclusive) first(other.shared);
      }
    }
  }
}

void Rules::find_memory() {
  struct Memory {
    Index last = kNone;              // who set it
    std::vector<Index> allocations;  // the last alloc, and frees since
  };
  const Intervals intervals(events_);
  std::vector<Memory> memory(intervals.size());
  std::vector<std::vector<Index>> touching(intervals.size());
  for (Index i = 0; i < events_.size(); ++i) {
    const EventKind kind = events_[i].op.kind;
    if (!is_of_memory(kind) && !is_setting(kind)) continue;
    intervals.each(events_[i], [&](std::size_t at) {
      Memory& m = memory[at];
      // What a gap finds is the last of what was set before it: that stays the last.
      if (is_reading(kind) || (i < last_gap_ && is_setting(kind))) need(i, m.last);
      if (kind == EventKind::alloc) {
        for (const Index before : m.allocations) need(i, before);
        m.allocations.clear();
      }
      if (is_allocation(kind)) m.allocations.push_back(i);
      if (is_setting(kind)) m.last = i;
      touching[at].push_back(i);
    });
  }
  keep_parts(touching);
}

// Those parts of memory that leave a choice, each once.
void Rules::keep_parts(const std::vector<std::vector<Index>>& touching) {
  reads_.resize(events_.size());
  sets_.resize(events_.size());
  std::map<std::vector<Index>, Index> known;
  for (const std::vector<Index>& events : touching) {
    const auto any = [&](auto&& holds) { return std::ranges::any_of(events, holds); };
    if (!any([&](Index i) { return thread_[i] != thread_[events[0]]; }) ||
        !any([&](Index i) { return is_reading(events_[i].op.kind); }) ||
        !any([&](Index i) { return is_setting(events_[i].op.kind); }) ||
        !known.try_emplace(events, static_cast<Index>(parts_.size())).second) {
      continue;
    }
    const auto number = static_cast<Index>(parts_.size());
    Part part;
    Index last = kNone;
    for (const Index i : events) {
      if (is_reading(events_[i].op.kind)) {
        part.reads.push_back({i, last});
        reads_[i].push_back({number, last});
      }
      if (!is_setting(events_[i].op.kind)) continue;
      auto at = std::ranges::find(part.sets, thread_[i], &Part::Sets::thread);
      if (at == part.sets.end()) at = part.sets.insert(at, {thread_[i], {}});
      at->events.push_back(i);
      sets_[i].push_back(number);
      last = i;
    }
    parts_.push_back(std::move(part));
  }
}

void Rules::close_needs() {
  const auto sort = [this] {
    std::ranges::sort(across_, {}, [](const Need& n) { return std::pair(n.after, n.before); });
    const auto same = [](const Need& a, const Need& b) { return a.after == b.after && a.before == b.before; };
    across_.erase(std::unique(across_.begin(), across_.end(), same), across_.end());
  };
  sort();
  if (!at_start_.empty()) {
    close(always_, across_);
    across_.insert(across_.end(), at_start_.begin(), at_start_.end());
    sort();
  }
  across_ = close(needs_, across_);
  into_.assign(events_.size() + 1, 0);
  out_of_.resize(events_.size());
  for (const Need& n : across_) {
    ++into_[n.after + 1];
    out_of_[n.before].push_back(n.after);
  }
  for (std::size_t i = 0; i < events_.size(); ++i) into_[i + 1] += into_[i];
}

// Those that do not follow from others are given back.
std::vector<Rules::Need> Rules::close(std::vector<Index>& needs, const std::vector<Need>& across) const {
  const std::size_t width = threads();
  needs.resize(events_.size() * width);
  std::size_t at = 0;
  std::vector<Need> kept;
  for (Index i = 0; i < events_.size(); ++i) {
    Index* const own = &needs[i * width];
    if (rank_[i] > 0) std::copy_n(&needs[of_thread_[thread_[i]][rank_[i] - 1] * width], width, own);
    own[thread_[i]] = rank_[i] + 1;
    for (; at < across.size() && across[at].after == i; ++at) {
      const Index before = across[at].before;
      if (own[thread_[before]] > rank_[before]) continue;
      kept.push_back(across[at]);
      for (std::size_t t = 0; t < width; ++t) own[t] = std::max(own[t], needs[before * width + t]);
    }
  }
  return kept;
}

Cut Rules::before(Index i) const { return before(needs_, i); }
Cut Rules::always_before(Index i) const { return before(always_.empty() ? needs_ : always_, i); }

Cut Rules::before(const std::vector<Index>& needs, Index i) const {
  Cut cut(threads());
  const auto take = [&](Index j) {
    std::copy_n(needs.begin() + static_cast<std::ptrdiff_t>(std::size_t{j} * threads()), threads(),
                cut.begin());
  };
  if (rank_[i] > 0) take(of_thread_[thread_[i]][rank_[i] - 1]);
  // A fork is never left out because it follows from others: they come after it.
  for (const Need& n : into(i)) {
    const Event& e = event(n.before);
    if (e.op.kind == EventKind::fork && e.object == index(event(i).thread)) take(n.before);
  }
  return cut;
}

const Section& Rules::section(Index acquire) const {
  const Lock& lock = locks_[lock_[acquire]];
  const auto of_thread = std::ranges::find(lock.threads, thread_[acquire], &Lock::OfThread::thread);
  const auto& sections = is_shared(events_[acquire].op.kind) ? of_thread->shared : of_thread->exclusive;
  // The first may have begun before the window.
  const auto earlier = [&](const Section& s) { return s.acquire == kNone || s.acquire < acquire; };
  return *std::ranges::partition_point(sections, earlier);
}

void Rules::add(Cut& cut, Index i) const {
  const auto more = needs(i);
  for (std::size_t t = 0; t < cut.size(); ++t) cut[t] = std::max(cut[t], more[t]);
}

}  // namespace deadheat::solve
