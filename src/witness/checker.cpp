#include "witness/checker.h"

#include <algorithm>
#include <utility>

namespace deadheat::witness {

std::string LocksHeld::change(ThreadId t, EventKind kind, std::uint32_t lock) {
  const bool exclusive = kind == EventKind::acquire || kind == EventKind::release;
  auto& holds = holds_[lock];
  const auto own = std::ranges::find(holds, t, &Hold::thread);
  if (kind == EventKind::release || kind == EventKind::release_shared) {
    if (own == holds.end()) return "a lock is released that is not held";
    std::uint32_t& depth = exclusive ? own->exclusive : own->shared;
    if (depth == 0) return "a lock is released that is not held";
    --depth;
    if (own->exclusive == 0 && own->shared == 0) holds.erase(own);
    return "";
  }
  for (const Hold& hold : holds) {
    if (hold.thread != t && (exclusive || hold.exclusive > 0)) return "the lock is held by another thread";
  }
  Hold& hold = own != holds.end() ? *own : holds.emplace_back(Hold{t});
  ++(exclusive ? hold.exclusive : hold.shared);
  return "";
}

void Before::see(const Event& event) {
  if (is_of_lock(event.op.kind)) locks.change(event.thread, event.op.kind, event.object);
  if (event.op.kind == EventKind::fork) forked.insert(event.object);
}

bool Checker::reads(EventKind kind) {
  return kind == EventKind::read || kind == EventKind::atomic_load || kind == EventKind::atomic_rmw;
}
bool Checker::changes(EventKind kind) {
  return kind == EventKind::write || kind == EventKind::atomic_store || kind == EventKind::atomic_rmw ||
         kind == EventKind::alloc || kind == EventKind::free;
}
Checker::Bytes Checker::bytes_of(const Event& event) {
  const std::uint64_t cell = std::uint64_t{event.object} * kCellBytes;
  if (event.op.value == 0) return {cell, cell + kCellBytes};
  return {cell + event.op.offset, cell + event.op.offset + event.op.value};
}

void Checker::Memory::write(const Event& event, std::uint64_t number) {
  constexpr std::uint64_t kManyBytes = 4096;
  const Bytes bytes = bytes_of(event);
  const Write write{++tick_, number + 1};
  if (bytes.end - bytes.begin > kManyBytes) return stretches_.push_back({bytes.begin, bytes.end, write});
  for (std::uint64_t byte = bytes.begin; byte < bytes.end;) {
    Cell& cell = cells_[byte / kCellBytes];
    const std::uint64_t end = std::min(bytes.end, (byte / kCellBytes + 1) * kCellBytes);
    for (; byte < end; ++byte) cell[byte % kCellBytes] = write;
  }
}

template <class F>
void Checker::Memory::each_byte(const Event& event, F&& f) const {
  const Bytes bytes = bytes_of(event);
  for (std::uint64_t byte = bytes.begin; byte < bytes.end;) {
    const auto cell = cells_.find(byte / kCellBytes);
    const std::uint64_t end = std::min(bytes.end, (byte / kCellBytes + 1) * kCellBytes);
    for (; byte < end; ++byte) {
      Write last = cell == cells_.end() ? Write{} : cell->second[byte % kCellBytes];
      for (const Stretch& stretch : stretches_) {
        const bool covers = stretch.begin <= byte && byte < stretch.end;
        if (covers && stretch.write.tick > last.tick) last = stretch.write;
      }
      f(byte - bytes.begin, last.event);
    }
  }
}

void Checker::writers_of(const Event& event, const Memory& memory, Writers& out) {
  out.clear();
  memory.each_byte(event, [&](std::uint64_t, std::uint64_t writer) { out.push_back(writer); });
}

Checker::Checker(const Witness& witness) : witness_(witness) {
  for (const std::uint64_t event : witness.then) {
    if (!listed_.insert(event).second) fail("the event is done twice", event);
  }
  listed_.insert({witness.earlier, witness.later});
}

void Checker::fail(std::string broken, std::optional<std::uint64_t> event) {
  if (verdict_.ok()) verdict_ = {std::move(broken), event};
}

void Checker::see(std::uint64_t number, const Event& event) {
  if (number < witness_.from || !verdict_.ok()) return;
  scratch_.clear();
  if (reads(event.op.kind)) writers_of(event, in_trace_, scratch_);
  if (number < witness_.end_of(event.thread)) {
    perform(number, event, scratch_);
  } else {
    put_off(number, event, scratch_);
  }
  if (changes(event.op.kind)) in_trace_.write(event, number);
  if (event.op.kind == EventKind::alloc && witness_.earlier <= number && number < witness_.later) {
    renewed_.push_back(bytes_of(event));
  }
}

void Checker::put_off(std::uint64_t number, const Event& event, const Writers& writers) {
  pending_[index(event.thread)].push_back(number);
  switch (event.op.kind) {
    case EventKind::fork:
      if (!state_.forked.contains(event.object)) forks_.emplace(event.object, number);
      break;
    case EventKind::send:
      sends_[event.object].insert(number);
      break;
    case EventKind::barrier_enter:
      entries_[{event.object, event.op.value}].insert(number);
      break;
    case EventKind::alloc:
    case EventKind::free:
      allocations_.emplace(number, bytes_of(event));
      break;
    default:
      break;
  }
  if (listed_.contains(number)) listed_pending_.emplace(number, Pending{event, writers});
}

// What was put off is done after all.
void Checker::take_up(std::uint64_t number, const Event& event) {
  pending_[index(event.thread)].pop_front();
  if (event.op.kind == EventKind::fork) {
    const auto fork = forks_.find(event.object);
    if (fork != forks_.end() && fork->second == number) forks_.erase(fork);
  }
  if (event.op.kind == EventKind::send) sends_[event.object].erase(number);
  if (event.op.kind == EventKind::barrier_enter) entries_[{event.object, event.op.value}].erase(number);
  allocations_.erase(number);
}

void Checker::perform(std::uint64_t number, const Event& event, const Writers& writers) {
  if (std::string broken = wrong_with(number, event, writers); !broken.empty()) {
    return fail(std::move(broken), number);
  }
  if (changes(event.op.kind)) now_.write(event, number);
  if (event.op.kind == EventKind::fork) state_.forked.insert(event.object);
}

std::string Checker::wrong_with(std::uint64_t number, const Event& event, const Writers& writers) {
  if (forks_.contains(index(event.thread))) return "the thread is not forked";
  switch (event.op.kind) {
    case EventKind::read:
    case EventKind::atomic_load:
    case EventKind::atomic_rmw:
      return finds(event, writers) ? "" : "a byte that is read has another last write than in the trace";
    case EventKind::acquire:
    case EventKind::acquire_shared:
    case EventKind::release:
    case EventKind::release_shared:
      return state_.locks.change(event.thread, event.op.kind, event.object);
    default:
      return missing(number, event);
  }
}

bool Checker::finds(const Event& event, const Writers& writers) const {
  bool same = true;
  now_.each_byte(event, [&](std::uint64_t n, std::uint64_t writer) { same = same && writer == writers[n]; });
  return same;
}

std::string Checker::missing(std::uint64_t number, const Event& event) const {
  const auto one_before = [number](const auto& list, const auto& key) {
    const auto at = list.find(key);
    return at != list.end() && !at->second.empty() && *at->second.begin() < number;
  };
  switch (event.op.kind) {
    case EventKind::join:
      if (one_before(pending_, event.object)) return "a joined thread has not done all it did";
      if (forks_.contains(event.object)) return "a joined thread is not forked";
      return "";
    case EventKind::recv:
      return one_before(sends_, event.object) ? "a message is received before it is sent" : "";
    case EventKind::barrier_exit:
      return one_before(entries_, std::pair(event.object, event.op.value))
                 ? "a barrier is left before all have come"
                 : "";
    case EventKind::alloc:
      for (const auto& [before, bytes] : allocations_) {
        if (before < number && bytes.overlap(bytes_of(event))) {
          return "memory is allocated before it was allocated or freed the last time";
        }
      }
      return "";
    default:
      return "";
  }
}

bool Checker::is_next(std::uint64_t number, ThreadId t) const {
  const auto pending = pending_.find(index(t));
  return pending != pending_.end() && !pending->second.empty() && pending->second.front() == number;
}

Verdict Checker::verdict() {
  for (const std::uint64_t number : witness_.then) {
    if (!verdict_.ok()) return verdict_;
    const auto listed = listed_pending_.find(number);
    if (listed == listed_pending_.end()) {
      fail("there is no such event, or it is done twice", number);
    } else if (const Event& event = listed->second.event; !is_next(number, event.thread)) {
      fail("the event is not next in its thread", number);
    } else {
      perform(number, event, listed->second.writers);
      take_up(number, event);
    }
  }
  if (verdict_.ok()) fail(wrong_end(), std::nullopt);
  return verdict_;
}

std::string Checker::wrong_end() const {
  const auto earlier = listed_pending_.find(witness_.earlier), later = listed_pending_.find(witness_.later);
  if (earlier == listed_pending_.end() || later == listed_pending_.end()) {
    return "an access of the pair is not there, or it is done";
  }
  const Event &a = earlier->second.event, &b = later->second.event;
  for (const auto& [number, event] : {std::pair(witness_.earlier, a), std::pair(witness_.later, b)}) {
    if (!is_next(number, event.thread)) return "an access of the pair is not next in its thread";
    if (forks_.contains(index(event.thread))) return "the thread of an access of the pair is not forked";
  }
  const auto is_candidate = [](const Event& e) {
    return is_of_memory(e.op.kind) && e.op.kind != EventKind::alloc;
  };
  const Bytes x = bytes_of(a), y = bytes_of(b);
  if (a.thread == b.thread || !is_candidate(a) || !is_candidate(b) || !x.overlap(y) ||
      !(changes(a.op.kind) || changes(b.op.kind)) || (is_atomic(a.op.kind) && is_atomic(b.op.kind))) {
    return "the pair does not conflict";
  }
  for (std::uint64_t byte = std::max(x.begin, y.begin); byte < std::min(x.end, y.end); ++byte) {
    const auto covers = [byte](const Bytes& bytes) { return bytes.begin <= byte && byte < bytes.end; };
    if (std::ranges::none_of(renewed_, covers)) return "";
  }
  return "the pair does not conflict: the memory was allocated anew in between";
}

}  // namespace deadheat::witness
