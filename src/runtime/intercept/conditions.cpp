// Condition variables: a wait gives the mutex back and takes it again. The signal itself makes no order: what
// a waiter may rely on, it reads under the mutex. So a signal is sent and never received; but that a wait
// timed out tells that there was none, which is an attempt to receive that failed.
//
// The C library has two sets of these; the older one, without clocks, is what a plain lookup might give.
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "runtime/emit.h"
#include "runtime/real.h"

#define DEADHEAT_CONDITION(result, name, parameters) \
  DEADHEAT_INTERCEPT_VERSION(result, name, parameters, "GLIBC_2.3.2")

namespace deadheat::runtime {
namespace {

struct Wait {
  const void* mutex;
  Address pc;
};

// Also when the wait is cancelled: the mutex is held then too.
void wait_over(void* wait) {
  const auto* const w = static_cast<const Wait*>(wait);
  if (recording()) emit(Kind::acquire, reinterpret_cast<Address>(w->mutex), w->pc);
}

template <int kTimedOut = ETIMEDOUT, class Real>
int waited(const void* condition, const void* mutex, Address pc, const Real& real) {
  if (!recording()) return real();
  emit_use(condition, pc);
  Wait wait{mutex, pc};
  emit(Kind::release, reinterpret_cast<Address>(mutex), pc);
  int result;
  pthread_cleanup_push(wait_over, &wait);
  result = real();
  pthread_cleanup_pop(1);
  if (result == kTimedOut && recording()) {
    emit(Kind::try_recv_failed, reinterpret_cast<Address>(condition), pc);
  }
  return result;
}

}  // namespace

namespace {

template <class Real>
int signalled(const void* condition, Address pc, const Real& real) {
  emit_use(condition, pc);
  if (recording()) emit(Kind::send, reinterpret_cast<Address>(condition), pc);
  return real();
}

template <class Real>
int forgotten(const void* condition, Address pc, const Real& real) {
  emit_change(condition, pc);
  const int result = real();
  if (recording()) emit(Kind::forget_channel, reinterpret_cast<Address>(condition), pc);
  return result;
}

}  // namespace

DEADHEAT_CONDITION(int, pthread_cond_init, (pthread_cond_t * c, const pthread_condattr_t* attributes)) {
  return forgotten(c, DEADHEAT_CALLER, [&] { return REAL(pthread_cond_init)(c, attributes); });
}

DEADHEAT_CONDITION(int, pthread_cond_destroy, (pthread_cond_t * c)) {
  return forgotten(c, DEADHEAT_CALLER, [&] { return REAL(pthread_cond_destroy)(c); });
}

DEADHEAT_CONDITION(int, pthread_cond_signal, (pthread_cond_t * c)) {
  return signalled(c, DEADHEAT_CALLER, [&] { return REAL(pthread_cond_signal)(c); });
}

DEADHEAT_CONDITION(int, pthread_cond_broadcast, (pthread_cond_t * c)) {
  return signalled(c, DEADHEAT_CALLER, [&] { return REAL(pthread_cond_broadcast)(c); });
}

DEADHEAT_CONDITION(int, pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t* m)) {
  return waited(c, m, DEADHEAT_CALLER, [&] { return REAL(pthread_cond_wait)(c, m); });
}

DEADHEAT_CONDITION(int, pthread_cond_timedwait,
                   (pthread_cond_t * c, pthread_mutex_t* m, const timespec* until)) {
  return waited(c, m, DEADHEAT_CALLER, [&] { return REAL(pthread_cond_timedwait)(c, m, until); });
}

DEADHEAT_INTERCEPT(int, pthread_cond_clockwait,
                   (pthread_cond_t * c, pthread_mutex_t* m, clockid_t clock, const timespec* until)) {
  return waited(c, m, DEADHEAT_CALLER, [&] { return REAL(pthread_cond_clockwait)(c, m, clock, until); });
}

DEADHEAT_INTERCEPT(int, cnd_signal, (cnd_t * c)) {
  return signalled(c, DEADHEAT_CALLER, [&] { return REAL(cnd_signal)(c); });
}

DEADHEAT_INTERCEPT(int, cnd_broadcast, (cnd_t * c)) {
  return signalled(c, DEADHEAT_CALLER, [&] { return REAL(cnd_broadcast)(c); });
}

DEADHEAT_INTERCEPT(int, cnd_wait, (cnd_t * c, mtx_t* m)) {
  return waited(c, m, DEADHEAT_CALLER, [&] { return REAL(cnd_wait)(c, m); });
}

DEADHEAT_INTERCEPT(int, cnd_timedwait, (cnd_t * c, mtx_t* m, const timespec* until)) {
  return waited<thrd_timedout>(c, m, DEADHEAT_CALLER, [&] { return REAL(cnd_timedwait)(c, m, until); });
}

}  // namespace deadheat::runtime
