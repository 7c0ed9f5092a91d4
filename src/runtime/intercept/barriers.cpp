// Barriers: enter before the wait, exit behind it.
#include <pthread.h>

#include "runtime/emit.h"
#include "runtime/real.h"

namespace deadheat::runtime {
namespace {

std::uint64_t object_of(const pthread_barrier_t* barrier) { return reinterpret_cast<Address>(barrier); }

}  // namespace

// Before the caller can hand the barrier to anybody.
DEADHEAT_INTERCEPT(int, pthread_barrier_init,
                   (pthread_barrier_t * barrier, const pthread_barrierattr_t* attributes, unsigned count)) {
  emit_change(barrier, DEADHEAT_CALLER);
  const int result = REAL(pthread_barrier_init)(barrier, attributes, count);
  if (result == 0 && recording()) {
    emit_with(Kind::barrier_init, object_of(barrier), DEADHEAT_CALLER, count);
  }
  return result;
}

DEADHEAT_INTERCEPT(int, pthread_barrier_wait, (pthread_barrier_t * barrier)) {
  emit_use(barrier, DEADHEAT_CALLER);
  if (recording()) emit(Kind::barrier_enter, object_of(barrier), DEADHEAT_CALLER);
  const int result = REAL(pthread_barrier_wait)(barrier);
  if (recording()) emit(Kind::barrier_exit, object_of(barrier), DEADHEAT_CALLER);
  return result;
}

// The real one waits for threads that have yet to leave, so whoever is past the barrier may destroy it.
DEADHEAT_INTERCEPT(int, pthread_barrier_destroy, (pthread_barrier_t * barrier)) {
  emit_change(barrier, DEADHEAT_CALLER);
  const int result = REAL(pthread_barrier_destroy)(barrier);
  if (result == 0 && recording()) emit(Kind::forget_barrier, object_of(barrier), DEADHEAT_CALLER);
  return result;
}

}  // namespace deadheat::runtime
