#include "generate/machine.h"

#include <algorithm>

namespace deadheat::generate {

namespace {

bool has_atomics(const Parameters& p) { return p.pattern == Pattern::atomics || p.pattern == Pattern::mixed; }

// Sizes and offsets belong to a site: a line of a program accesses a field of one type.
Op access_op(EventKind kind, std::uint32_t site, bool sized) {
  if (!sized) return {.kind = kind};
  const std::uint64_t h = Random(site)();
  const std::uint32_t size = 1u << (h & 3);
  const std::uint32_t places = kCellBytes / size;
  return {.kind = kind, .offset = static_cast<std::uint8_t>((h >> 2) % places * size), .value = size};
}

// Accesses to chunks: first cell within the chunk, and the bytes from there.
struct HeapShape {
  std::uint8_t cell, offset, size;
};
constexpr std::array<HeapShape, 6> kHeapShapes = {{
    {0, 0, 8},   // a cell
    {1, 4, 4},   // half of one
    {3, 7, 1},   // the last byte
    {0, 0, 16},  // two cells at once
    {1, 4, 8},   // across the border of two
    {0, 0, 32},  // all of it
}};

}  // namespace

Machine::Layout Machine::make_layout(const Parameters& p) {
  Layout l{};
  l.local = p.shared;
  l.atomics = l.local + p.threads * p.local;
  l.atomic_count = has_atomics(p) ? 2 * p.threads + 8 : 0;
  l.heap = l.atomics + l.atomic_count;
  l.chunk_count = p.pattern == Pattern::mixed ? 2 * p.threads : 0;
  l.races = l.heap + l.chunk_count * kChunkCells;
  return l;
}

Machine::Ops::Ops(Emitter& out, const Parameters& p) {
  std::uint32_t place = 0;
  for (std::uint32_t site = 0; site < p.sites; ++site) {
    ++place;
    out.add_op(access_op(EventKind::read, site, p.sized), place);
    out.add_op(access_op(EventKind::write, site, p.sized), place);
  }
  synchronisation = 2 * p.sites;
  for (std::size_t k = 0; k < kEventKinds; ++k) {
    const auto kind = static_cast<EventKind>(k);
    for (std::size_t order = 0; order < kMemoryOrders; ++order) {
      for (std::uint32_t salt = 0; salt < kSalts; ++salt) {
        Op op{.kind = kind, .order = static_cast<MemoryOrder>(order)};
        if (is_allocation(kind)) op.value = kChunkCells * kCellBytes;
        if (is_atomic(kind) && p.sized) op.value = 4;
        out.add_op(op, place + 1 + salt);
      }
    }
    place += kSalts;
  }
  heap = synchronisation + kEventKinds * kMemoryOrders * kSalts;
  for (const HeapShape& shape : kHeapShapes) {
    ++place;
    out.add_op({.kind = EventKind::read, .offset = shape.offset, .value = shape.size}, place);
    out.add_op({.kind = EventKind::write, .offset = shape.offset, .value = shape.size}, place);
  }
  places = place;
}

Machine::Machine(const Parameters& parameters, Sink& sink, Truth truth)
    : p(parameters),
      random(parameters.seed),
      out(sink, parameters.block_events),
      layout(make_layout(parameters)),
      ops(out, parameters),
      races(out, random, parameters, layout.races, ops.places + 1, std::move(truth)),
      threads(parameters.threads),
      read_bits(sixteen_bits(parameters.read_share)),
      locks_(parameters.locks),
      walks_(std::max(1u, parameters.sites / 4)),
      marking_(parameters.races > 0) {
  for (std::uint32_t i = 0; i < p.threads; ++i) threads[i].id = i;
  for (std::uint32_t i = 0; i < layout.chunk_count; ++i) chunks_.push_back(layout.chunk_count - 1 - i);
  reserve_ = least_events(p) - 2 * p.races;
  if (!marking_) return;
  lock_marks_.resize(p.locks);
  channel_marks_.resize(2 * std::size_t{p.threads});
  atomic_marks_.resize(layout.atomic_count);
}

void Machine::local_access(std::uint32_t t) {
  const std::uint64_t r = random();
  const auto bits = static_cast<std::uint32_t>(r >> 32);
  const std::uint32_t site =
      Random::scale(static_cast<std::uint32_t>(r) & 0xFFFF0000u, static_cast<std::uint32_t>(walks_.size()));
  // Every other site walks through the variables, the rest pick any.
  std::uint32_t at = Random::scale(bits, p.local);
  if (site & 1) {
    std::uint32_t& walk = walks_[site];
    walk = walk + 1 >= p.local ? 0 : walk + 1;
    at = walk;
  }
  const std::uint32_t write = (r & 0xFFFF) < read_bits ? 0 : 1;
  out.emit(t, 2 * site + write, layout.local + t * p.local + at);
}

void Machine::acquire(ThreadState& t, std::uint32_t l, bool shared) {
  if (marking_) {
    races.meet(t.id, lock_marks_[l].writers);
    if (!shared) races.meet(t.id, lock_marks_[l].readers);
  }
  emit(t.id, shared ? EventKind::acquire_shared : EventKind::acquire, l);
  Lock& lock = locks_[l];
  if (shared) {
    ++lock.readers;
  } else {
    lock.writer = t.id;
    ++lock.depth;
  }
  t.held[t.depth++] = {l, shared};
  ++reserve_;
}

void Machine::release_last(ThreadState& t) {
  const auto [l, shared] = t.held[--t.depth];
  emit(t.id, shared ? EventKind::release_shared : EventKind::release, l);
  Lock& lock = locks_[l];
  --(shared ? lock.readers : lock.depth);
  if (marking_) races.leave(t.id, shared ? lock_marks_[l].readers : lock_marks_[l].writers);
  --reserve_;
}

void Machine::send(std::uint32_t t, std::uint32_t channel) {
  emit(t, EventKind::send, channel);
  if (marking_) races.leave(t, channel_marks_[channel]);
}

void Machine::recv(std::uint32_t t, std::uint32_t channel) {
  if (marking_) races.meet(t, channel_marks_[channel]);
  emit(t, EventKind::recv, channel);
}

void Machine::enter_barrier(ThreadState& t) {
  out.emit_with(t.id, op(EventKind::barrier_enter, MemoryOrder::relaxed, 0), 0, t.generation);
  races.leave(t.id, barrier_mark_);
  t.inside = true;
  ++entered_;
  ++waiting_;
  ++reserve_;
}

void Machine::exit_barrier(ThreadState& t) {
  races.meet(t.id, barrier_mark_);
  out.emit_with(t.id, op(EventKind::barrier_exit, MemoryOrder::relaxed, 0), 0, t.generation);
  t.inside = false;
  ++t.generation;
  --waiting_;
  --reserve_;
}

void Machine::load(std::uint32_t t, std::uint32_t atomic, MemoryOrder order) {
  if (marking_) races.meet(t, atomic_marks_[atomic]);
  out.emit(t, op(EventKind::atomic_load, order, atomic), layout.atomics + atomic);
}

void Machine::store(std::uint32_t t, std::uint32_t atomic, MemoryOrder order) {
  out.emit(t, op(EventKind::atomic_store, order, atomic), layout.atomics + atomic);
  if (marking_) races.leave(t, atomic_marks_[atomic]);
}

void Machine::rmw(std::uint32_t t, std::uint32_t atomic, MemoryOrder order) {
  if (marking_) races.meet(t, atomic_marks_[atomic]);
  out.emit(t, op(EventKind::atomic_rmw, order, atomic), layout.atomics + atomic);
  if (marking_) races.leave(t, atomic_marks_[atomic]);
}

void Machine::fence(std::uint32_t t, MemoryOrder order) { out.emit(t, op(EventKind::fence, order, 0), 0); }

void Machine::alloc_chunk(ThreadState& t) {
  // The one freed last comes first, as in most allocators.
  t.place = chunks_.back();
  chunks_.pop_back();
  t.has_chunk = true;
  emit(t.id, EventKind::alloc, layout.heap + t.place * kChunkCells);
  ++reserve_;
}

void Machine::free_chunk(ThreadState& t) {
  emit(t.id, EventKind::free, layout.heap + t.place * kChunkCells);
  chunks_.push_back(t.place);
  t.has_chunk = false;
  --reserve_;
}

void Machine::heap_access(const ThreadState& t) {
  const std::uint32_t shape = random.below(kHeapShapes.size());
  const std::uint32_t write = draw_read() ? 0 : 1;
  out.emit(t.id, ops.heap + 2 * shape + write, layout.heap + t.place * kChunkCells + kHeapShapes[shape].cell);
}

void Machine::root(std::uint32_t t) {
  races.born(t);
  live.push_back(t);
}

void Machine::fork(std::uint32_t parent, std::uint32_t child) {
  emit(parent, EventKind::fork, child);
  races.forked(parent, child);
  threads[child].parent = parent;
  live.push_back(child);
  --reserve_;
}

void Machine::begin(std::uint32_t t) {
  emit(t, EventKind::begin, 0);
  --reserve_;
}

void Machine::close(ThreadState& t) {
  if (t.inside) exit_barrier(t);
  while (t.depth > 0) release_last(t);
  if (t.has_chunk) free_chunk(t);
  t.wants = kNobody;
  t.activity = Activity::idle;
}

void Machine::end(std::uint32_t t) {
  races.ends(t);
  if (p.pattern == Pattern::mixed) {
    emit(t, EventKind::end, 0);
    --reserve_;
  }
}

void Machine::join(std::uint32_t parent, std::uint32_t child) {
  races.meet_thread(parent, child);
  emit(parent, EventKind::join, child);
  --reserve_;
}

}  // namespace deadheat::generate
