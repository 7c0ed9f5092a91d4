// The memory that a recorded program and its recorder share: streams of raw records, one a thread, and the
// tables they point into. The recorder makes it (a memfd); the program finds it by the number in
// DEADHEAT_SESSION. It outlives the program: whatever was written is read, however the program ended.
//
// Position. Every synchronisation takes a stamp, by adding one to `Session::stamp`: a release before the real
// unlock, an acquire behind the real lock. An access takes none; it stands behind all events whose stamps are
// smaller than the counter that its thread saw last. The streams merged by position are a total order of the
// run in which every thread's events are in program order, and synchronisation is as it was.
//
// What may be merged. A thread says in Slot::floor, before it takes a stamp, below which stamp it will not
// write; behind the record, that it is idle (kIdle). Who reads the counter, then all floors, then the records
// has every synchronisation with a stamp below the least of what was read: a thread that took its stamp
// before the counter was read had set its floor before that. An access that comes late only moves behind.
//
// Freestanding: used by the runtime, which links no C++ library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace deadheat::runtime {

inline constexpr const char* kSessionVariable = "DEADHEAT_SESSION";

// What a record says. The order of the access kinds is used by the entry points.
enum class Kind : std::uint8_t {
  none,  // not written yet
  read,  // object: address; size in the record
  write,
  read_range,   // operand: bytes
  write_range,  // operand: bytes
  position,     // object: the counter; of the records that follow
  stack,        // object: a node of the depot; of the records that follow
  // From here on with a stamp: a `position` record stands before each of them.
  atomic_load,  // object: address; extra: C++'s memory order
  atomic_store,
  atomic_rmw,
  fence,    // extra: memory order
  acquire,  // object: address of the lock
  release,
  acquire_shared,
  release_shared,
  forget_lock,  // its address may become another lock
  fork,         // object: number of the other thread
  join,
  begin,  // extra: 1 where another program begins in the process (exec), with other memory
  end,
  send,  // object: address, or kDescriptor + a channel
  recv,  // extra: 1 where there may have been nothing to receive
  forget_channel,
  barrier_init,  // object: address; operand: how many threads meet
  barrier_enter,
  barrier_exit,
  forget_barrier,
  alloc,  // object: address; operand: bytes
  free,   // object: address of what was allocated; its size is known from there. extra: 1 where that is no
          // access
  fresh,  // object: address; operand: bytes. New memory that is no block. extra: 1 for the thread's stack
  unmap,  // object: address; operand: bytes. Blocks within are gone
  thread_name,  // object: number of the thread, maybe another; operand, operand: 16 bytes of text
  benign,       // object: address; operand: bytes. Plain accesses there race, and the program says they may
  modules,      // object: how many are loaded, or were, from here on
  gap,  // object: address, or 0; operand: bytes, 0: not known. The thread may have accessed that memory
  try_acquire_failed,  // object: address of the lock, which was held
  try_recv_failed,     // object: as of recv. There was nothing to receive
  try_join_failed,     // object: number of the thread, which had not ended
};

constexpr unsigned operands(Kind kind) {
  switch (kind) {
    case Kind::read_range:
    case Kind::write_range:
    case Kind::barrier_init:
    case Kind::alloc:
    case Kind::fresh:
    case Kind::unmap:
    case Kind::benign:
    case Kind::gap:
      return 1;
    case Kind::thread_name:
      return 2;
    default:
      return 0;
  }
}
constexpr bool has_stamp(Kind kind) { return kind > Kind::stack; }

// Channels that are no addresses.
inline constexpr std::uint64_t kDescriptor = std::uint64_t{1} << 47;
// Memory that programs do not have stands for descriptors: 8 bytes each, from here on. Read by who uses one,
// written by who closes it.
inline constexpr std::uint64_t kDescriptorMemory = std::uint64_t{1} << 47;

// 16 bytes. `code` is written last and is never 0 in a record that is there; chunks are zero before use.
struct Record {
  std::uint64_t what;  // 48 bits object, 8 kind, 8 size. Of an operand: the operand
  std::uint64_t code;  // 48 bits code address (a return address), 15 extra, 1 always set

  static constexpr std::uint64_t kObjectBits = 48;
  static constexpr std::uint64_t kObjectMask = (std::uint64_t{1} << kObjectBits) - 1;
  static constexpr std::uint64_t kThere = std::uint64_t{1} << 63;

  std::uint64_t object() const { return what & kObjectMask; }
  Kind kind() const { return static_cast<Kind>(what >> 48 & 0xff); }
  unsigned size() const { return static_cast<unsigned>(what >> 56); }
  std::uint64_t address() const { return code & kObjectMask; }
  unsigned extra() const { return static_cast<unsigned>(code >> 48 & 0x7fff); }
};
static_assert(sizeof(Record) == 16);

constexpr std::uint64_t what_word(Kind kind, std::uint64_t object, unsigned size = 0) {
  return (object & Record::kObjectMask) | std::uint64_t{static_cast<std::uint8_t>(kind)} << 48 |
         std::uint64_t{size} << 56;
}
constexpr std::uint64_t code_word(std::uint64_t code_address, unsigned extra = 0) {
  return (code_address & Record::kObjectMask) | std::uint64_t{extra} << 48 | Record::kThere;
}

// A stretch of a stream. Chunk 0 is none.
inline constexpr std::size_t kChunkBytes = 32 * 1024;
struct Chunk {
  std::uint32_t next;  // in the stream, set when this one is full; or in the list of free ones
  std::uint32_t reserved[15];
  static constexpr std::size_t kRecords = (kChunkBytes - 64) / sizeof(Record);
  Record records[kRecords];
};
static_assert(sizeof(Chunk) <= kChunkBytes);

// A stream: a thread's, or that of a signal handler which interrupted one.
struct alignas(64) Slot {
  enum State : std::uint32_t { empty, taken, open, closed };
  std::uint32_t state;  // empty -> taken -> open by the program, closed by it, empty by the recorder
  std::uint32_t thread;
  std::uint32_t first_chunk;
  std::uint32_t handler;  // 1: of a signal handler
  std::uint64_t floor;    // no stamp below this will be written; kIdle
};
inline constexpr std::uint64_t kIdle = ~std::uint64_t{0};
inline constexpr std::uint32_t kSlots = 16384;

// A call: who called (0: nobody known) and the return address in the caller.
struct Node {
  std::uint64_t code;  // 48 bits
  std::uint32_t caller;
  std::uint32_t next;  // with the same hash; 0: the last
};
inline constexpr std::uint32_t kNodes = 1u << 22;
inline constexpr std::uint32_t kNodeLists = 1u << 18;

// A loaded object. Later ones replace earlier ones at the same addresses.
struct Module {
  std::uint64_t begin, end;  // of what is loaded, code and data
  std::uint64_t bias;        // what is added to its file's addresses
  std::uint8_t build_id_bytes;
  std::uint8_t build_id[31];
  char path[456];
};
inline constexpr std::uint32_t kModules = 4096;

// What could not be kept, for the recorder to tell.
struct Lost {
  std::uint64_t stacks;     // calls without a node: the depot is full
  std::uint64_t frames;     // calls deeper than the shadow stack
  std::uint64_t modules;    // that did not fit
  std::uint64_t processes;  // forked off and not recorded
  std::uint64_t threads;    // without a stream: too many alive, or no memory
  std::uint64_t spins;      // atomic operations left out: the same again, of the same store
  std::uint64_t jumps;      // calls of setjmp that were forgotten: stacks may be wrong behind a jump to them
};

enum class Accesses : std::uint32_t { off, all, some };

// Why accesses may be missing without a gap that says so: bits of Session::incomplete. The numbers are those
// of Omission in traces.
enum class Incomplete : std::uint32_t {
  stock_instrumentation = 1,  // a module was instrumented by a compiler that leaves out reads
  opaque_unmarked = 2,        // calls into code that is not instrumented leave no gaps
  sampled = 4,                // accesses are recorded in part, or some of the time
  ignored = 8,                // accesses are left out by place or by the program's wish
};

struct Session {
  std::uint64_t magic;
  std::uint64_t bytes;       // of all
  std::uint32_t recorder;    // process
  std::uint32_t program;     // process; 0: none yet
  std::uint32_t threads;     // so far
  Accesses accesses;         // changed by the recorder, which then adds one to the stamp
  std::uint32_t rate;        // Accesses::some: of 2^32
  std::uint32_t slots_used;  // slots from here on have never been in use
  std::uint32_t modules_used;
  std::uint32_t nodes_used;
  std::uint32_t incomplete;  // bits of Incomplete, set and never cleared
  Lost lost;

  alignas(64) std::uint64_t stamp;  // starts at 1

  alignas(64) std::uint64_t free_chunks;  // list: low half index, high half a count against ABA
  std::uint32_t chunks_used;              // chunks from here on have never been in use; starts at 1
  std::uint32_t chunks_most;              // not to be exceeded; raised by the recorder
  std::uint32_t chunks_wanted;            // threads that wait for one (futex)
  std::uint32_t chunks_given;             // counts what was given back while somebody waited (futex)

  alignas(64) std::uint32_t filled;  // counts full chunks (futex of the recorder)
  std::uint32_t recorder_waits;

  Slot slots[kSlots];
  Module modules[kModules];
  Node nodes[kNodes];                   // [0] is nobody
  std::uint32_t node_list[kNodeLists];  // by hash of (caller, code): the newest node
};

// "DEDHRHT1", mixed with the layout: a runtime and a recorder of different versions say so, instead of
// reading each other's memory wrongly.
constexpr std::uint64_t mixed_with_layout(std::uint64_t magic) {
  const std::size_t parts[] = {sizeof(Session),
                               sizeof(Lost),
                               offsetof(Session, lost),
                               offsetof(Session, stamp),
                               sizeof(Slot),
                               sizeof(Module),
                               sizeof(Node),
                               kChunkBytes};
  for (const std::size_t part : parts) magic = (magic ^ part) * 0x100000001B3;
  return magic;
}
inline constexpr std::uint64_t kSessionMagic = mixed_with_layout(0x3154485244484544);

inline constexpr std::size_t kChunksAt = (sizeof(Session) + kChunkBytes - 1) / kChunkBytes * kChunkBytes;

constexpr std::size_t session_bytes(std::size_t chunks) { return kChunksAt + chunks * kChunkBytes; }
constexpr std::uint32_t chunks_in(std::size_t bytes) {
  return bytes < kChunksAt ? 0 : static_cast<std::uint32_t>((bytes - kChunksAt) / kChunkBytes);
}
// Numbers of threads from here on make no sense, on either side.
inline constexpr std::uint32_t kMostThreads = 1u << 24;
// A recorder that no longer wants anything: no process has this number.
inline constexpr std::uint32_t kNoRecorder = 0x7FFFFFFF;
inline Chunk* chunk_at(Session* session, std::uint32_t index) {
  return reinterpret_cast<Chunk*>(reinterpret_cast<char*>(session) + kChunksAt + index * kChunkBytes);
}

}  // namespace deadheat::runtime
