// What the runtime knows of the calling thread. Lives in the thread's static TLS, so that the entry points
// reach it with one instruction.
#pragma once

#include "runtime/session.h"

namespace deadheat::runtime {

using Address = std::uintptr_t;

// Frames that are not kept are still counted, so that the calls below them return to the right one.
inline constexpr std::size_t kShadowFrames = 1u << 16;

struct ShadowFrames {
  std::uint64_t code[kShadowFrames];  // return addresses, outermost first
  std::uint32_t node[kShadowFrames];  // of the depot, valid up to Thread::known
  // Nodes found lately, by hash. Single words that are checked when used: a handler may come between any two.
  static constexpr unsigned kRecentBits = 10;
  std::uint32_t recent[1u << kRecentBits];
};

// Atomic loads of late: a thread that waits does the same again.
struct Waits {
  static constexpr unsigned kMost = 8;
  struct {
    Address address, pc;
    std::uint32_t version;  // of the stripe
    std::uint32_t order;
  } loads[kMost];
  Record* next;         // Thread::next behind the last one's record
  std::uint32_t fresh;  // a bit each: since the first of these nothing else was recorded
  std::uint32_t oldest;
  std::uint32_t repeats;  // with nothing in between but reads
};

struct Thread {
  // Stream. At `end` the common path ends: that is the chunk's (`limit`), or `next` itself where each access
  // must be looked at with care. All are null where nothing is recorded.
  Record* next;
  Record* end;
  std::uint64_t position;  // the counter as last written to the stream
  // Shadow stack, as pointers into ShadowFrames::code.
  std::uint64_t* top;      // behind the innermost frame
  std::uint64_t* written;  // top when a stack record was last written; null: none holds
  std::uint64_t* known;    // frames below have nodes
  std::uint64_t* base;     // the outermost frame of the thread, or of the handler that runs
  std::uint64_t* last_frame;
  std::uint64_t too_deep;  // calls that found no room
  ShadowFrames* frames;
  Record* limit;
  Slot* slot;
  std::uint32_t chunk;
  std::uint32_t number;      // of the thread
  std::uint32_t ended;       // what comes behind the end of a thread is nobody's
  std::uint32_t in_stripe;   // holds a lock of an atomic: a handler that interrupts does without
  std::uint32_t in_runtime;  // interceptors within do not record
  std::uint32_t ignore_accesses, ignore_sync;
  std::uint64_t random;  // Accesses::some
  Waits waits;
  // Locks of the program's own (__tsan_mutex_*) that the thread holds, and how often.
  struct {
    Address lock;
    std::uint32_t levels;  // 0: none
  } own_locks[16];
};

// The frames from `top` on are left: the next call at that depth is another one.
inline void return_to(Thread& t, std::uint64_t* top) {
  t.top = top;
  if (t.known <= top) return;  // so is `written`: what was written has nodes
  t.known = top;
  if (t.written > top) t.written = nullptr;
}

// initial-exec: the runtime is there from the start of the program.
extern constinit thread_local Thread t_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

// A session is recorded. False in mode `empty`, before the start, and in forked children.
extern bool g_recording __attribute__((visibility("hidden")));
extern Session* g_session __attribute__((visibility("hidden")));

}  // namespace deadheat::runtime
