#include "record/transcriber.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

namespace deadheat::record {

using runtime::Kind;
using runtime::Record;

namespace {

template <class V>
V& at(model::PairTable<V>& table, std::uint64_t address) {
  return table(static_cast<std::uint32_t>(address >> 32), static_cast<std::uint32_t>(address));
}
template <class V>
V* find(model::PairTable<V>& table, std::uint64_t address) {
  return table.find(static_cast<std::uint32_t>(address >> 32), static_cast<std::uint32_t>(address));
}
template <class V>
void erase(model::PairTable<V>& table, std::uint64_t address) {
  table.erase(static_cast<std::uint32_t>(address >> 32), static_cast<std::uint32_t>(address));
}

// A release or acquire that the kind of operation cannot have has no meaning: C++ forbids it.
MemoryOrder order_of(EventKind kind, unsigned order) {
  const auto given = order < kMemoryOrders ? static_cast<MemoryOrder>(order) : MemoryOrder::seq_cst;
  if (kind == EventKind::atomic_load) {
    if (given == MemoryOrder::release) return MemoryOrder::relaxed;
    if (given == MemoryOrder::acq_rel) return MemoryOrder::acquire;
  }
  if (kind == EventKind::atomic_store) {
    if (given == MemoryOrder::acquire || given == MemoryOrder::consume) return MemoryOrder::relaxed;
    if (given == MemoryOrder::acq_rel) return MemoryOrder::release;
  }
  return given;
}

// The same place, another kind of event.
Op as(const Op& op, EventKind kind) { return {.kind = kind, .site = op.site, .stack = op.stack}; }

}  // namespace

Transcriber::Transcriber(const runtime::Session& session, Sink& sink, Scope scope)
    : sink_(&sink), cells_(names_), places_(session, names_), scope_(std::move(scope)) {}

// Blocks.

void Transcriber::put(std::uint32_t thread, const Op& op, std::uint32_t object) {
  block_.append({ThreadId{thread}, op, object});
  if (block_.full()) full_block();
}

// Split where ids are not in a row.
void Transcriber::put_range(std::uint32_t thread, Op op, std::uint64_t address, std::uint64_t bytes) {
  while (bytes > 0) {
    const std::uint64_t part = std::min(cells_.in_a_row(address, bytes), kMaxAccessBytes - kCellBytes);
    const std::uint32_t cell = cells_.number(address);
    if (cell == Cells::kNone) {
      losses_.add(Loss::no_cells);
    } else {
      op.offset = has_offset(op.kind) ? static_cast<std::uint8_t>(address % kCellBytes) : std::uint8_t{0};
      op.value = part;
      if (!is_allocation(op.kind)) cells_.use(address, part);
      put(thread, op, cell);
    }
    address += part;
    bytes -= part;
  }
}

void Transcriber::put_access(std::uint32_t thread, const Op& op, std::uint64_t address, std::uint64_t bytes) {
  if (!in_scope(op.site)) return losses_.add(Loss::out_of_scope);
  put_range(thread, op, address, bytes);
}

bool Transcriber::in_scope(SiteId site) {
  if (!scope_) return true;
  if (index(site) >= asked_.size()) asked_.resize(names_.sites.size());
  Asked& asked = asked_[index(site)];
  if (asked == Asked::not_yet) {
    const Site& s = names_.sites[index(site)];
    const Module& module = names_.modules[s.module];
    const bool in = scope_(names_.strings[module.path], names_.strings[module.build_id], s.address);
    asked = in ? Asked::in : Asked::out;
  }
  return asked == Asked::in;
}

void Transcriber::full_block() { flush(); }

void Transcriber::flush() {
  events_ += block_.size();
  if (!failure_ && !block_.empty()) {
    if (auto ok = sink_->append(block_.view(0), names_); !ok) failure_ = ok.error();
  }
  new_block();
}

void Transcriber::new_block() {
  block_.clear();
  if (++block_number_ != 0) return;
  std::fill(known_.begin(), known_.end(), Known{});
  block_number_ = 1;
}

Op Transcriber::op_of(const Stream& stream, const Record& record, EventKind kind) {
  return {.kind = kind, .site = places_.site(record.address()), .stack = places_.stack(stream.node)};
}

std::uint16_t Transcriber::new_op(const Stream& stream, const Record& record, Known& known) {
  Op op = op_of(stream, record, record.kind() == Kind::write ? EventKind::write : EventKind::read);
  op.offset = static_cast<std::uint8_t>(record.object() % kCellBytes);
  op.value = record.size();
  known.op = in_scope(op.site) ? block_.code(op) : kOutOfScope;
  known.block = block_number_;
  return known.op;
}

// Threads.

Transcriber::Thread& Transcriber::thread(std::uint32_t number) {
  if (number >= threads_.size()) threads_.resize(std::max<std::size_t>(number + std::size_t{1}, 64));
  Thread& t = threads_[number];
  if (t.state == Thread::unknown) {
    t.id = thread_count_++;
    t.state = Thread::forked;
    names_.threads.add(t.id == 0 ? "main" : "");
  }
  return t;
}

bool Transcriber::may_act(std::uint32_t number) {
  Thread& t = thread(number);
  if (t.state == Thread::gone) {
    losses_.add(Loss::after_end);
    return false;
  }
  t.state = Thread::alive;
  return true;
}

void Transcriber::begin(const Stream& stream, const Record& record) {
  if ((record.extra() & 1) != 0) new_image();
  Thread& t = thread(stream.thread);
  if (t.state != Thread::forked) return losses_.add(Loss::begin_late);
  t.state = Thread::alive;
  put(t.id, op_of(stream, record, EventKind::begin), 0);
}

void Transcriber::end(const Stream& stream, const Record& record) {
  if (!may_act(stream.thread)) return;
  Thread& t = threads_[stream.thread];
  end_holds(t, op_of(stream, record, EventKind::end));
  put(t.id, op_of(stream, record, EventKind::end), 0);
  t.state = Thread::gone;
}

void Transcriber::fork(const Stream& stream, const Record& record) {
  if (!may_act(stream.thread)) return;
  const auto number = static_cast<std::uint32_t>(record.object());
  const bool is_new = number >= threads_.size() || threads_[number].state == Thread::unknown;
  if (!is_new) return losses_.add(Loss::begin_late);
  const std::uint32_t child = thread(number).id;
  put(threads_[stream.thread].id, op_of(stream, record, EventKind::fork), child);
}

void Transcriber::join(const Stream& stream, const Record& record) {
  if (!may_act(stream.thread)) return;
  const auto number = static_cast<std::uint32_t>(record.object());
  if (number == stream.thread) return losses_.add(Loss::begin_late);
  Thread& child = thread(number);
  if (child.state == Thread::alive) end_holds(child, op_of(stream, record, EventKind::join));
  child.state = Thread::gone;
  put(threads_[stream.thread].id, op_of(stream, record, EventKind::join), child.id);
}

void Transcriber::name_thread(std::uint32_t number, std::uint64_t text, std::uint64_t rest) {
  std::array<char, 16> bytes;
  std::memcpy(bytes.data(), &text, 8);
  std::memcpy(bytes.data() + 8, &rest, 8);
  const std::string_view name(bytes.data(), strnlen(bytes.data(), bytes.size()));
  // Many threads may have one name.
  const std::uint32_t id = thread(number).id;
  names_.threads.rename(id, fmt::format("T{} ({})", id, name));
}

// The process began another program: no thread, and nothing in memory, is what it was.
void Transcriber::new_image() {
  for (Thread& t : threads_) {
    if (t.state != Thread::unknown) t.state = Thread::gone;
    t.visit = {};
  }
  cells_.forget();
  locks_ = {};
  readers_ = {};
  channels_ = {};
  barriers_ = {};
  blocks_ = {};
  benign_.clear();
  std::fill(known_.begin(), known_.end(), Known{});
}

// Locks.

namespace {
std::string address_text(std::uint64_t address) { return fmt::format("{:#x}", address); }
}  // namespace

Transcriber::Lock& Transcriber::lock_at(std::uint64_t address) {
  Lock& lock = at(locks_, address);
  if (lock.id == 0) {
    lock.id = ++lock_count_;
    names_.locks.add(address_text(address));
  }
  return lock;
}

// As if the writer had released it here.
void Transcriber::end_write_hold(Lock& lock, const Op& op) {
  for (; lock.depth > 0; --lock.depth) put(lock.writer, as(op, EventKind::release), lock.id - 1);
}

void Transcriber::end_read_holds(Lock& lock, const Op& op) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> holds;
  readers_.for_each([&](std::uint32_t l, std::uint32_t t, std::uint32_t depth) {
    if (l == lock.id) holds.emplace_back(t, depth);
  });
  for (auto [t, depth] : holds) {
    for (; depth > 0; --depth) put(t, as(op, EventKind::release_shared), lock.id - 1);
    readers_.erase(lock.id, t);
  }
  lock.readers = 0;
}

// Nothing can be said of a thread behind its end. Who takes the lock next, as a robust mutex of a dead owner
// can be, comes behind what the thread did; so does who gives it back in its stead.
void Transcriber::end_holds(const Thread& thread, const Op& op) {
  if (thread.holds == 0) return;
  std::vector<std::uint64_t> written;
  locks_.for_each([&](std::uint32_t high, std::uint32_t low, const Lock& lock) {
    if (lock.depth > 0 && lock.writer == thread.id) written.push_back(std::uint64_t{high} << 32 | low);
  });
  std::vector<std::pair<std::uint64_t, std::uint32_t>> read;
  locks_.for_each([&](std::uint32_t high, std::uint32_t low, const Lock& lock) {
    const std::uint32_t* const depth = lock.readers > 0 ? readers_.find(lock.id, thread.id) : nullptr;
    if (depth != nullptr) read.emplace_back(std::uint64_t{high} << 32 | low, *depth);
  });
  std::sort(written.begin(), written.end());
  std::sort(read.begin(), read.end());
  for (const std::uint64_t address : written) {
    losses_.add(Loss::held_at_end);
    end_write_hold(at(locks_, address), op);
  }
  for (auto [address, depth] : read) {
    losses_.add(Loss::held_at_end);
    Lock& lock = at(locks_, address);
    for (; depth > 0; --depth) put(thread.id, as(op, EventKind::release_shared), lock.id - 1);
    readers_.erase(lock.id, thread.id);
    --lock.readers;
  }
}

void Transcriber::acquire(const Stream& stream, const Record& record) {
  if (!may_act(stream.thread)) return;
  const std::uint32_t t = threads_[stream.thread].id;
  const Op op = op_of(stream, record, EventKind::acquire);
  Lock& lock = lock_at(record.object());
  if (lock.depth > 0 && lock.writer != t) {
    losses_.add(Loss::release_unseen);
    end_write_hold(lock, op);
  }
  if (lock.readers > 0) {
    losses_.add(Loss::release_unseen);
    end_read_holds(lock, op);
  }
  lock.writer = t;
  ++lock.depth;
  ++threads_[stream.thread].holds;
  put(t, op, lock.id - 1);
  receive_releases(lock, t, op);
}

void Transcriber::acquire_shared(const Stream& stream, const Record& record) {
  if (!may_act(stream.thread)) return;
  const std::uint32_t t = threads_[stream.thread].id;
  const Op op = op_of(stream, record, EventKind::acquire_shared);
  Lock& lock = lock_at(record.object());
  if (lock.depth > 0) {
    losses_.add(Loss::release_unseen);
    end_write_hold(lock, op);
  }
  if (readers_(lock.id, t)++ == 0) ++lock.readers;
  ++threads_[stream.thread].holds;
  put(t, op, lock.id - 1);
  receive_releases(lock, t, op);
}

void Transcriber::release(const Stream& stream, const Record& record) {
  if (!may_act(stream.thread)) return;
  const std::uint32_t t = threads_[stream.thread].id;
  const Op op = op_of(stream, record, EventKind::release);
  Lock& lock = lock_at(record.object());
  if (lock.depth > 0 && lock.writer == t) {
    --lock.depth;
    --threads_[stream.thread].holds;
    return put(t, op, lock.id - 1);
  }
  release_by_message(lock, t, op);
}

void Transcriber::release_shared(const Stream& stream, const Record& record) {
  if (!may_act(stream.thread)) return;
  const std::uint32_t t = threads_[stream.thread].id;
  const Op op = op_of(stream, record, EventKind::release_shared);
  Lock& lock = lock_at(record.object());
  std::uint32_t* const depth = readers_.find(lock.id, t);
  if (depth == nullptr) return release_by_message(lock, t, op);
  --threads_[stream.thread].holds;
  if (--*depth == 0) {
    readers_.erase(lock.id, t);
    --lock.readers;
  }
  put(t, op, lock.id - 1);
}

// What the thread did before happens before what is done under the lock next, although it does not hold it:
// a mutex used as a semaphore, or taken before the recording began.
void Transcriber::release_by_message(Lock& lock, std::uint32_t t, const Op& op) {
  const bool is_held = lock.depth > 0 || lock.readers > 0;
  losses_.add(is_held ? Loss::release_by_other : Loss::release_unheld);
  if (lock.depth > 0) end_write_hold(lock, op);
  if (lock.channel == 0) lock.channel = ++channel_count_;
  lock.sent_in = trace_;
  put(t, as(op, EventKind::send), lock.channel - 1);
}

void Transcriber::receive_releases(Lock& lock, std::uint32_t t, const Op& op) {
  if (lock.sent_in == trace_) put(t, as(op, EventKind::recv), lock.channel - 1);
}

// Messages and barriers.

void Transcriber::message(const Stream& stream, const Record& record, EventKind kind) {
  if (!may_act(stream.thread)) return;
  Channel& channel = at(channels_, record.object());
  if (kind == EventKind::recv && channel.sent_in != trace_) {
    constexpr unsigned kIfSent = 1;
    if ((record.extra() & kIfSent) == 0) losses_.add(Loss::recv_unsent);
    return;
  }
  if (channel.id == 0) channel.id = ++channel_count_;
  channel.sent_in = trace_;
  put(threads_[stream.thread].id, op_of(stream, record, kind), channel.id - 1);
}

void Transcriber::barrier_init(const Record& record, std::uint64_t meet) {
  at(barriers_, record.object()) = {.id = ++barrier_count_, .meet = meet};
}

Transcriber::Barrier& Transcriber::barrier_at(std::uint64_t address) {
  Barrier& barrier = at(barriers_, address);
  if (barrier.id == 0) barrier.id = ++barrier_count_;
  return barrier;
}

// More threads than meet: which of them will meet is not known before they leave, since who enters first here
// need not come first there. All are ordered then, by messages, until nobody is left.
void Transcriber::crowd(Barrier& barrier, const Op& op) {
  if (barrier.is_crowded || barrier.meet == 0 || barrier.inside <= barrier.meet) return;
  losses_.add(Loss::barrier_crowded);
  barrier.is_crowded = true;
  if (barrier.channel == 0) barrier.channel = ++channel_count_;
  for (Thread& t : threads_) {
    if (t.visit.barrier != barrier.id) continue;
    t.visit.channel = barrier.channel;
    put(t.id, as(op, EventKind::send), barrier.channel - 1);
  }
}

void Transcriber::barrier_enter(const Stream& stream, const Record& record) {
  if (!may_act(stream.thread)) return;
  Thread& t = threads_[stream.thread];
  if (t.visit.barrier != 0) return losses_.add(Loss::barrier_unmatched);
  Barrier& barrier = barrier_at(record.object());
  Op op = op_of(stream, record, EventKind::barrier_enter);
  ++barrier.inside;
  crowd(barrier, op);
  t.visit.barrier = barrier.id;
  if (barrier.is_crowded) {
    t.visit.channel = barrier.channel;
    return put(t.id, as(op, EventKind::send), barrier.channel - 1);
  }
  t.visit.generation = barrier.meet != 0 ? barrier.enters++ / barrier.meet : barrier.generation;
  op.value = t.visit.generation;
  put(t.id, op, barrier.id - 1);
}

void Transcriber::barrier_exit(const Stream& stream, const Record& record) {
  if (!may_act(stream.thread)) return;
  Thread& t = threads_[stream.thread];
  const Visit visit = std::exchange(t.visit, Visit{});
  if (visit.barrier == 0) return losses_.add(Loss::barrier_unmatched);
  Op op = op_of(stream, record, EventKind::barrier_exit);
  if (visit.channel != 0) put(t.id, as(op, EventKind::recv), visit.channel - 1);
  if (visit.generation != kNoGeneration) {
    op.value = visit.generation;
    put(t.id, op, visit.barrier - 1);
  }
  Barrier* const barrier = find(barriers_, record.object());
  if (barrier == nullptr || barrier->id != visit.barrier) return;
  // Whoever enters behind the first exit of a generation belongs to the next.
  if (visit.generation != kNoGeneration) {
    barrier->generation = std::max(barrier->generation, visit.generation + 1);
  }
  if (--barrier->inside != 0 || !barrier->is_crowded) return;
  barrier->is_crowded = false;
  barrier->enters = (barrier->enters + barrier->meet - 1) / barrier->meet * barrier->meet;
}

// Memory.

void Transcriber::atomic(const Stream& stream, const Record& record, EventKind kind) {
  if (!may_act(stream.thread)) return;
  Op op = op_of(stream, record, kind);
  op.order = order_of(kind, record.extra());
  put_range(threads_[stream.thread].id, op, record.object(), std::max(record.size(), 1u));
}

// Of the bytes, where they are known and have ids; else of any.
void Transcriber::gap(const Stream& stream, const Record& record, std::uint64_t bytes) {
  if (!may_act(stream.thread)) return;
  const std::uint32_t t = threads_[stream.thread].id;
  const bool known = bytes > 0 && bytes <= kLargeBlock && cells_.cell(record.object()) != Cells::kNone;
  if (!known) return put(t, op_of(stream, record, EventKind::gap), 0);
  put_range(t, op_of(stream, record, EventKind::gap_range), record.object(), bytes);
}

// Of a lock, channel or thread of which nothing else is in the trace, nothing was seen that could matter; but
// it may yet come.
void Transcriber::failed_attempt(const Stream& stream, const Record& record) {
  if (!may_act(stream.thread)) return;
  const std::uint32_t t = threads_[stream.thread].id;
  if (record.kind() == Kind::try_acquire_failed) {
    return put(t, op_of(stream, record, EventKind::try_acquire_failed), lock_at(record.object()).id - 1);
  }
  if (record.kind() == Kind::try_recv_failed) {
    Channel& channel = at(channels_, record.object());
    if (channel.id == 0) channel.id = ++channel_count_;
    return put(t, op_of(stream, record, EventKind::try_recv_failed), channel.id - 1);
  }
  const auto number = static_cast<std::uint32_t>(record.object());
  if (number == stream.thread) return losses_.add(Loss::begin_late);
  const std::uint32_t other = thread(number).id;
  put(t, op_of(stream, record, EventKind::try_join_failed), other);
}

std::uint32_t Transcriber::omissions() const {
  std::uint32_t out = 0;
  for (const Loss loss :
       {Loss::benign, Loss::out_of_scope, Loss::no_cells, Loss::after_end, Loss::unknown_kind}) {
    if (losses_.count(loss) > 0) out |= static_cast<std::uint32_t>(Omission::ignored);
  }
  return out;
}

void Transcriber::alloc(const Stream& stream, const Record& record, std::uint64_t bytes) {
  if (!may_act(stream.thread)) return;
  const std::uint32_t t = threads_[stream.thread].id;
  const Op op = op_of(stream, record, EventKind::alloc);
  const std::uint64_t address = record.object();
  at(blocks_, address) = bytes;
  if (!benign_.empty()) forget_benign(address, bytes);
  if (bytes > kLargeBlock) losses_.add(Loss::large_blocks);
  put_block(t, op, address, bytes);
}

// Cells are whole: from the first to the last that has a byte of the block. Of large blocks only what need be
// told is, by pages; those that follow each other at once.
void Transcriber::put_block(std::uint32_t t, const Op& op, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t begin = address / kCellBytes * kCellBytes;
  const std::uint64_t end = address + std::max<std::uint64_t>(bytes, 1);
  if (end - begin < 2 * Cells::kRegionBytes) return put_range(t, op, begin, end - begin);
  put_pages(t, op, begin, end);
}

void Transcriber::put_pages(std::uint32_t t, const Op& op, std::uint64_t begin, std::uint64_t end) {
  const bool is_new = op.kind == EventKind::alloc;
  const std::uint64_t mixed =
      (std::uint64_t{t} << 40 ^ std::uint64_t{index(op.site)} << 20 ^ index(op.stack)) * 0x9E3779B97F4A7C15;
  const std::uint32_t owner = static_cast<std::uint32_t>(mixed >> 32) | 1;
  std::uint64_t told_from = begin, told_to = begin;
  const auto tell = [&](std::uint64_t from, std::uint64_t to) {
    if (from != told_to) {
      put_range(t, op, told_from, told_to - told_from);
      told_from = from;
    }
    told_to = to;
  };
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t next = std::min(end, (at / Cells::kRegionBytes + 1) * Cells::kRegionBytes);
    const bool is_touched = cells_.is_touched(at);
    const bool is_beyond = end - begin > kLargeBlock && at != begin;  // it may never be touched
    if (is_new && !is_beyond) cells_.number(at);                      // neighbours have numbers in a row
    if (next - at < Cells::kRegionBytes) {
      if (is_new ? is_touched || !is_beyond : cells_.is_in_use(at)) tell(at, next);
    } else if (is_touched || (is_new && !is_beyond)) {
      const Cells::Pages pages = is_new ? cells_.renew(at, owner) : cells_.take_back(at);
      constexpr std::uint64_t kPage = std::uint64_t{1} << Cells::kPageBits;
      for (std::uint64_t page = at, i = 0; page < next; page += kPage, ++i) {
        if ((pages >> i & 1) != 0) tell(page, page + kPage);
      }
    }
    at = next;
  }
  put_range(t, op, told_from, told_to - told_from);
}

bool Transcriber::is_benign(std::uint64_t address, std::uint64_t bytes) const {
  return std::any_of(benign_.begin(), benign_.end(), [&](const auto& range) {
    return address < range.second && range.first < address + bytes;
  });
}

// What was said of this memory was said of what was there before.
void Transcriber::forget_benign(std::uint64_t address, std::uint64_t bytes) {
  std::erase_if(benign_,
                [&](const auto& range) { return address < range.second && range.first < address + bytes; });
}

// Only what was in use before need be told that it is new.
void Transcriber::fresh(const Stream& stream, const Record& record, std::uint64_t bytes) {
  if (!may_act(stream.thread)) return;
  if (!benign_.empty()) forget_benign(record.object(), bytes);
  if ((record.extra() & 1) != 0) {
    names_.mappings.push_back(
        {Mapping::What::stack, threads_[stream.thread].id, record.object(), bytes, next_event()});
  }
  const Op op = op_of(stream, record, EventKind::alloc);
  const std::uint64_t end = record.object() + bytes;
  for (std::uint64_t at = record.object(); at < end;) {
    const std::uint64_t next = std::min(end, (at / Cells::kRegionBytes + 1) * Cells::kRegionBytes);
    if (cells_.is_touched(at)) put_range(threads_[stream.thread].id, op, at, next - at);
    at = next;
  }
}

void Transcriber::free(const Stream& stream, const Record& record) {
  if (!may_act(stream.thread)) return;
  const std::uint64_t address = record.object();
  const std::uint64_t* const bytes = find(blocks_, address);
  const bool is_access = (record.extra() & 1) == 0;
  if (bytes == nullptr) {
    if (is_access) losses_.add(Loss::free_unknown);
    return;
  }
  if (is_access)
    put_block(threads_[stream.thread].id, op_of(stream, record, EventKind::free), address, *bytes);
  erase(blocks_, address);
}

void Transcriber::unmap(const Stream& stream, const Record& record, std::uint64_t bytes) {
  if (!may_act(stream.thread)) return;
  const std::uint64_t address = record.object();
  put_pages(threads_[stream.thread].id, op_of(stream, record, EventKind::free), address, address + bytes);
  forget_blocks(address, bytes);
}

void Transcriber::forget_blocks(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t* const whole = find(blocks_, address);
  if (whole != nullptr && *whole >= bytes) return erase(blocks_, address);
  std::vector<std::uint64_t> gone;
  blocks_.for_each([&](std::uint32_t high, std::uint32_t low, std::uint64_t) {
    const std::uint64_t block = std::uint64_t{high} << 32 | low;
    if (block >= address && block - address < bytes) gone.push_back(block);
  });
  for (const std::uint64_t block : gone) erase(blocks_, block);
}

namespace {

// The program may have written anything over its records: no numbers that tables are not made for, and no
// memory beyond what addresses reach.
bool makes_sense(const Record& record, std::uint64_t operand) {
  switch (record.kind()) {
    case Kind::fork:
    case Kind::join:
    case Kind::try_join_failed:
    case Kind::thread_name:
      return record.object() < runtime::kMostThreads;
    case Kind::read_range:
    case Kind::write_range:
    case Kind::alloc:
    case Kind::fresh:
    case Kind::unmap:
    case Kind::benign:
    case Kind::gap:
      return operand <= Record::kObjectMask && record.object() + operand <= Record::kObjectMask + 1;
    default:
      return true;
  }
}

}  // namespace

void Transcriber::load(std::uint64_t modules) {
  if (places_.load(modules, next_event())) std::fill(known_.begin(), known_.end(), Known{});
}

void Transcriber::event(const Stream& stream, const Record& record, std::uint64_t operand,
                        std::uint64_t second) {
  if (!makes_sense(record, operand)) return losses_.add(Loss::unknown_kind);
  switch (record.kind()) {
    case Kind::read_range:
    case Kind::write_range: {
      if (!may_act(stream.thread)) return;
      if (!benign_.empty() && is_benign(record.object(), operand)) return losses_.add(Loss::benign);
      const auto kind = record.kind() == Kind::read_range ? EventKind::read : EventKind::write;
      return put_access(threads_[stream.thread].id, op_of(stream, record, kind), record.object(), operand);
    }
    case Kind::atomic_load:
      return atomic(stream, record, EventKind::atomic_load);
    case Kind::atomic_store:
      return atomic(stream, record, EventKind::atomic_store);
    case Kind::atomic_rmw:
      return atomic(stream, record, EventKind::atomic_rmw);
    case Kind::fence: {
      if (!may_act(stream.thread)) return;
      Op op = op_of(stream, record, EventKind::fence);
      op.order = order_of(EventKind::fence, record.extra());
      return put(threads_[stream.thread].id, op, 0);
    }
    case Kind::acquire:
      return acquire(stream, record);
    case Kind::release:
      return release(stream, record);
    case Kind::acquire_shared:
      return acquire_shared(stream, record);
    case Kind::release_shared:
      return release_shared(stream, record);
    case Kind::forget_lock:
      return erase(locks_, record.object());
    case Kind::fork:
      return fork(stream, record);
    case Kind::join:
      return join(stream, record);
    case Kind::begin:
      return begin(stream, record);
    case Kind::end:
      return end(stream, record);
    case Kind::send:
      return message(stream, record, EventKind::send);
    case Kind::recv:
      return message(stream, record, EventKind::recv);
    case Kind::forget_channel:
      return erase(channels_, record.object());
    case Kind::barrier_init:
      return barrier_init(record, operand);
    case Kind::barrier_enter:
      return barrier_enter(stream, record);
    case Kind::barrier_exit:
      return barrier_exit(stream, record);
    case Kind::forget_barrier:
      return erase(barriers_, record.object());
    case Kind::alloc:
      return alloc(stream, record, operand);
    case Kind::free:
      return free(stream, record);
    case Kind::fresh:
      return fresh(stream, record, operand);
    case Kind::unmap:
      return unmap(stream, record, operand);
    case Kind::thread_name:
      return name_thread(static_cast<std::uint32_t>(record.object()), operand, second);
    case Kind::benign:
      benign_.emplace_back(record.object(), record.object() + operand);
      return;
    case Kind::modules:
      return load(record.object());
    case Kind::gap:
      return gap(stream, record, operand);
    case Kind::try_acquire_failed:
    case Kind::try_recv_failed:
    case Kind::try_join_failed:
      return failed_attempt(stream, record);
    default:
      return losses_.add(Loss::unknown_kind);
  }
}

void Transcriber::continue_in(Sink& sink) {
  flush();
  sink_ = &sink;
  ++trace_;
  first_ = events_;
  for (Mapping& mapping : names_.mappings) mapping.since = 0;
  locks_.for_each([&](std::uint32_t, std::uint32_t, const Lock& lock) {
    for (std::uint32_t i = 0; i < lock.depth; ++i) {
      put(lock.writer, {.kind = EventKind::acquire}, lock.id - 1);
    }
  });
  readers_.for_each([&](std::uint32_t l, std::uint32_t t, std::uint32_t depth) {
    for (; depth > 0; --depth) put(t, {.kind = EventKind::acquire_shared}, l - 1);
  });
  for (const Thread& t : threads_) {
    const Visit& visit = t.visit;
    if (visit.channel != 0) put(t.id, {.kind = EventKind::send}, visit.channel - 1);
    if (visit.barrier == 0 || visit.generation == kNoGeneration) continue;
    put(t.id, {.kind = EventKind::barrier_enter, .value = visit.generation}, visit.barrier - 1);
  }
}

}  // namespace deadheat::record
