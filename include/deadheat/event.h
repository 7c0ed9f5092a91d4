// What a trace is made of: ids, event kinds, events, and blocks of events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace deadheat {

// Dense ids, numbered from 0 in order of first appearance. SiteId and StackId 0 mean "none".
enum class ThreadId : std::uint32_t {};
enum class VarId : std::uint32_t {};
enum class LockId : std::uint32_t {};
enum class ChannelId : std::uint32_t {};
enum class BarrierId : std::uint32_t {};
enum class SiteId : std::uint32_t { none = 0 };
enum class StackId : std::uint32_t { none = 0 };

template <class Id>
constexpr std::uint32_t index(Id id) {
  return static_cast<std::uint32_t>(id);
}

// The numbers are those of the file format: they never change, new kinds are added at the end.
enum class EventKind : std::uint8_t {
  read,
  write,
  atomic_load,
  atomic_store,
  atomic_rmw,
  fence,
  acquire,  // of a lock, exclusively
  release,
  acquire_shared,  // as a reader
  release_shared,
  fork,
  join,
  begin,  // of a thread: its first event, if present
  end,    // of a thread: its last event, if present
  send,   // one-way message: ordered before every later recv of the same channel
  recv,
  barrier_enter,
  barrier_exit,
  alloc,  // of memory: the variables in the range are new
  free,
  gap,        // here the thread may have accessed memory, nobody knows which, that is not in the trace
  gap_range,  // the same, of these bytes: whether it read or wrote them is not known
  try_acquire_failed,  // an attempt to take a lock, in whatever mode, that found it held
  try_recv_failed,     // an attempt to receive that found nothing
  try_join_failed,     // an attempt to join a thread that had not ended
};
inline constexpr std::size_t kEventKinds = 25;

// C++'s orders with C++'s numbers.
enum class MemoryOrder : std::uint8_t { relaxed, consume, acquire, release, acq_rel, seq_cst };
inline constexpr std::size_t kMemoryOrders = 6;

// What the object of an event is.
enum class ObjectKind : std::uint8_t { none, variable, lock, thread, channel, barrier };
inline constexpr std::size_t kObjectKinds = 6;

constexpr ObjectKind object_kind(EventKind kind) {
  switch (kind) {
    case EventKind::read:
    case EventKind::write:
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_rmw:
    case EventKind::alloc:
    case EventKind::free:
    case EventKind::gap_range:
      return ObjectKind::variable;
    case EventKind::acquire:
    case EventKind::release:
    case EventKind::acquire_shared:
    case EventKind::release_shared:
    case EventKind::try_acquire_failed:
      return ObjectKind::lock;
    case EventKind::fork:
    case EventKind::join:
    case EventKind::try_join_failed:
      return ObjectKind::thread;
    case EventKind::send:
    case EventKind::recv:
    case EventKind::try_recv_failed:
      return ObjectKind::channel;
    case EventKind::barrier_enter:
    case EventKind::barrier_exit:
      return ObjectKind::barrier;
    case EventKind::fence:
    case EventKind::begin:
    case EventKind::end:
    case EventKind::gap:
      return ObjectKind::none;
  }
  return ObjectKind::none;
}

constexpr bool is_atomic(EventKind kind) {
  return kind == EventKind::atomic_load || kind == EventKind::atomic_store || kind == EventKind::atomic_rmw;
}
constexpr bool is_access(EventKind kind) {
  return kind == EventKind::read || kind == EventKind::write || is_atomic(kind);
}
constexpr bool has_order(EventKind kind) { return is_atomic(kind) || kind == EventKind::fence; }
constexpr bool is_barrier(EventKind kind) {
  return kind == EventKind::barrier_enter || kind == EventKind::barrier_exit;
}
constexpr bool is_allocation(EventKind kind) { return kind == EventKind::alloc || kind == EventKind::free; }
constexpr bool is_gap(EventKind kind) { return kind == EventKind::gap || kind == EventKind::gap_range; }
// Changes nothing and orders nothing: it only tells what was so.
constexpr bool is_failed_attempt(EventKind kind) {
  return kind == EventKind::try_acquire_failed || kind == EventKind::try_recv_failed ||
         kind == EventKind::try_join_failed;
}
// What is known to be done to memory, to a lock, to a thread; not gaps and failed attempts.
constexpr bool is_of_memory(EventKind kind) { return is_access(kind) || is_allocation(kind); }
constexpr bool is_of_lock(EventKind kind) {
  return kind == EventKind::acquire || kind == EventKind::release || kind == EventKind::acquire_shared ||
         kind == EventKind::release_shared;
}
constexpr bool is_of_thread(EventKind kind) { return kind == EventKind::fork || kind == EventKind::join; }
constexpr bool has_offset(EventKind kind) { return is_access(kind) || kind == EventKind::gap_range; }
constexpr bool has_size(EventKind kind) { return has_offset(kind) || is_allocation(kind); }

// The words of the text format and of reports: "r", "acq", "fork"...
std::string_view name_of(EventKind kind);
std::string_view name_of(MemoryOrder order);
std::string_view name_of(ObjectKind kind);

// A variable is a cell of kCellBytes bytes (or, in traces that know no addresses, a named thing). An access
// covers the bytes [offset, offset + size) counted from the start of its variable; where that goes past the
// cell, the bytes of the variables that follow by number. Size 0: not known, the whole variable.
inline constexpr unsigned kCellBytes = 8;

// All of an event but who did it and to what. Programs have few distinct ones: a block stores each once.
struct Op {
  EventKind kind = EventKind::read;
  MemoryOrder order = MemoryOrder::relaxed;  // atomics and fences; else relaxed
  std::uint8_t offset = 0;  // accesses, gap_range: first byte within the cell, < kCellBytes; else 0
  SiteId site = SiteId::none;
  StackId stack = StackId::none;
  std::uint64_t value = 0;  // accesses, gap_range, alloc, free: bytes; barriers: generation; else 0

  friend constexpr bool operator==(const Op&, const Op&) = default;
};

// How many variables an access, gap_range, alloc or free covers, from its object on.
constexpr std::uint64_t cells(const Op& op) {
  return op.value == 0 ? 1 : (op.offset + op.value - 1) / kCellBytes + 1;
}
// No access or allocation is larger: keeps cells() far from overflow.
inline constexpr std::uint64_t kMaxAccessBytes = std::uint64_t{kCellBytes} << 32;

struct Event {
  ThreadId thread{};
  Op op;
  std::uint32_t object = 0;  // id in the name space object_kind(op.kind); 0 if that is none

  friend constexpr bool operator==(const Event&, const Event&) = default;
};

// Consecutive events, by column. `ops` holds the distinct operations of the block; `op` indexes it. `actors`
// are the threads that act in it, perhaps others besides, where the source knows; else there are none.
struct BlockView {
  std::uint64_t first = 0;  // number of the first event; events are numbered from 0
  std::span<const std::uint32_t> thread;
  std::span<const std::uint16_t> op;
  std::span<const std::uint32_t> object;
  std::span<const Op> ops;
  std::span<const std::uint32_t> actors = {};

  std::size_t size() const { return op.size(); }
  Event operator[](std::size_t i) const { return {ThreadId{thread[i]}, ops[op[i]], object[i]}; }
};

inline constexpr std::size_t kBlockEvents = 16384;     // as written
inline constexpr std::size_t kMaxBlockEvents = 65536;  // as read

}  // namespace deadheat
