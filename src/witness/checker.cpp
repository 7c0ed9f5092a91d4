#include "witness/checker.h"

#include <algorithm>
#include <utility>

namespace deadheat::witness {

Verdict verdict_of(const Doubt& confirmed) {
  return {confirmed.of == Doubt::Of::reading
              ? "a byte that a gap may have read has another last write than in the trace"
              : "what may be hidden between a read and its write is not the same",
          confirmed.gap, true};
}

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

bool LocksHeld::is_written(std::uint32_t lock) const {
  const auto at = holds_.find(lock);
  return at != holds_.end() &&
         std::ranges::any_of(at->second, [](const Hold& hold) { return hold.exclusive > 0; });
}
bool LocksHeld::is_held(std::uint32_t lock) const {
  const auto at = holds_.find(lock);
  return at != holds_.end() && !at->second.empty();
}

void Before::see(const Event& event) {
  if (is_of_lock(event.op.kind)) locks.change(event.thread, event.op.kind, event.object);
  if (event.op.kind == EventKind::fork) forked.insert(event.object);
}

bool Checker::reads(EventKind kind) const {
  if (demands_.writes_read && kind == EventKind::write) return true;
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

Checker::Checker(const Witness& witness, const Demands& demands) : witness_(witness), demands_(demands) {
  for (const std::uint64_t event : witness.then) {
    if (!listed_.insert(event).second) fail("the event is done twice", event);
  }
  listed_.insert({witness.earlier, witness.later});
}

void Checker::fail(std::string broken, std::optional<std::uint64_t> event) {
  if (verdict_.ok()) verdict_ = {std::move(broken), event};
}

void Checker::fail_by_gap(std::string broken, std::uint64_t event) {
  fail(std::move(broken), event);
  verdict_.by_gap = true;
}

void Checker::see(std::uint64_t number, const Event& event) {
  if (number < witness_.from || !verdict_.ok()) return;
  const bool is_in_order = number < witness_.end_of(event.thread);
  PastOf past;
  if (demands_.gaps) {
    if (!order_ && (!is_in_order || is_gap(event.op.kind))) order_.emplace();
    if (order_) {
      order_->see(number, event);
      past = order_->past(event.thread);
      note(number, event, past, !is_in_order);
    }
  }
  scratch_.clear();
  if (reads(event.op.kind)) writers_of(event, in_trace_, scratch_);
  if (event.op.kind == EventKind::try_acquire_failed && !locks_in_trace_.is_written(event.object)) {
    (locks_in_trace_.is_held(event.object) ? found_readers_ : found_free_).insert(number);
  }
  if (is_in_order) {
    perform(number, event, scratch_, past);
  } else {
    put_off(number, event, scratch_);
    if (const auto listed = listed_pending_.find(number); listed != listed_pending_.end()) {
      listed->second.past = past;
    }
  }
  if (changes(event.op.kind)) in_trace_.write(event, number);
  if (is_of_lock(event.op.kind)) locks_in_trace_.change(event.thread, event.op.kind, event.object);
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
    case EventKind::recv:
      recvs_[event.object].insert(number);
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
  if (listed_.contains(number)) listed_pending_.emplace(number, Pending{event, writers, {}});
}

// What was put off is done after all.
void Checker::take_up(std::uint64_t number, const Event& event) {
  pending_[index(event.thread)].pop_front();
  if (event.op.kind == EventKind::fork) {
    const auto fork = forks_.find(event.object);
    if (fork != forks_.end() && fork->second == number) forks_.erase(fork);
  }
  if (event.op.kind == EventKind::send) sends_[event.object].erase(number);
  if (event.op.kind == EventKind::recv) recvs_[event.object].erase(number);
  if (event.op.kind == EventKind::barrier_enter) entries_[{event.object, event.op.value}].erase(number);
  allocations_.erase(number);
  if (is_gap(event.op.kind)) {
    auto& gaps = pending_gaps_[index(event.thread)];
    done_gaps_.push_back(gaps.front());
    gaps.pop_front();
  }
}

void Checker::perform(std::uint64_t number, const Event& event, const Writers& writers, const PastOf& past) {
  std::string broken = wrong_with(number, event, writers);
  if (broken.empty() && is_gap(event.op.kind)) broken = wrong_gap(number, event, past);
  if (!broken.empty()) {
    const bool by_gap = is_gap(event.op.kind) || is_failed_attempt(event.op.kind);
    return by_gap ? fail_by_gap(std::move(broken), number) : fail(std::move(broken), number);
  }
  if (has_gaps_ && reads(event.op.kind)) doubt_gaps(number, event, writers, past);
  if (changes(event.op.kind)) now_.write(event, number);
  if (event.op.kind == EventKind::fork) state_.forked.insert(event.object);
  if (event.op.kind == EventKind::send || event.op.kind == EventKind::recv) {
    std::uint64_t& last = last_message_[event.object];
    last = std::max(last, number + 1);
  }
  if (event.op.kind == EventKind::end) ended_[index(event.thread)] = number + 1;
  last_done_ = std::max(last_done_, number + 1);
}

bool Checker::all_done_before(std::uint64_t number) const {
  return std::ranges::none_of(pending_, [number](const auto& thread) {
    return !thread.second.empty() && thread.second.front() < number;
  });
}

bool Checker::fails(std::uint64_t number, const Event& event) const {
  const auto one_before = [&](const auto& list) {
    const auto at = list.find(event.object);
    return at != list.end() && !at->second.empty() && *at->second.begin() < number;
  };
  const auto one_behind = [&](const auto& last) {
    const auto at = last.find(event.object);
    return at != last.end() && at->second > number;
  };
  switch (event.op.kind) {
    case EventKind::try_acquire_failed:
      if (found_free_.contains(number)) return last_done_ <= number && all_done_before(number);
      return found_readers_.contains(number) ? state_.locks.is_held(event.object)
                                             : state_.locks.is_written(event.object);
    case EventKind::try_recv_failed:
      return !one_before(sends_) && !one_before(recvs_) && !one_behind(last_message_);
    default:
      return !one_behind(ended_);
  }
}

// Gaps.

// What the trace does, from where order_ begins: all of it where events are listed, else what is put off.
void Checker::note(std::uint64_t number, const Event& event, const PastOf& past, bool is_put_off) {
  if (is_gap(event.op.kind)) {
    has_gaps_ = true;
    if (is_put_off) {
      pending_gaps_[index(event.thread)].push_back({number, event, past});
    } else if (!witness_.then.empty()) {
      done_gaps_.push_back({number, event, past});
    }
  }
  if (!changes(event.op.kind)) return;
  if (is_put_off) pending_changes_[index(event.thread)].push_back({number, event, past});
  if (witness_.then.empty()) return;
  constexpr std::uint64_t kManyCells = 512;
  changes_.push_back({number, event, past});
  if (cells(event.op) > kManyCells) return wide_changes_.push_back(changes_.size() - 1);
  for (std::uint64_t c = 0; c < cells(event.op); ++c)
    changes_of_[event.object + c].push_back(changes_.size() - 1);
}

const Checker::Put* Checker::change(std::uint64_t number) const {
  const auto at = std::ranges::lower_bound(changes_, number, {}, &Put::number);
  return at != changes_.end() && at->number == number ? &*at : nullptr;
}

namespace {
bool covers(std::uint64_t begin, std::uint64_t end, std::uint64_t byte) {
  return begin <= byte && byte < end;
}
}  // namespace

// The last before an event, and the first behind it, that set the byte.
const Checker::Put* Checker::last_change(std::uint64_t byte, std::uint64_t before) const {
  const Put* last = nullptr;
  const auto look = [&](const std::vector<std::size_t>& list) {
    for (auto at = list.rbegin(); at != list.rend(); ++at) {
      const Put& change = changes_[*at];
      const Bytes bytes = bytes_of(change.event);
      if (change.number >= before || !covers(bytes.begin, bytes.end, byte)) continue;
      if (last == nullptr || change.number > last->number) last = &change;
      return;
    }
  };
  if (const auto at = changes_of_.find(byte / kCellBytes); at != changes_of_.end()) look(at->second);
  look(wide_changes_);
  return last;
}
std::uint64_t Checker::next_change(std::uint64_t byte, std::uint64_t behind) const {
  std::uint64_t next = UINT64_MAX;
  const auto look = [&](const std::vector<std::size_t>& list) {
    for (const std::size_t i : list) {
      const Bytes bytes = bytes_of(changes_[i].event);
      if (changes_[i].number <= behind || !covers(bytes.begin, bytes.end, byte)) continue;
      next = std::min(next, changes_[i].number);
      return;
    }
  };
  if (const auto at = changes_of_.find(byte / kCellBytes); at != changes_of_.end()) look(at->second);
  look(wide_changes_);
  return next;
}

// Whether memory was made new there between an event and a change, or by that.
bool Checker::is_renewed(std::uint64_t byte, std::uint64_t event, std::uint64_t change) const {
  const auto renews = [&](std::size_t i) {
    const Put& one = changes_[i];
    const Bytes bytes = bytes_of(one.event);
    return one.event.op.kind == EventKind::alloc && covers(bytes.begin, bytes.end, byte) &&
           one.number > std::min(event, change) && one.number <= std::max(event, change);
  };
  const auto at = changes_of_.find(byte / kCellBytes);
  return (at != changes_of_.end() && std::ranges::any_of(at->second, renews)) ||
         std::ranges::any_of(wide_changes_, renews);
}

// Where it is not ordered with the gap, the gap cannot have accessed what it changed.
bool Checker::may_be_ordered(std::uint64_t gap, ThreadId thread, const Past& past, const Put& change) {
  if (change.event.thread == thread) return true;
  return change.number < gap ? HappensBefore::has(past, change.event.thread, change.number)
                             : HappensBefore::has(*change.past, thread, gap);
}

void Checker::doubt(std::uint64_t gap, ThreadId thread, std::uint64_t byte, Doubt::Of of) {
  if (!doubted_.emplace(gap, byte, of).second) return;
  if (doubts_.size() == kMostDoubts) return fail_by_gap("too many gaps would have to be looked at", gap);
  doubts_.push_back({gap, thread, byte, of});
}

// O1, of what is certain; O2 by doubts.
std::string Checker::wrong_gap(std::uint64_t number, const Event& event, const PastOf& past) {
  const bool any = event.op.kind == EventKind::gap;
  for (const auto& [t, gaps] : pending_gaps_) {
    for (const Put& gap : gaps) {
      if (t == index(event.thread) || !HappensBefore::has(*past, ThreadId{t}, gap.number)) break;
      if (any || gap.event.op.kind == EventKind::gap || bytes_of(gap.event).overlap(bytes_of(event))) {
        return "a gap comes before another that happens before it";
      }
    }
  }
  if (is_in_order_) {
    doubt_put_off(number, event, past);
  } else {
    doubt_values(number, event, past);
  }
  return "";
}

// As long as the schedule goes as the trace does, what a gap finds is other than in the trace only where a
// change was put off; and where that does not happen before the gap, the gap did not access those bytes.
void Checker::doubt_put_off(std::uint64_t number, const Event& event, const PastOf& past) {
  for (const auto& [t, list] : pending_changes_) {
    for (const Put& change : list) {
      if (!HappensBefore::has(*past, ThreadId{t}, change.number) || !verdict_.ok()) break;
      const Bytes bytes = bytes_of(change.event);
      Writers then;
      writers_of(change.event, in_trace_, then);
      now_.each_byte(change.event, [&](std::uint64_t n, std::uint64_t now) {
        if (now != then[n] && may_touch(event, bytes.begin + n)) {
          doubt(number, event.thread, bytes.begin + n, Doubt::Of::reading);
        }
      });
    }
  }
}

bool Checker::may_touch(const Event& gap, std::uint64_t byte) {
  const Bytes bytes = bytes_of(gap);
  return gap.op.kind == EventKind::gap || covers(bytes.begin, bytes.end, byte);
}

void Checker::doubt_values(std::uint64_t number, const Event& event, const PastOf& past) {
  const auto look = [&](std::uint64_t byte, std::uint64_t now) {
    const Put* const then = last_change(byte, number);
    if ((then == nullptr ? 0 : then->number + 1) == now) return;
    const Put* const instead = now == 0 ? nullptr : change(now - 1);
    if (then != nullptr && !may_be_ordered(number, event.thread, *past, *then)) return;
    // What was done to other memory at the same place says nothing.
    if (instead != nullptr && !is_renewed(byte, number, instead->number) &&
        !may_be_ordered(number, event.thread, *past, *instead)) {
      return;
    }
    doubt(number, event.thread, byte, Doubt::Of::reading);
  };
  const auto look_at = [&](const Event& part) {
    const Bytes bytes = bytes_of(part);
    now_.each_byte(part, [&](std::uint64_t n, std::uint64_t writer) {
      // What was written before order_ began was written in the order of the trace.
      look(bytes.begin + n, writer != 0 && change(writer - 1) == nullptr ? 0 : writer);
    });
  };
  if (event.op.kind == EventKind::gap_range) return look_at(event);
  for (const auto& [cell, list] : changes_of_) {
    look_at({event.thread, {.kind = EventKind::read}, static_cast<std::uint32_t>(cell)});
  }
  for (const std::size_t i : wide_changes_) look_at(changes_[i].event);
}

// O3: a gap that may have written the byte, and finds the value that is read, is done before the read if it
// is before it in the trace, and else is not done yet.
void Checker::doubt_gaps(std::uint64_t number, const Event& event, const Writers& writers,
                         const PastOf& past) {
  const Bytes bytes = bytes_of(event);
  for (const auto& [t, gaps] : pending_gaps_) {
    for (const Put& gap : gaps) {
      if (t == index(event.thread) || !HappensBefore::has(*past, ThreadId{t}, gap.number)) break;
      for (std::uint64_t n = 0; n < writers.size(); ++n) {
        if (gap.number >= writers[n] && may_touch(gap.event, bytes.begin + n)) {
          doubt(gap.number, gap.event.thread, bytes.begin + n, Doubt::Of::writing);
        }
      }
    }
  }
  for (const Put& gap : done_gaps_) {
    if (gap.number < number || gap.event.thread == event.thread ||
        !HappensBefore::has(*gap.past, event.thread, number)) {
      continue;
    }
    for (std::uint64_t n = 0; n < writers.size(); ++n) {
      if (may_touch(gap.event, bytes.begin + n) && gap.number < next_change(bytes.begin + n, number)) {
        doubt(gap.number, gap.event.thread, bytes.begin + n, Doubt::Of::writing);
      }
    }
  }
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
    case EventKind::write:
      return !demands_.writes_read || finds(event, writers)
                 ? ""
                 : "a byte that is written, and may be read for that, has another last write than in the "
                   "trace";
    case EventKind::try_acquire_failed:
    case EventKind::try_recv_failed:
    case EventKind::try_join_failed:
      return fails(number, event) ? "" : "an attempt that failed would not";
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
  is_in_order_ = false;
  for (const std::uint64_t number : witness_.then) {
    if (!verdict_.ok()) return verdict_;
    const auto listed = listed_pending_.find(number);
    if (listed == listed_pending_.end()) {
      fail("there is no such event, or it is done twice", number);
    } else if (const Event& event = listed->second.event; !is_next(number, event.thread)) {
      fail("the event is not next in its thread", number);
    } else {
      perform(number, event, listed->second.writers, listed->second.past);
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
