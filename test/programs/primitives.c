// primitives NAME [racy]: a thread writes x and gives, another takes and writes x. With `racy` the first
// writes behind the giving, so that nothing orders the two writes, whatever the schedule. Flags that only say
// whose turn it is are relaxed, which orders nothing.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

void __tsan_acquire(void*);
void __tsan_release(void*);
void __tsan_mutex_create(void*, unsigned);
void __tsan_mutex_pre_lock(void*, unsigned);
void __tsan_mutex_post_lock(void*, unsigned, int);
int __tsan_mutex_pre_unlock(void*, unsigned);
void __tsan_mutex_post_unlock(void*, unsigned);
void AnnotateHappensBefore(const char*, int, void*);
void AnnotateHappensAfter(const char*, int, void*);
void AnnotateBenignRaceSized(const char*, int, void*, long, const char*);

static int x;
static int racy;
static int turn;

static void set_turn(int value) { __atomic_store_n(&turn, value, __ATOMIC_RELAXED); }
static void wait_turn(int value) {
  while (__atomic_load_n(&turn, __ATOMIC_RELAXED) != value) sched_yield();
}
static struct timespec in_a_minute(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_sec += 60;
  return t;
}

// Locks: each is taken and given back, one thread behind the other.
#define LOCK(name, take_it, give_it) \
  static void give_##name(void) {    \
    CHECK((take_it) == 0);           \
    CHECK((give_it) == 0);           \
    set_turn(1);                     \
  }                                  \
  static void take_##name(void) {    \
    wait_turn(1);                    \
    CHECK((take_it) == 0);           \
    CHECK((give_it) == 0);           \
  }

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t mtx;
static struct timespec later;

LOCK(mutex, pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex))
LOCK(mutex_try, pthread_mutex_trylock(&mutex), pthread_mutex_unlock(&mutex))
LOCK(mutex_timed, pthread_mutex_timedlock(&mutex, &later), pthread_mutex_unlock(&mutex))
LOCK(mutex_clock, pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &later), pthread_mutex_unlock(&mutex))
LOCK(adaptive, pthread_mutex_lock(&adaptive), pthread_mutex_unlock(&adaptive))
LOCK(recursive, pthread_mutex_lock(&recursive) + pthread_mutex_lock(&recursive),
     pthread_mutex_unlock(&recursive) + pthread_mutex_unlock(&recursive))
// A thread that does not hold it is refused, and orders nothing.
LOCK(checked, pthread_mutex_unlock(&checked) == EPERM ? pthread_mutex_lock(&checked) : 1,
     pthread_mutex_unlock(&checked))
LOCK(spin, pthread_spin_lock(&spin), pthread_spin_unlock(&spin))
LOCK(spin_try, pthread_spin_trylock(&spin), pthread_spin_unlock(&spin))
LOCK(rwlock, pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock))
LOCK(rwlock_try, pthread_rwlock_trywrlock(&rwlock), pthread_rwlock_unlock(&rwlock))
LOCK(rwlock_timed, pthread_rwlock_timedwrlock(&rwlock, &later), pthread_rwlock_unlock(&rwlock))
LOCK(readers, pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock))
LOCK(mtx, mtx_lock(&mtx), mtx_unlock(&mtx))
LOCK(mtx_try, mtx_trylock(&mtx), mtx_unlock(&mtx))

static int reading(void) { return __atomic_load_n(&turn, __ATOMIC_RELAXED) == 0; }
LOCK(read_then_write, reading() ? pthread_rwlock_rdlock(&rwlock) : pthread_rwlock_wrlock(&rwlock),
     pthread_rwlock_unlock(&rwlock))
LOCK(write_then_read, reading() ? pthread_rwlock_wrlock(&rwlock) : pthread_rwlock_tryrdlock(&rwlock),
     pthread_rwlock_unlock(&rwlock))

// A lock of the program's own, announced; the real one inside is not the program's.
static int own_lock;
static int own_lock_lock(void) {
  __tsan_mutex_pre_lock(&own_lock, 0);
  const int result = pthread_mutex_lock(&mutex);
  __tsan_mutex_post_lock(&own_lock, 0, 0);
  return result;
}
static int own_lock_unlock(void) {
  __tsan_mutex_pre_unlock(&own_lock, 0);
  const int result = pthread_mutex_unlock(&mutex);
  __tsan_mutex_post_unlock(&own_lock, 0);
  return result;
}
LOCK(own_lock, own_lock_lock(), own_lock_unlock())

// Conditions.
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_cond_t monotonic;
static int ready;
static void give_condition(void) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_broadcast(&condition);
  pthread_cond_broadcast(&monotonic);
  pthread_mutex_unlock(&mutex);
}
#define TAKE_CONDITION(name, wait)     \
  static void take_##name(void) {      \
    pthread_mutex_lock(&mutex);        \
    while (!ready) CHECK((wait) == 0); \
    pthread_mutex_unlock(&mutex);      \
  }
TAKE_CONDITION(condition, pthread_cond_wait(&condition, &mutex))
TAKE_CONDITION(condition_timed, pthread_cond_timedwait(&condition, &mutex, &later))
TAKE_CONDITION(condition_clock, pthread_cond_clockwait(&condition, &mutex, CLOCK_REALTIME, &later))

// A monotonic wait that ends must not end at once: that is an old version of the function.
static void take_condition_monotonic(void) {
  struct timespec soon, now;
  clock_gettime(CLOCK_MONOTONIC, &soon);
  soon.tv_nsec += 20 * 1000 * 1000;
  if (soon.tv_nsec >= 1000000000) soon.tv_sec += 1, soon.tv_nsec -= 1000000000;
  pthread_mutex_lock(&mutex);
  while (!ready) {
    if (pthread_cond_timedwait(&monotonic, &mutex, &soon) != ETIMEDOUT) continue;
    clock_gettime(CLOCK_MONOTONIC, &now);
    CHECK(now.tv_sec > soon.tv_sec || (now.tv_sec == soon.tv_sec && now.tv_nsec >= soon.tv_nsec));
    soon = in_a_minute(CLOCK_MONOTONIC);
  }
  pthread_mutex_unlock(&mutex);
}

static cnd_t cnd;
static void give_cnd(void) {
  mtx_lock(&mtx);
  ready = 1;
  cnd_signal(&cnd);
  mtx_unlock(&mtx);
}
static void take_cnd(void) {
  mtx_lock(&mtx);
  while (!ready) cnd_wait(&cnd, &mtx);
  mtx_unlock(&mtx);
}

// Barriers, semaphores, once.
static pthread_barrier_t barrier;
static void meet(void) { pthread_barrier_wait(&barrier); }

static sem_t semaphore;
static void give_semaphore(void) { CHECK(sem_post(&semaphore) == 0); }
static void take_semaphore(void) { CHECK(sem_wait(&semaphore) == 0); }
static void take_semaphore_try(void) {
  while (sem_trywait(&semaphore) != 0) CHECK(errno == EAGAIN), sched_yield();
}
static void take_semaphore_timed(void) { CHECK(sem_timedwait(&semaphore, &later) == 0); }
static void take_semaphore_clock(void) { CHECK(sem_clockwait(&semaphore, CLOCK_REALTIME, &later) == 0); }

static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag once_c11 = ONCE_FLAG_INIT;
static void done_once(void) {}
static void give_once(void) {
  pthread_once(&once, done_once);
  set_turn(1);
}
static void take_once(void) {
  wait_turn(1);
  pthread_once(&once, done_once);
}
static void give_once_c11(void) {
  call_once(&once_c11, done_once);
  set_turn(1);
}
static void take_once_c11(void) {
  wait_turn(1);
  call_once(&once_c11, done_once);
}

// Descriptors.
static int fds[2], event, poll, listener;
static struct sockaddr_in address;
static void give_pipe(void) { CHECK(write(fds[1], "x", 1) == 1); }
static void take_pipe(void) {
  char c;
  CHECK(read(fds[0], &c, 1) == 1);
}
static void give_end(void) { CHECK(close(fds[1]) == 0); }
static void take_end(void) {
  char c;
  CHECK(read(fds[0], &c, 1) == 0);
}
static void give_parts(void) {
  struct iovec parts[2] = {{"ab", 2}, {"c", 1}};
  CHECK(writev(fds[1], parts, 2) == 3);
}
static void take_parts(void) {
  char c[3];
  struct iovec parts[2] = {{c, 1}, {c + 1, 2}};
  CHECK(readv(fds[0], parts, 2) == 3 && memcmp(c, "abc", 3) == 0);
}
static void give_copied(void) {
  const int copy = dup(fds[1]);
  CHECK(write(copy, "x", 1) == 1);
}
static void give_pair(void) { CHECK(send(fds[1], "x", 1, 0) == 1); }
static void take_pair(void) {
  char c;
  CHECK(recv(fds[0], &c, 1, 0) == 1);
}
static void give_connection(void) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(connect(fd, (struct sockaddr*)&address, sizeof address) == 0);
  wait_turn(1);
  close(fd);
}
static void take_connection(void) {
  CHECK(accept(listener, NULL, NULL) >= 0);
  set_turn(1);
}
static void give_event(void) { CHECK(eventfd_write(event, 1) == 0); }
static void take_event(void) {
  eventfd_t value;
  CHECK(eventfd_read(event, &value) == 0);
}
static void give_poll(void) {
  struct epoll_event what = {.events = EPOLLIN};
  eventfd_write(event, 1);
  CHECK(epoll_ctl(poll, EPOLL_CTL_ADD, event, &what) == 0);
}
static void take_poll(void) {
  struct epoll_event what;
  CHECK(epoll_wait(poll, &what, 1, -1) == 1);
}
static void give_timer(void) {
  const struct itimerspec soon = {.it_value.tv_nsec = 1000};
  CHECK(timerfd_settime(fds[0], 0, &soon, NULL) == 0);
}
static void take_timer(void) {
  unsigned long times;
  CHECK(read(fds[0], &times, sizeof times) == sizeof times);
}

// Order that the program announces.
static int message;
static void give_announced(void) {
  __tsan_release(&message);
  set_turn(1);
}
static void take_announced(void) {
  wait_turn(1);
  __tsan_acquire(&message);
}
static void give_annotated(void) {
  AnnotateHappensBefore(__FILE__, __LINE__, &message);
  set_turn(1);
}
static void take_annotated(void) {
  wait_turn(1);
  AnnotateHappensAfter(__FILE__, __LINE__, &message);
}

// Nothing orders these, with or without `racy`.
static void give_nothing(void) { set_turn(1); }
// Waiting for either of two: what is left out of such loops must not take the order along.
static int either[2], looked_at;
static void give_either(void) { __atomic_store_n(&either[1], 1, __ATOMIC_RELEASE); }
static void take_either(void) {
  while (!__atomic_load_n(&either[0], __ATOMIC_ACQUIRE) && !__atomic_load_n(&either[1], __ATOMIC_ACQUIRE)) {
  }
}
static void take_either_reading(void) {
  while (!__atomic_load_n(&either[0], __ATOMIC_ACQUIRE) && !looked_at &&
         !__atomic_load_n(&either[1], __ATOMIC_ACQUIRE)) {
  }
}
static void take_nothing(void) { wait_turn(1); }

static const struct {
  const char* name;
  void (*give)(void);
  void (*take)(void);
} pairs[] = {
    {"mutex", give_mutex, take_mutex},
    {"mutex_try", give_mutex_try, take_mutex_try},
    {"mutex_timed", give_mutex_timed, take_mutex_timed},
    {"mutex_clock", give_mutex_clock, take_mutex_clock},
    {"adaptive", give_adaptive, take_adaptive},
    {"recursive", give_recursive, take_recursive},
    {"checked", give_checked, take_checked},
    {"spin", give_spin, take_spin},
    {"either", give_either, take_either},
    {"either_reading", give_either, take_either_reading},
    {"spin_try", give_spin_try, take_spin_try},
    {"rwlock", give_rwlock, take_rwlock},
    {"rwlock_try", give_rwlock_try, take_rwlock_try},
    {"rwlock_timed", give_rwlock_timed, take_rwlock_timed},
    {"read_then_write", give_read_then_write, take_read_then_write},
    {"write_then_read", give_write_then_read, take_write_then_read},
    {"mtx", give_mtx, take_mtx},
    {"mtx_try", give_mtx_try, take_mtx_try},
    {"own_lock", give_own_lock, take_own_lock},
    {"condition", give_condition, take_condition},
    {"condition_timed", give_condition, take_condition_timed},
    {"condition_clock", give_condition, take_condition_clock},
    {"condition_monotonic", give_condition, take_condition_monotonic},
    {"cnd", give_cnd, take_cnd},
    {"barrier", meet, meet},
    {"semaphore", give_semaphore, take_semaphore},
    {"semaphore_try", give_semaphore, take_semaphore_try},
    {"semaphore_timed", give_semaphore, take_semaphore_timed},
    {"semaphore_clock", give_semaphore, take_semaphore_clock},
    {"once", give_once, take_once},
    {"once_c11", give_once_c11, take_once_c11},
    {"pipe", give_pipe, take_pipe},
    {"pipe_end", give_end, take_end},
    {"pipe_parts", give_parts, take_parts},
    {"pipe_copied", give_copied, take_pipe},
    {"socketpair", give_pair, take_pair},
    {"connection", give_connection, take_connection},
    {"event", give_event, take_event},
    {"poll", give_poll, take_poll},
    {"timer", give_timer, take_timer},
    {"announced", give_announced, take_announced},
    {"annotated", give_annotated, take_annotated},
    {"benign", give_nothing, take_nothing},
    {"unordered_readers", give_readers, take_readers},
    {"unordered", give_nothing, take_nothing},
};
enum { kPairs = sizeof pairs / sizeof *pairs };
static int chosen;

static void* giver(void* unused) {
  if (!racy) x = 1;
  pairs[chosen].give();
  if (racy) x = 1;
  return unused;
}
static void* taker(void* unused) {
  pairs[chosen].take();
  x = 2;
  return unused;
}

static void prepare(void) {
  later = in_a_minute(CLOCK_REALTIME);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_barrier_init(&barrier, NULL, 2);
  sem_init(&semaphore, 0, 0);
  mtx_init(&mtx, mtx_plain);
  cnd_init(&cnd);
  __tsan_mutex_create(&own_lock, 0);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&monotonic, &attributes);
  event = eventfd(0, 0);
  poll = epoll_create1(0);
  const char* const name = pairs[chosen].name;
  if (strcmp(name, "benign") == 0 && !racy) AnnotateBenignRaceSized(__FILE__, __LINE__, &x, sizeof x, "");
  if (strncmp(name, "pipe", 4) == 0) CHECK(pipe(fds) == 0);
  if (strcmp(name, "socketpair") == 0) CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
  if (strcmp(name, "timer") == 0) fds[0] = timerfd_create(CLOCK_MONOTONIC, 0);
  if (strcmp(name, "connection") == 0) {
    listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    CHECK(bind(listener, (struct sockaddr*)&address, bytes) == 0 && listen(listener, 1) == 0);
    getsockname(listener, (struct sockaddr*)&address, &bytes);
  }
}

int main(int count, char** words) {
  if (count == 1) {
    for (int i = 0; i < kPairs; ++i) puts(pairs[i].name);
    return 0;
  }
  racy = count > 2;
  while (chosen < kPairs && strcmp(words[1], pairs[chosen].name) != 0) ++chosen;
  CHECK(chosen < kPairs);
  prepare();
  pthread_t a, b;
  CHECK(pthread_create(&b, NULL, taker, NULL) == 0);
  CHECK(pthread_create(&a, NULL, giver, NULL) == 0);
  CHECK(pthread_join(a, NULL) == 0 && pthread_join(b, NULL) == 0);
  printf("%d\n", x != 0);
  return 0;
}
