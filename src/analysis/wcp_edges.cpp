#include "analysis/wcp_edges.h"

#include <algorithm>
#include <numeric>

#include "engine/dispatch.h"

namespace deadheat::analysis {

WcpEdges::WcpEdges(std::span<const std::pair<std::uint64_t, std::uint64_t>> pairs)
    : pairs_(pairs.begin(), pairs.end()), by_first_(pairs.size()), found_(pairs.size()) {
  std::iota(by_first_.begin(), by_first_.end(), std::size_t{0});
  std::ranges::sort(by_first_, {}, [&](std::size_t i) { return pairs_[i].first; });
}

void WcpEdges::see(const BlockView& events) {
  if (open_.empty() && next_ == by_first_.size()) return;
  engine::SortedBlock block;
  block.sort(events);
  rules_.feed(block.events, block.order());
  block.leave_out(rules_.inner());
  order_.begin_block(0, block.threads);
  order_.reserve(block.variables);
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const model::NumberedEvent e{events.first + i, events[i]};
    const clock::Time time = clock::time_of(e.number);
    const ThreadId t = e.event.thread;
    if (is_of_memory(e.event.op.kind)) {
      order_.access(t, VarId{e.event.object}, e.event.op, time);
    }
    if (!block.is_inner(i)) engine::dispatch(order_, t, e.event.op, e.event.object, time);
    for (Open& open : open_) look(open, e);
    std::erase_if(open_, [&](const Open& open) {
      if (open.to != e.number) return false;
      conclude(open, t);
      return true;
    });
    for (; next_ < by_first_.size() && pairs_[by_first_[next_]].first == e.number; ++next_) {
      const auto& [from, to] = pairs_[by_first_[next_]];
      open_.push_back({by_first_[next_], from, to, t, {}, {}, e});
    }
  }
}

void WcpEdges::look(Open& open, const model::NumberedEvent& e) {
  const ThreadId t = e.event.thread;
  if (t == open.thread) {
    const EventKind kind = e.event.op.kind;
    if (kind != EventKind::read && kind != EventKind::write) open.signals.emplace(e.number, e.event);
    open.last = e;
    return;
  }
  if (open.knowing.contains(index(t))) return;
  const clock::Time known = order_.moment(t).times[index(open.thread)];
  if (known < clock::time_of(open.from)) return;
  const std::uint64_t number = known - clock::time_of(0);
  // Who joins a thread knows of all that it did, whatever that was.
  const auto signal = open.signals.find(number);
  open.knowing[index(t)] = {
      signal == open.signals.end() ? open.last : model::NumberedEvent{number, signal->second}, e};
}

// The first of those who knew of it, and of whom the later event's thread knows.
void WcpEdges::conclude(const Open& open, ThreadId later) {
  if (!open.knowing.contains(index(later))) return;
  for (const auto& [thread, link] : open.knowing) {
    const bool on_the_way =
        thread == index(later) || order_.moment(later).times[thread] >= clock::time_of(link.wait.number);
    auto& found = found_[open.pair];
    if (on_the_way && (!found || link.wait.number < found->wait.number)) found = link;
  }
}

}  // namespace deadheat::analysis
