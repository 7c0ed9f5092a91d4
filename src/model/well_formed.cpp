#include "model/well_formed.h"

#include <algorithm>

#include "model/op_rules.h"

namespace deadheat::model {

namespace {
// Of threads with greater ids nothing is kept to be quick.
constexpr std::uint32_t kUsualThreads = 1 << 16;
}  // namespace

void WellFormed::feed(const BlockView& block) {
  classify(block.ops);
  find_marks(block);
  feed_marked(block);
}

void WellFormed::feed(const BlockView& block, std::span<const std::uint16_t> others) {
  classify(block.ops);
  if (!only_locks_ || !all_usual(block)) {
    find_marks(block);
    return feed_marked(block);
  }
  // No thread begins or ends here, so it does not matter where each acts.
  faults_.clear();
  inner_.clear();
  first_ = block.first;
  // By pointers of its own: what locks are told might change those of the view, for all the compiler knows.
  const std::uint32_t* const threads = block.thread.data();
  const std::uint32_t* const objects = block.object.data();
  const std::uint16_t* const codes = block.op.data();
  const Op* const ops = block.ops.data();
  const Look* const look_at = look_at_.data();
  const std::uint64_t first = block.first;
  for (const std::uint16_t i : others) {
    const std::uint16_t code = codes[i];
    const Look how = look_at[code];
    if (how <= Look::release) [[likely]] {
      if (change_hands(locks_[objects[i]], threads[i], how, {first + i, ops[code]})) [[likely]]
        continue;
    }
    if (how != Look::no) look(block, i);
  }
}

void WellFormed::feed_marked(const BlockView& block) {
  faults_.clear();
  inner_.clear();
  first_ = block.first;
  for (std::size_t k = 0; k < marked_; ++k) {
    const std::uint32_t i = marks_[k];
    if (i == 0 || block.thread[i] != block.thread[i - 1]) acts(block, i);
    look_at(block, i);
  }
  for (std::size_t k = 0; k < marked_; ++k) {
    const std::uint32_t t = block.thread[marks_[k]];
    if (t >= kUsualThreads) continue;
    if (t >= usual_.size()) usual_.resize(t + std::size_t{1});
    const Thread& thread = threads_[t];
    usual_[t] = static_cast<std::uint8_t>(thread.first && !thread.joined && !thread.ended);
  }
}

inline void WellFormed::look_at(const BlockView& block, std::uint32_t i) {
  const Look how = look_at_[block.op[i]];
  if (how <= Look::release) {
    const NumberedOp op{block.first + i, block.ops[block.op[i]]};
    if (change_hands(locks_[block.object[i]], block.thread[i], how, op)) return;
  }
  if (how != Look::no) look(block, i);
}

bool WellFormed::all_usual(const BlockView& block) {
  const auto actors = block.actors.empty() ? block.thread : block.actors;
  return std::ranges::all_of(actors, [this](std::uint32_t t) { return t < usual_.size() && usual_[t] != 0; });
}

// A free lock is taken, or one that was taken once is given back: most of what there is to look at. Whether
// the one or the other is as good as random, and so is not asked by a branch.
[[gnu::always_inline]] inline bool WellFormed::change_hands(Lock& lock, std::uint32_t t, Look how,
                                                            const NumberedOp& by) {
  const std::uint64_t held = Lock::held(t);
  static_assert(static_cast<int>(Look::acquire) == 0 && static_cast<int>(Look::release) == 1);
  const std::uint64_t before = held & -static_cast<std::uint64_t>(how);
  if (((lock.writer ^ before) | lock.readers | robbed_.size()) != 0) return false;
  lock.writer = before ^ held;
  lock.number = by.number;  // means nothing behind a release
  lock.site = by.op.site;
  lock.stack = by.op.stack;
  return true;
}

std::optional<std::uint64_t> WellFormed::premature_end(ThreadId t) const {
  const Thread* thread = threads_.find(index(t));
  return thread == nullptr ? std::nullopt : thread->premature_end;
}

inline WellFormed::Look WellFormed::how_to_look(const Op& op) {
  const bool plain = (op.kind == EventKind::read || op.kind == EventKind::write) &&
                     op.order == MemoryOrder::relaxed && op.offset < kCellBytes &&
                     op.value <= kMaxAccessBytes;
  if (plain) return Look::no;
  if (fault_of(op)) return Look::with_care;
  if (is_access(op.kind) || is_allocation(op.kind)) return Look::no;
  if (op.kind == EventKind::acquire) return Look::acquire;
  if (op.kind == EventKind::release) return Look::release;
  return object_kind(op.kind) == ObjectKind::none ? Look::with_care : Look::yes;
}

void WellFormed::classify(std::span<const Op> ops) {
  look_at_.resize(ops.size());
  only_locks_ = true;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    look_at_[i] = how_to_look(ops[i]);
    const bool plain = ops[i].kind == EventKind::read || ops[i].kind == EventKind::write;
    const bool of_thread = object_kind(ops[i].kind) == ObjectKind::thread ||
                           ops[i].kind == EventKind::begin || ops[i].kind == EventKind::end;
    if (of_thread || (plain && look_at_[i] != Look::no)) only_locks_ = false;
  }
}

// Without a branch that synchronisation, spread among the accesses, would make mispredicted.
void WellFormed::find_marks(const BlockView& block) {
  const std::size_t size = block.size();
  if (marks_.size() < size + 1) marks_.resize(size + 1);
  std::uint32_t* const marks = marks_.data();
  const Look* const look_at = look_at_.data();
  const std::uint32_t* const thread = block.thread.data();
  const std::uint16_t* const op = block.op.data();
  std::size_t n = 0;
  std::uint32_t previous = size == 0 ? 0 : ~thread[0];
  for (std::size_t i = 0; i < size; ++i) {
    marks[n] = static_cast<std::uint32_t>(i);
    n += static_cast<std::size_t>((look_at[op[i]] != Look::no) | (thread[i] != previous));
    previous = thread[i];
  }
  marked_ = n;
}

void WellFormed::look(const BlockView& block, std::uint32_t i) {
  const NumberedEvent e{block.first + i, block[i]};
  if (look_at_[block.op[i]] == Look::with_care) look_for_faults(e);
  switch (e.event.op.kind) {
    case EventKind::acquire:
      return acquire(e);
    case EventKind::acquire_shared:
      return acquire_shared(e);
    case EventKind::release:
      return release(e);
    case EventKind::release_shared:
      return release_shared(e);
    case EventKind::fork:
      return fork(e);
    case EventKind::join:
      return join(e);
    case EventKind::begin: {
      Thread& thread = threads_[index(e.event.thread)];
      if (thread.first->number != e.number) {
        note(thread.begun ? Rule::begin_twice : Rule::begin_late, e, thread.first);
      }
      thread.begun = true;
      return;
    }
    case EventKind::end:
      threads_[index(e.event.thread)].ended = e;
      // What follows in the same run would not be looked at.
      if (i + 1 < block.size() && block.thread[i + 1] == block.thread[i]) acts(block, i + 1);
      return;
    case EventKind::send:
      sent_[e.event.object] = true;
      return;
    case EventKind::recv:
      if (!sent_[e.event.object]) note(Rule::recv_unsent, e);
      return;
    case EventKind::barrier_enter:
      return enter(e);
    case EventKind::barrier_exit:
      return exit(e);
    default:
      return;
  }
}

void WellFormed::look_for_faults(const NumberedEvent& e) {
  const Op& op = e.event.op;
  if (const auto fault = fault_of(op)) note(*fault, e);
  if (object_kind(op.kind) == ObjectKind::none && e.event.object != 0) note(Rule::stray, e);
}

// The thread has an event here. Called for the first one of each run, and after an `end`.
void WellFormed::acts(const BlockView& block, std::uint32_t i) {
  Thread& thread = threads_[block.thread[i]];
  if (thread.first && !thread.joined && !thread.ended) [[likely]]
    return;
  const NumberedEvent e{block.first + i, block[i]};
  if (!thread.first) thread.first = e;
  if (thread.joined) note(Rule::after_join, e, thread.joined);
  if (thread.ended) {
    note(Rule::after_end, e, thread.ended);
    thread.premature_end = thread.ended->number;
  }
  thread.joined.reset();
  thread.ended.reset();
}

void WellFormed::acquire(const NumberedEvent& e) {
  const std::uint32_t t = index(e.event.thread);
  const std::uint32_t l = e.event.object;
  Lock& lock = locks_[l];
  if (lock.is_written_by(t)) {
    lock.writer += Lock::kOnce;
    return note_inner(e);
  }
  if (robbed_.size() > 0) robbed_.erase(l, t);
  if (lock.depth() > 0) {
    note(Rule::lock_held, e, lock.taken(l));
    rob_writer(l, lock);
  } else if (lock.readers > 0) {
    const bool upgrade = holds_shared(t, l, lock);
    if (lock.readers > (upgrade ? 1u : 0u)) {
      note(Rule::lock_held, e, earliest_reader(l, lock, t));
      ++lock.era;
      lock.readers = 0;
      if (upgrade) {
        shared_(l, t).era = lock.era;
        lock.readers = 1;
      }
    } else {
      note(Rule::lock_upgrade, e, shared_(l, t).taken);
    }
  }
  lock.writer = Lock::held(t);
  lock.number = e.number;
  lock.site = e.event.op.site;
  lock.stack = e.event.op.stack;
}

void WellFormed::acquire_shared(const NumberedEvent& e) {
  const std::uint32_t t = index(e.event.thread);
  const std::uint32_t l = e.event.object;
  Lock& lock = locks_[l];
  Hold& hold = shared_(l, t);
  if (hold.depth > 0 && hold.era == lock.era) {
    ++hold.depth;
    return note_inner(e);
  }
  if (lock.depth() > 0 && !lock.is_written_by(t)) {
    note(Rule::lock_held, e, lock.taken(l));
    rob_writer(l, lock);
  }
  hold = {1, lock.era, e};
  ++lock.readers;
}

void WellFormed::release(const NumberedEvent& e) {
  const std::uint32_t t = index(e.event.thread);
  const std::uint32_t l = e.event.object;
  Lock& lock = locks_[l];
  if (lock.is_written_by(t)) {
    if (!lock.leave()) note_inner(e);
    return;
  }
  if (std::uint32_t* depth = robbed_.find(l, t)) {
    if (--*depth == 0) robbed_.erase(l, t);
    return;
  }
  report_release(e, lock);
}

void WellFormed::release_shared(const NumberedEvent& e) {
  const std::uint32_t t = index(e.event.thread);
  const std::uint32_t l = e.event.object;
  Lock& lock = locks_[l];
  Hold* hold = shared_.find(l, t);
  if (hold == nullptr) return report_release(e, lock);
  if (--hold->depth > 0) return note_inner(e);
  if (hold->era == lock.era) --lock.readers;
  shared_.erase(l, t);
}

void WellFormed::report_release(const NumberedEvent& e, const Lock& lock) {
  if (lock.depth() > 0) return note(Rule::release_other, e, lock.taken(e.event.object));
  if (lock.readers == 0) return note(Rule::release_free, e);
  note(Rule::release_other, e, earliest_reader(e.event.object, lock, UINT32_MAX));
}

bool WellFormed::holds_shared(std::uint32_t t, std::uint32_t l, const Lock& lock) {
  const Hold* hold = shared_.find(l, t);
  return hold != nullptr && hold->era == lock.era;
}

// Walks all shared holds, so for the first violations only: a trace may have as many as it has events.
std::optional<NumberedEvent> WellFormed::earliest_reader(std::uint32_t l, const Lock& lock,
                                                         std::uint32_t but) const {
  constexpr std::size_t kSearched = 100;
  if (!room() || kept_.size() >= kSearched) return std::nullopt;
  std::optional<NumberedEvent> earliest;
  shared_.for_each([&](std::uint32_t held, std::uint32_t t, const Hold& hold) {
    if (held != l || t == but || hold.era != lock.era) return;
    if (!earliest || hold.taken.number < earliest->number) earliest = hold.taken;
  });
  return earliest;
}

void WellFormed::rob_writer(std::uint32_t l, Lock& lock) {
  robbed_(l, static_cast<std::uint32_t>(lock.writer)) = lock.depth();
  lock.writer = 0;
  // What the writer also held as a reader is lost with it; nobody else can have held it.
  lock.readers = 0;
  ++lock.era;
}

void WellFormed::fork(const NumberedEvent& e) {
  if (e.event.object == index(e.event.thread)) return note(Rule::fork_self, e);
  Thread& child = threads_[e.event.object];
  if (e.event.object < usual_.size()) usual_[e.event.object] = 0;
  if (child.forked) {
    const bool repeated =
        child.forked->number + 1 == e.number && child.forked->event.thread == e.event.thread;
    note(repeated ? Rule::fork_repeated : Rule::fork_twice, e, child.forked);
  } else if (child.first) {
    note(Rule::fork_late, e, child.first);
  } else if (child.joined) {
    note(Rule::fork_joined, e, child.joined);
  }
  const auto premature_end = child.premature_end;
  child = Thread{};
  child.forked = e;
  child.premature_end = premature_end;
}

void WellFormed::join(const NumberedEvent& e) {
  if (e.event.object == index(e.event.thread)) return note(Rule::join_self, e);
  Thread& child = threads_[e.event.object];
  if (e.event.object < usual_.size()) usual_[e.event.object] = 0;
  if (!child.joined) child.joined = e;
}

void WellFormed::enter(const NumberedEvent& e) {
  Visit& visit = visits_(e.event.object, index(e.event.thread));
  Barrier& barrier = barriers_[e.event.object];
  const std::uint64_t generation = e.event.op.value;
  const bool closed = barrier.left && generation <= barrier.left->event.op.value;
  if (visit.inside) {
    note(Rule::barrier_inside, e, visit.entered);
  } else if (visit.been && generation < visit.entered.event.op.value) {
    note(Rule::barrier_back, e, visit.entered);
  } else if (closed) {
    note(Rule::barrier_closed, e, barrier.left);
  }
  if (closed) barrier.left.reset();
  visit = {true, true, e};
}

void WellFormed::exit(const NumberedEvent& e) {
  Visit& visit = visits_(e.event.object, index(e.event.thread));
  Barrier& barrier = barriers_[e.event.object];
  const std::uint64_t generation = e.event.op.value;
  const bool proper = visit.inside && visit.entered.event.op.value == generation;
  if (!proper) {
    note(Rule::barrier_exit, e, visit.been ? std::optional(visit.entered) : std::nullopt);
  } else if (!barrier.left || barrier.left->event.op.value < generation) {
    barrier.left = e;
  }
  visit.inside = false;
}

void WellFormed::note(Rule rule, const NumberedEvent& e, const std::optional<NumberedEvent>& other) {
  ++total_;
  ++by_rule_[static_cast<std::size_t>(rule)];
  faults_.push_back({static_cast<std::uint32_t>(e.number - first_), rule});
  if (room()) kept_.push_back({rule, e, other});
}

}  // namespace deadheat::model
