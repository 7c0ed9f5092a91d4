// Reader-writer locks.
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "runtime/emit.h"
#include "runtime/real.h"

namespace deadheat::runtime {
namespace {

std::uint64_t object_of(const pthread_rwlock_t* lock) { return reinterpret_cast<Address>(lock); }

int locked(int result, Kind kind, const pthread_rwlock_t* lock, Address pc) {
  if ((result == EBUSY || result == ETIMEDOUT) && recording()) {
    emit(Kind::try_acquire_failed, object_of(lock), pc);
  }
  if (result != 0 || !recording()) return result;
  emit_use(lock, pc);
  emit(kind, object_of(lock), pc);
  return result;
}

template <class Real>
int forgotten(const pthread_rwlock_t* lock, Address pc, const Real& real) {
  emit_change(lock, pc);
  const int result = real();
  if (result == 0 && recording()) emit(Kind::forget_lock, object_of(lock), pc);
  return result;
}

// While somebody reads there is no writer, so who holds the lock need not be compared with who asks.
Kind release_of(const pthread_rwlock_t* lock) {
  const bool written = __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED) != 0;
  return written ? Kind::release : Kind::release_shared;
}

}  // namespace

DEADHEAT_INTERCEPT(int, pthread_rwlock_init,
                   (pthread_rwlock_t * lock, const pthread_rwlockattr_t* attributes)) {
  return forgotten(lock, DEADHEAT_CALLER, [&] { return REAL(pthread_rwlock_init)(lock, attributes); });
}

DEADHEAT_INTERCEPT(int, pthread_rwlock_destroy, (pthread_rwlock_t * lock)) {
  return forgotten(lock, DEADHEAT_CALLER, [&] { return REAL(pthread_rwlock_destroy)(lock); });
}

DEADHEAT_INTERCEPT(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock)) {
  return locked(REAL(pthread_rwlock_rdlock)(lock), Kind::acquire_shared, lock, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock)) {
  return locked(REAL(pthread_rwlock_tryrdlock)(lock), Kind::acquire_shared, lock, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const timespec* until)) {
  return locked(REAL(pthread_rwlock_timedrdlock)(lock, until), Kind::acquire_shared, lock, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, pthread_rwlock_clockrdlock,
                   (pthread_rwlock_t * lock, clockid_t clock, const timespec* until)) {
  return locked(REAL(pthread_rwlock_clockrdlock)(lock, clock, until), Kind::acquire_shared, lock,
                DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock)) {
  return locked(REAL(pthread_rwlock_wrlock)(lock), Kind::acquire, lock, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock)) {
  return locked(REAL(pthread_rwlock_trywrlock)(lock), Kind::acquire, lock, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const timespec* until)) {
  return locked(REAL(pthread_rwlock_timedwrlock)(lock, until), Kind::acquire, lock, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, pthread_rwlock_clockwrlock,
                   (pthread_rwlock_t * lock, clockid_t clock, const timespec* until)) {
  return locked(REAL(pthread_rwlock_clockwrlock)(lock, clock, until), Kind::acquire, lock, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock)) {
  if (recording()) emit(release_of(lock), object_of(lock), DEADHEAT_CALLER);
  return REAL(pthread_rwlock_unlock)(lock);
}

}  // namespace deadheat::runtime
