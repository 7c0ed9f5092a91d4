// Semaphores are channels: a post is sent before it can be seen, and received behind the wait.
#include <errno.h>
#include <semaphore.h>
#include <time.h>

#include "runtime/emit.h"
#include "runtime/real.h"

namespace deadheat::runtime {
namespace {

std::uint64_t object_of(const sem_t* semaphore) { return reinterpret_cast<Address>(semaphore); }

// That nobody has posted is something that a thread can learn.
int waited(int result, const sem_t* semaphore, Address pc) {
  if (result != 0 && (errno == EAGAIN || errno == ETIMEDOUT) && recording()) {
    const int error = errno;
    emit(Kind::try_recv_failed, object_of(semaphore), pc);
    errno = error;
  }
  if (result != 0 || !recording()) return result;
  emit_use(semaphore, pc);
  emit(Kind::recv, object_of(semaphore), pc);
  return result;
}

template <class Real>
int forgotten(const sem_t* semaphore, Address pc, const Real& real) {
  emit_change(semaphore, pc);
  const int result = real();
  if (result == 0 && recording()) emit(Kind::forget_channel, object_of(semaphore), pc);
  return result;
}

}  // namespace

DEADHEAT_INTERCEPT(int, sem_init, (sem_t * semaphore, int shared, unsigned value)) {
  return forgotten(semaphore, DEADHEAT_CALLER, [&] { return REAL(sem_init)(semaphore, shared, value); });
}

DEADHEAT_INTERCEPT(int, sem_destroy, (sem_t * semaphore)) {
  return forgotten(semaphore, DEADHEAT_CALLER, [&] { return REAL(sem_destroy)(semaphore); });
}

// A named one may be open more than once, at one address: it is not forgotten when it is closed.
DEADHEAT_INTERCEPT(int, sem_post, (sem_t * semaphore)) {
  emit_use(semaphore, DEADHEAT_CALLER);
  if (recording()) emit(Kind::send, object_of(semaphore), DEADHEAT_CALLER);
  return REAL(sem_post)(semaphore);
}

DEADHEAT_INTERCEPT(int, sem_wait, (sem_t * semaphore)) {
  return waited(REAL(sem_wait)(semaphore), semaphore, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, sem_trywait, (sem_t * semaphore)) {
  return waited(REAL(sem_trywait)(semaphore), semaphore, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, sem_timedwait, (sem_t * semaphore, const timespec* until)) {
  return waited(REAL(sem_timedwait)(semaphore, until), semaphore, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const timespec* until)) {
  return waited(REAL(sem_clockwait)(semaphore, clock, until), semaphore, DEADHEAT_CALLER);
}

// Who reads the value may conclude from it what was posted, and what was not.
DEADHEAT_INTERCEPT(int, sem_getvalue, (sem_t * semaphore, int* value)) {
  const int result = waited(REAL(sem_getvalue)(semaphore, value), semaphore, DEADHEAT_CALLER);
  if (result != 0 || !recording()) return result;
  emit(Kind::try_recv_failed, object_of(semaphore), DEADHEAT_CALLER);
  emit_range(Kind::write_range, reinterpret_cast<Address>(value), sizeof *value, DEADHEAT_CALLER);
  return result;
}

}  // namespace deadheat::runtime
