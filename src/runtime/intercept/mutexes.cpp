// Mutexes and spin locks, of POSIX and of C11. acquire behind the real lock, release before the real unlock;
// of recursive ones every level.
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "runtime/emit.h"
#include "runtime/intercept/records.h"
#include "runtime/real.h"

namespace deadheat::runtime {
namespace {

std::uint64_t object_of(const volatile void* lock) { return reinterpret_cast<Address>(lock); }

constinit thread_local int t_kernel_id __attribute__((tls_model("initial-exec"))) = {};

int kernel_id() {
  if (t_kernel_id == 0) t_kernel_id = static_cast<int>(system_call(SYS_gettid));
  return t_kernel_id;
}

// Whether the real unlock will do something. Mutexes that know their owner refuse others, and a release by a
// thread that does not hold the lock must not be recorded.
bool will_unlock(const pthread_mutex_t* m, Address pc) {
  if (is_archer(pc)) return false;
  constexpr int kTypes = 3, kRecursive = 1, kErrorCheck = 2, kRobust = 16, kInherit = 32;
  const int kind = __atomic_load_n(&m->__data.__kind, __ATOMIC_RELAXED);
  const int type = kind & kTypes;
  if (type != kRecursive && type != kErrorCheck && (kind & (kRobust | kInherit)) == 0) return true;
  return __atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED) == kernel_id();
}

void acquired(const void* lock, Address pc) {
  if (!recording() || is_archer(pc)) return;
  emit_use(lock, pc);
  emit(Kind::acquire, object_of(lock), pc);
}

// That the lock is held is something that a thread can learn.
void refused(const void* lock, Address pc) {
  if (recording() && !is_archer(pc)) emit(Kind::try_acquire_failed, object_of(lock), pc);
}

int locked(int result, const void* m, Address pc) {
  // EOWNERDEAD: the lock is held, its last owner died with it.
  if (result == 0 || result == EOWNERDEAD) acquired(m, pc);
  if (result == EBUSY || result == ETIMEDOUT) refused(m, pc);
  return result;
}

int locked_c11(int result, const void* m, Address pc) {
  if (result == thrd_success) acquired(m, pc);
  if (result == thrd_busy || result == thrd_timedout) refused(m, pc);
  return result;
}

template <class Real>
int forgotten(const volatile void* lock, Address pc, const Real& real) {
  emit_change(lock, pc);
  const int result = real();
  if (result == 0 && recording()) emit(Kind::forget_lock, object_of(lock), pc);
  return result;
}

}  // namespace

// A lock that was never destroyed may have been at this address.
DEADHEAT_INTERCEPT(int, pthread_mutex_init, (pthread_mutex_t * m, const pthread_mutexattr_t* attributes)) {
  return forgotten(m, DEADHEAT_CALLER, [&] { return REAL(pthread_mutex_init)(m, attributes); });
}

DEADHEAT_INTERCEPT(int, pthread_mutex_destroy, (pthread_mutex_t * m)) {
  return forgotten(m, DEADHEAT_CALLER, [&] { return REAL(pthread_mutex_destroy)(m); });
}

DEADHEAT_INTERCEPT(int, pthread_mutex_lock, (pthread_mutex_t * m)) {
  return locked(REAL(pthread_mutex_lock)(m), m, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, pthread_mutex_trylock, (pthread_mutex_t * m)) {
  return locked(REAL(pthread_mutex_trylock)(m), m, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, pthread_mutex_timedlock, (pthread_mutex_t * m, const timespec* until)) {
  return locked(REAL(pthread_mutex_timedlock)(m, until), m, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, pthread_mutex_clocklock,
                   (pthread_mutex_t * m, clockid_t clock, const timespec* until)) {
  return locked(REAL(pthread_mutex_clocklock)(m, clock, until), m, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, pthread_mutex_unlock, (pthread_mutex_t * m)) {
  if (recording() && will_unlock(m, DEADHEAT_CALLER)) emit(Kind::release, object_of(m), DEADHEAT_CALLER);
  return REAL(pthread_mutex_unlock)(m);
}

// Names by which older libraries call the same.
DEADHEAT_INTERCEPT(int, __pthread_mutex_lock, (pthread_mutex_t * m)) {
  return locked(REAL(pthread_mutex_lock)(m), m, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, __pthread_mutex_trylock, (pthread_mutex_t * m)) {
  return locked(REAL(pthread_mutex_trylock)(m), m, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, __pthread_mutex_unlock, (pthread_mutex_t * m)) {
  if (recording() && will_unlock(m, DEADHEAT_CALLER)) emit(Kind::release, object_of(m), DEADHEAT_CALLER);
  return REAL(pthread_mutex_unlock)(m);
}

DEADHEAT_INTERCEPT(int, mtx_init, (mtx_t * m, int type)) {
  return forgotten(m, DEADHEAT_CALLER, [&] { return REAL(mtx_init)(m, type); });
}

DEADHEAT_INTERCEPT(void, mtx_destroy, (mtx_t * m)) {
  forgotten(m, DEADHEAT_CALLER, [&] {
    REAL(mtx_destroy)(m);
    return 0;
  });
}

DEADHEAT_INTERCEPT(int, mtx_lock, (mtx_t * m)) { return locked_c11(REAL(mtx_lock)(m), m, DEADHEAT_CALLER); }

DEADHEAT_INTERCEPT(int, mtx_trylock, (mtx_t * m)) {
  return locked_c11(REAL(mtx_trylock)(m), m, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, mtx_timedlock, (mtx_t * m, const timespec* until)) {
  return locked_c11(REAL(mtx_timedlock)(m, until), m, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, mtx_unlock, (mtx_t * m)) {
  // An mtx_t holds a pthread_mutex_t.
  if (recording() && will_unlock(reinterpret_cast<const pthread_mutex_t*>(m), DEADHEAT_CALLER)) {
    emit(Kind::release, object_of(m), DEADHEAT_CALLER);
  }
  return REAL(mtx_unlock)(m);
}

DEADHEAT_INTERCEPT(int, pthread_spin_init, (pthread_spinlock_t * lock, int shared)) {
  return forgotten(lock, DEADHEAT_CALLER, [&] { return REAL(pthread_spin_init)(lock, shared); });
}

DEADHEAT_INTERCEPT(int, pthread_spin_destroy, (pthread_spinlock_t * lock)) {
  return forgotten(lock, DEADHEAT_CALLER, [&] { return REAL(pthread_spin_destroy)(lock); });
}

DEADHEAT_INTERCEPT(int, pthread_spin_lock, (pthread_spinlock_t * lock)) {
  return locked(REAL(pthread_spin_lock)(lock), const_cast<int*>(lock), DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, pthread_spin_trylock, (pthread_spinlock_t * lock)) {
  return locked(REAL(pthread_spin_trylock)(lock), const_cast<int*>(lock), DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, pthread_spin_unlock, (pthread_spinlock_t * lock)) {
  if (recording()) emit(Kind::release, object_of(lock), DEADHEAT_CALLER);
  return REAL(pthread_spin_unlock)(lock);
}

}  // namespace deadheat::runtime
