#include "runtime/chunks.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <time.h>

#include "runtime/system_call.h"

namespace deadheat::runtime {

std::uint32_t g_chunks;

namespace {

// Whatever the session says: no chunk is outside of the mapping.
bool is_mapped(std::uint32_t chunk) { return chunk != 0 && chunk < g_chunks; }

std::uint32_t pop(Session& session) {
  std::uint64_t head = __atomic_load_n(&session.free_chunks, __ATOMIC_ACQUIRE);
  while (is_mapped(static_cast<std::uint32_t>(head))) {
    Chunk* const chunk = chunk_at(&session, static_cast<std::uint32_t>(head));
    // May be stale if another takes the chunk meanwhile; the count in the upper half then differs.
    const std::uint32_t next = __atomic_load_n(&chunk->next, __ATOMIC_RELAXED);
    const std::uint64_t count = (head >> 32) + 1;
    if (__atomic_compare_exchange_n(&session.free_chunks, &head, count << 32 | next, true, __ATOMIC_ACQUIRE,
                                    __ATOMIC_ACQUIRE)) {
      __atomic_store_n(&chunk->next, 0, __ATOMIC_RELAXED);
      return static_cast<std::uint32_t>(head);
    }
  }
  return 0;
}

std::uint32_t fresh(Session& session) {
  std::uint32_t used = __atomic_load_n(&session.chunks_used, __ATOMIC_RELAXED);
  while (is_mapped(used) && used < __atomic_load_n(&session.chunks_most, __ATOMIC_RELAXED)) {
    if (__atomic_compare_exchange_n(&session.chunks_used, &used, used + 1, true, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      return used;
    }
  }
  return 0;
}

bool recorder_lives(const Session& session) {
  const long result = system_call(SYS_kill, session.recorder, 0);
  return result == 0 || result == -EPERM;
}

// Some tenths of a second at most, or until a chunk is given back.
void wait_for_chunk(Session& session, std::uint32_t given) {
  const timespec patience{0, 200'000'000};
  system_call(SYS_futex, as_word(&session.chunks_given), FUTEX_WAIT, given, as_word(&patience));
}

}  // namespace

std::uint32_t take_chunk(Session& session) {
  const int saved = errno;
  std::uint32_t chunk = pop(session);
  if (chunk == 0) chunk = fresh(session);
  if (chunk == 0) {
    __atomic_fetch_add(&session.chunks_wanted, 1, __ATOMIC_SEQ_CST);
    tell_filled(session);
    while (true) {
      const std::uint32_t given = __atomic_load_n(&session.chunks_given, __ATOMIC_ACQUIRE);
      chunk = pop(session);
      if (chunk == 0) chunk = fresh(session);
      if (chunk != 0 || !recorder_lives(session)) break;
      wait_for_chunk(session, given);
    }
    __atomic_fetch_sub(&session.chunks_wanted, 1, __ATOMIC_SEQ_CST);
  }
  errno = saved;
  return chunk;
}

Slot* take_slot(Session& session, std::uint32_t thread, std::uint32_t handler) {
  const std::uint32_t chunk = take_chunk(session);
  if (chunk == 0) return nullptr;
  // Dead threads' slots come back when the recorder has read them: a program that starts threads faster
  // waits.
  for (int patience = 0; patience < 20000; ++patience) {
    const std::uint32_t used = __atomic_load_n(&session.slots_used, __ATOMIC_ACQUIRE);
    for (std::uint32_t i = 0; i < used + 1 && i < kSlots; ++i) {
      Slot& slot = session.slots[i];
      std::uint32_t expected = Slot::empty;
      if (__atomic_load_n(&slot.state, __ATOMIC_RELAXED) != Slot::empty ||
          !__atomic_compare_exchange_n(&slot.state, &expected, Slot::taken, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED)) {
        continue;
      }
      slot.thread = thread;
      slot.handler = handler;
      slot.first_chunk = chunk;
      __atomic_store_n(&slot.floor, kIdle, __ATOMIC_RELAXED);
      __atomic_store_n(&slot.state, Slot::open, __ATOMIC_RELEASE);
      // The recorder looks at slots below slots_used only.
      std::uint32_t seen = used;
      while (seen <= i && !__atomic_compare_exchange_n(&session.slots_used, &seen, i + 1, true,
                                                       __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
      }
      return &slot;
    }
    tell_filled(session);
    sched_yield();
  }
  return nullptr;  // The chunk is lost to the session; 16384 threads are alive.
}

void tell_filled(Session& session) {
  __atomic_fetch_add(&session.filled, 1, __ATOMIC_RELEASE);
  if (__atomic_load_n(&session.recorder_waits, __ATOMIC_ACQUIRE) == 0) return;
  system_call(SYS_futex, as_word(&session.filled), FUTEX_WAKE, 1);
}

}  // namespace deadheat::runtime
