// What synchronisation does to the clocks of those concerned, wherever these are kept: offline in tables by
// id (synchronisation.h), in a runtime beside the program's own objects. Freestanding: see test/freestanding.
// Locks: Flanagan & Freund, "FastTrack: Efficient and Precise Dynamic Race Detection" (PLDI 2009), figure 3;
// a shared release orders later exclusive acquires only. Atomics: C++20 [intro.races], [atomics.order] and
// [atomics.fences]; what a load finds is `seen`, all that the release sequence it reads from says.
#pragma once

#include <cstdint>

#include "clock/time.h"
#include "deadheat/event.h"

namespace deadheat::order {

template <class Clocks>
struct Rules {
  using Time = clock::Time;
  using Own = typename Clocks::Own;
  using Message = typename Clocks::Message;

  struct Thread {
    Own clock;
    bool alive = false;
    bool joined = false;
    Message ended;          // once it was joined: all that it knew
    Message release_fence;  // what it knew at its last release fence
    Message relaxed_reads;  // what its relaxed loads saw, for its next acquire fence
  };
  struct Lock {
    Message released, shared_released;
  };
  struct Generation {  // of a barrier
    Message entered;
    std::uint32_t inside = 0;
  };
  // Who does something, and when.
  struct Actor {
    Thread& thread;
    ThreadId id;
    Time time;
  };

  static constexpr bool acquires(MemoryOrder order) {
    return order != MemoryOrder::relaxed &&
           order != MemoryOrder::release;  // consume is acquire, as in compilers
  }
  static constexpr bool releases(MemoryOrder order) {
    return order == MemoryOrder::release || order == MemoryOrder::acq_rel || order == MemoryOrder::seq_cst;
  }

  static void join(Clocks& clocks, const Actor& by, const Message& message) {
    clocks.join(by.thread.clock, by.id, by.time, message);
  }
  static void assign(Clocks& clocks, Message& message, const Actor& by) {
    clocks.assign(message, by.thread.clock, by.id, by.time);
  }
  static void add(Clocks& clocks, Message& message, const Actor& by) {
    clocks.add(message, by.thread.clock, by.id, by.time);
  }

  static void acquire(Clocks& clocks, const Actor& by, const Lock& lock) {
    join(clocks, by, lock.released);
    join(clocks, by, lock.shared_released);
  }
  static void release(Clocks& clocks, const Actor& by, Lock& lock) {
    // Who releases a lock acquired what its last holder left: some clocks can do with less then.
    if constexpr (requires { clocks.release(lock.released, by.thread.clock, by.id, by.time); }) {
      clocks.release(lock.released, by.thread.clock, by.id, by.time);
    } else {
      assign(clocks, lock.released, by);
    }
    clocks.clear(lock.shared_released);  // its readers came before the acquire that this release ends
  }
  static void acquire_shared(Clocks& clocks, const Actor& by, const Lock& lock) {
    join(clocks, by, lock.released);
  }
  static void release_shared(Clocks& clocks, const Actor& by, Lock& lock) {
    add(clocks, lock.shared_released, by);
  }

  // Nothing of the thread follows.
  static void bury(Clocks& clocks, const Actor& dead) {
    Thread& thread = dead.thread;
    assign(clocks, thread.ended, dead);
    clocks.bury(thread.clock);
    clocks.clear(thread.release_fence);
    clocks.clear(thread.relaxed_reads);
    thread.alive = false;
    thread.joined = true;
  }

  static void enter(Clocks& clocks, const Actor& by, Generation& generation) {
    add(clocks, generation.entered, by);
    ++generation.inside;
  }
  // Whether it can be forgotten: all who enter a generation enter it before the first leaves, and this is the
  // last one out.
  static bool leave(Clocks& clocks, const Actor& by, Generation& generation) {
    join(clocks, by, generation.entered);
    if (--generation.inside > 0) return false;
    clocks.clear(generation.entered);
    return true;
  }

  static void fence(Clocks& clocks, const Actor& by, MemoryOrder order) {
    if (acquires(order)) join(clocks, by, by.thread.relaxed_reads);
    if (releases(order)) assign(clocks, by.thread.release_fence, by);
  }
  static void atomic_load(Clocks& clocks, const Actor& by, MemoryOrder order, const Message& seen) {
    if (acquires(order)) {
      join(clocks, by, seen);
    } else {
      clocks.add(by.thread.relaxed_reads, seen);
    }
  }
  // Makes of what was seen what the write leaves. A store ends the sequence, whoever headed it; a
  // read-modify-write goes on with it.
  static void atomic_write(Clocks& clocks, const Actor& by, EventKind kind, MemoryOrder order,
                           Message& seen) {
    if (kind == EventKind::atomic_store) clocks.clear(seen);
    if (releases(order)) {
      add(clocks, seen, by);
    } else {
      clocks.add(seen, by.thread.release_fence);
    }
  }
};

}  // namespace deadheat::order
