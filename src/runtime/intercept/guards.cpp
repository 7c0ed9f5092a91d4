// The guards of C++'s local statics. Compilers test the first byte themselves, with an atomic acquire that is
// recorded, so what is recorded here is the store which that test reads.
//
// Written out rather than passed on: there is no real one to find where the C++ library is linked statically.
// The bits are libstdc++'s, so that a copy of its functions within some object agrees with these.
#include <linux/futex.h>
#include <sys/syscall.h>

#include <cstdint>

#include "runtime/emit.h"
#include "runtime/intercept/records.h"

namespace deadheat::runtime {
namespace {

constexpr std::uint32_t kDone = 1, kPending = 1u << 8, kAwaited = 1u << 16;
constexpr unsigned kAcquire = 2, kRelease = 3;

std::uint32_t* word_of(std::uint64_t* guard) { return reinterpret_cast<std::uint32_t*>(guard); }

void emit_guard(Kind kind, const std::uint64_t* guard, unsigned order, Address pc) {
  if (recording()) emit(kind, reinterpret_cast<Address>(guard), pc, order, 1);
}

void wake_if(std::uint32_t before, std::uint32_t* word) {
  if ((before & kAwaited) != 0) {
    system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAKE_PRIVATE, 0x7fffffff);
  }
}

// 1: the caller initialises.
int acquire(std::uint64_t* guard, Address pc) {
  std::uint32_t* const word = word_of(guard);
  while (true) {
    std::uint32_t seen = 0;
    if (__atomic_compare_exchange_n(word, &seen, kPending, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      return 1;
    }
    if ((seen & kDone) != 0) {
      const Stripe stripe(reinterpret_cast<Address>(guard));
      emit_guard(Kind::atomic_load, guard, kAcquire, pc);
      return 0;
    }
    const std::uint32_t awaited = seen | kAwaited;
    if (seen != awaited &&
        !__atomic_compare_exchange_n(word, &seen, awaited, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      continue;
    }
    system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAIT_PRIVATE, awaited, 0);
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int __cxa_guard_acquire(std::uint64_t* guard) {
  return acquire(guard, DEADHEAT_CALLER);
}

extern "C" __attribute__((visibility("default"))) void __cxa_guard_release(std::uint64_t* guard) {
  std::uint32_t before;
  {
    Stripe stripe(reinterpret_cast<Address>(guard));
    stripe.written();
    emit_guard(Kind::atomic_store, guard, kRelease, DEADHEAT_CALLER);
    before = __atomic_exchange_n(word_of(guard), kDone, __ATOMIC_ACQ_REL);
  }
  wake_if(before, word_of(guard));
}

extern "C" __attribute__((visibility("default"))) void __cxa_guard_abort(std::uint64_t* guard) {
  wake_if(__atomic_exchange_n(word_of(guard), 0, __ATOMIC_ACQ_REL), word_of(guard));
}

}  // namespace deadheat::runtime
