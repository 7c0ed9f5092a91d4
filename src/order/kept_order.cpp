#include "order/kept_order.h"

namespace deadheat::order {

KeptOrder::~KeptOrder() {
  cells_.for_each([](State& state) { delete state.past; });
}

void KeptOrder::reserve_threads(std::uint32_t threads) {
  if (threads > threads_.size()) threads_.resize(threads);
}

void KeptOrder::reserve(std::uint64_t variables) { cells_.reserve(variables); }

KeptOrder::Event KeptOrder::number(ThreadId t, Time time, const Time* known) {
  Thread& thread = threads_[index(t)];
  const auto number = static_cast<std::uint32_t>(thread.times.size());
  thread.times.push_back(time);
  // What a fork told the thread, it knew before any event of its own: that does not stand for the fork.
  if (!thread.forks.threads.empty()) follow(thread.forks, {t, number, time, nullptr});
  return {t, number, time, known};
}

void KeptOrder::follow(ThreadId t, std::uint32_t number, const Event& later) {
  auto& followers = threads_[index(t)].followers;
  auto at = std::ranges::lower_bound(followers, later.thread, {}, &Followers::thread);
  if (at == followers.end() || at->thread != later.thread) at = followers.insert(at, {later.thread, {}});
  at->first.put(number, later.number);
}

void KeptOrder::follow(Sources& sources, const Event& e) {
  auto followed = std::ranges::find(sources.followed, e.thread, &Sources::Followed::by);
  if (followed == sources.followed.end()) followed = sources.followed.insert(followed, {e.thread, 0});
  for (auto of = sources.threads.rbegin(); of != sources.threads.rend() && of->last > followed->until; ++of) {
    if (of->thread == e.thread) continue;
    Time after = followed->until;
    if (e.known != nullptr) after = std::max(after, e.known[index(of->thread)]);
    if (of->last <= after) continue;
    const std::vector<Time>& times = threads_[index(of->thread)].times;
    const auto is_followed = [&](std::uint32_t number) { return times[number] <= after; };
    for (auto n = std::ranges::partition_point(of->numbers, is_followed); n != of->numbers.end(); ++n) {
      follow(of->thread, *n, e);
    }
  }
  followed->until = e.time;
}

void KeptOrder::add(Sources& sources, const Event& e) {
  auto& threads = sources.threads;
  const auto own = std::ranges::find(threads, e.thread, &Sources::OfThread::thread);
  if (own == threads.end()) {
    threads.push_back({e.thread, {}, 0});
  } else {
    std::rotate(own, own + 1, threads.end());
  }
  threads.back().numbers.push_back(e.number);
  threads.back().last = e.time;
}

void KeptOrder::synchronise(ThreadId t, const Op& op, std::uint32_t object, Time time, const Time* known) {
  const Event e = number(t, time, known);
  switch (op.kind) {
    case EventKind::acquire:
      follow(locks_[object].reads, e);
      [[fallthrough]];
    case EventKind::acquire_shared:
      return follow(locks_[object].writes, e);
    case EventKind::release:
      return add(locks_[object].writes, e);
    case EventKind::release_shared:
      return add(locks_[object].reads, e);
    case EventKind::send:
      return add(channels_[object], e);
    case EventKind::recv:
      return follow(channels_[object], e);
    case EventKind::barrier_enter: {
      Generation& generation = generations_[{object, op.value}];
      ++generation.inside;
      return add(generation.enters, e);
    }
    case EventKind::barrier_exit: {
      const auto at = generations_.find({object, op.value});
      if (at == generations_.end()) return;
      follow(at->second.enters, e);
      // All who enter a generation enter it before the first leaves.
      if (--at->second.inside == 0) generations_.erase(at);
      return;
    }
    default:  // fences and atomics order nothing that the values they pass on do not
      return;
  }
}

void KeptOrder::fork(ThreadId t, ThreadId u, Time time, const Time* known) {
  add(threads_[index(u)].forks, number(t, time, known));
}

void KeptOrder::join(ThreadId t, ThreadId u, Time time, const Time* known) {
  const Event e = number(t, time, known);
  Thread& child = threads_[index(u)];
  follow(child.forks, e);
  if (!child.times.empty()) follow(u, static_cast<std::uint32_t>(child.times.size() - 1), e);
}

KeptOrder::Ended KeptOrder::take_ended(ThreadId u) {
  Thread& thread = threads_[index(u)];
  const std::uint32_t last =
      thread.times.empty() ? kNone : static_cast<std::uint32_t>(thread.times.size() - 1);
  return {u, std::exchange(thread.forks, {}), last};
}

void KeptOrder::join_ended(ThreadId t, Ended& ended, Time time, const Time* known) {
  const Event e = number(t, time, known);
  follow(ended.forks, e);
  if (ended.last != kNone && ended.slot != t) follow(ended.slot, ended.last, e);
}

void KeptOrder::touch(State& state, const Event& e, bool sets) {
  if (state.past == nullptr) state.past = new Past;
  follow(state.past->writes, e);
  if (sets) follow(state.past->reads, e);
  add(sets ? state.past->writes : state.past->reads, e);
}

void KeptOrder::access(ThreadId t, const Op& op, VarId x, Time time, const Time* known) {
  const Event e = number(t, time, known);
  const bool sets = op.kind != EventKind::read && op.kind != EventKind::atomic_load;
  if (!is_allocation(op.kind) || cells(op) <= many_cells_) {
    return model::ByteRange{x, op}.each_cell([&](std::uint32_t cell, model::ByteMask bytes) {
      cells_.visit(cell, bytes, [&](State& state) { touch(state, e, sets); });
    });
  }
  const std::uint64_t begin = std::uint64_t{index(x)} * kCellBytes + (op.value == 0 ? 0 : op.offset);
  cells_.visit_unvisited({begin, begin + (op.value == 0 ? kCellBytes : op.value)},
                         [&](State& state, model::Stretch) { touch(state, e, sets); });
  cells_.each_visited(index(x), index(x) + cells(op), [&](std::uint32_t cell) {
    cells_.visit(cell, model::bytes_in_cell(op, cell - index(x)),
                 [&](State& state) { touch(state, e, sets); });
  });
}

std::uint32_t KeptOrder::number_of(clock::Epoch event) const {
  const std::vector<Time>& times = threads_[index(event.thread())].times;
  return static_cast<std::uint32_t>(std::ranges::lower_bound(times, event.time()) - times.begin());
}

// What is kept points forward in the trace. So threads are gone through by when they have to follow:
// whichever is first does not follow anything that is not known yet.
void KeptOrder::find_followers(clock::Epoch event) {
  first_.assign(threads_.size(), kNone);
  done_.assign(threads_.size(), false);
  first_[index(event.thread())] = number_of(event);
  for (;;) {
    std::size_t next = threads_.size();
    Time earliest = 0;
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      if (done_[t] || first_[t] >= ends_[t]) continue;
      const Time time = threads_[t].times[first_[t]];
      if (next != threads_.size() && time >= earliest) continue;
      next = t;
      earliest = time;
    }
    if (next == threads_.size()) return;
    done_[next] = true;
    for (const Followers& followers : threads_[next].followers) {
      std::uint32_t& first = first_[index(followers.thread)];
      if (!done_[index(followers.thread)]) {
        first = std::min(first, followers.first.least(first_[next], ends_[next] - 1));
      }
    }
  }
}

bool KeptOrder::allows(const Ideal& set, std::span<const Waiting> waiting) {
  if (waiting.empty()) return true;  // the order of the trace
  ends_.resize(threads_.size());
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    const auto& times = threads_[t].times;
    const Time end = t < set.size() ? set[t] : 0;
    ends_[t] = static_cast<std::uint32_t>(std::ranges::upper_bound(times, end) - times.begin());
  }
  // Which of those that wait must come before which.
  std::vector<std::vector<std::size_t>> before(waiting.size());
  std::vector<std::size_t> open(waiting.size());  // how many there are before it
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    find_followers(waiting[i].acquire);
    for (std::size_t j = 0; j < waiting.size(); ++j) {
      const bool is_before = std::ranges::any_of(waiting[j].releases, [&](clock::Epoch release) {
        return first_[index(release.thread())] <= number_of(release);
      });
      if (!is_before) continue;
      before[i].push_back(j);
      ++open[j];
    }
  }
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (open[i] == 0) ready.push_back(i);
  }
  std::size_t ordered = 0;
  for (; !ready.empty(); ++ordered) {
    const std::size_t i = ready.back();
    ready.pop_back();
    for (const std::size_t j : before[i]) {
      if (--open[j] == 0) ready.push_back(j);
    }
  }
  return ordered == waiting.size();
}

std::size_t KeptOrder::bytes() const {
  const auto of = [](const Sources& sources) {
    std::size_t sum = sources.threads.capacity() * sizeof(Sources::OfThread) +
                      sources.followed.capacity() * sizeof(Sources::Followed);
    for (const auto& thread : sources.threads) sum += thread.numbers.capacity() * sizeof(std::uint32_t);
    return sum;
  };
  std::size_t all = cells_.bytes() + locks_.bytes() + channels_.bytes();
  for (const Thread& thread : threads_) {
    all += sizeof(Thread) + thread.times.capacity() * sizeof(Time) + of(thread.forks);
    for (const Followers& followers : thread.followers) all += sizeof(Followers) + followers.first.bytes();
  }
  const auto of_past = [&](const Past& past) { return of(past.writes) + of(past.reads); };
  cells_.for_each([&](const State& state) {
    if (state.past != nullptr) all += sizeof(Past) + of_past(*state.past);
  });
  locks_.for_each([&](std::uint32_t, const Past& past) { all += of_past(past); });
  channels_.for_each([&](std::uint32_t, const Sources& sends) { all += of(sends); });
  return all;
}

}  // namespace deadheat::order
