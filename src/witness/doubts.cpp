#include "witness/doubts.h"

#include <algorithm>

namespace deadheat::witness {

Doubts::Doubts(std::vector<Doubt> doubts) : doubts_(std::move(doubts)), confirmed_(doubts_.size(), true) {
  for (std::size_t i = 0; i < doubts_.size(); ++i) {
    waiting_.push_back(i);
    if (bytes_.try_emplace(doubts_[i].byte).second) asked_.push_back(doubts_[i].byte);
  }
  std::ranges::sort(waiting_, std::greater{}, [this](std::size_t i) { return doubts_[i].gap; });
  std::ranges::sort(asked_);
}

void Doubts::see(std::uint64_t number, const Event& event) {
  order_.see(number, event);
  if (!waiting_.empty() && doubts_[waiting_.back()].gap == number) reach(number);
  if (!is_of_memory(event.op.kind)) return;
  const std::uint64_t cell = std::uint64_t{event.object} * kCellBytes;
  const std::uint64_t begin = cell + (event.op.value == 0 ? 0 : event.op.offset);
  const std::uint64_t end = event.op.value == 0 ? cell + kCellBytes : begin + event.op.value;
  for (auto at = std::ranges::lower_bound(asked_, begin); at != asked_.end() && *at < end; ++at) {
    access(number, event, *at, bytes_[*at]);
  }
}

void Doubts::reach(std::uint64_t gap) {
  for (; !waiting_.empty() && doubts_[waiting_.back()].gap == gap; waiting_.pop_back()) {
    const std::size_t i = waiting_.back();
    const Doubt& doubt = doubts_[i];
    Byte& byte = bytes_[doubt.byte];
    const Past& past = *order_.past(doubt.thread);
    for (const auto& [t, last] : doubt.of == Doubt::Of::reading ? byte.writes : byte.accesses) {
      const bool own = t == index(doubt.thread);
      if (!own && !HappensBefore::has(past, ThreadId{t}, last - 1)) confirmed_[i] = false;
    }
    if (confirmed_[i]) byte.open.push_back(i);
  }
}

void Doubts::access(std::uint64_t number, const Event& event, std::uint64_t /*byte*/, Byte& of) {
  const EventKind kind = event.op.kind;
  const bool writes = kind != EventKind::read && kind != EventKind::atomic_load;
  if (kind == EventKind::alloc) of = {};
  of.accesses[index(event.thread)] = number + 1;
  if (writes) of.writes[index(event.thread)] = number + 1;
  std::erase_if(of.open, [&](std::size_t i) {
    const Doubt& doubt = doubts_[i];
    if (doubt.of == Doubt::Of::reading && !writes) return false;
    const bool ordered = doubt.thread == event.thread ||
                         HappensBefore::has(*order_.past(event.thread), doubt.thread, doubt.gap);
    if (!ordered) confirmed_[i] = false;
    return !ordered;
  });
}

}  // namespace deadheat::witness
