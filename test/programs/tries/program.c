// program: attempts that fail, of each kind once.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "../check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t mtx;
static sem_t semaphore;
static pthread_barrier_t barrier;

static void* try_all(void* unused) {
  const struct timespec past = {.tv_sec = 1};
  int value;
  errno = 5;
  CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
  CHECK(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);
  CHECK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
  CHECK(pthread_spin_trylock(&spin) == EBUSY);
  CHECK(mtx_trylock(&mtx) == thrd_busy);
  CHECK(pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
  CHECK(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
  CHECK(pthread_rwlock_timedwrlock(&rwlock, &past) == ETIMEDOUT);
  CHECK(errno == 5);
  CHECK(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
  CHECK(sem_timedwait(&semaphore, &past) == -1 && errno == ETIMEDOUT);
  CHECK(sem_getvalue(&semaphore, &value) == 0 && value == 0);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  return unused;
}

int main(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  mtx_init(&mtx, mtx_plain);
  sem_init(&semaphore, 0, 0);
  pthread_barrier_init(&barrier, NULL, 2);
  CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_rwlock_wrlock(&rwlock) == 0);
  CHECK(pthread_spin_lock(&spin) == 0 && mtx_lock(&mtx) == thrd_success);
  pthread_t t;
  CHECK(pthread_create(&t, NULL, try_all, NULL) == 0);
  pthread_barrier_wait(&barrier);
  const struct timespec past = {.tv_sec = 1};
  CHECK(pthread_tryjoin_np(t, NULL) == EBUSY);
  CHECK(pthread_timedjoin_np(t, NULL, &past) == ETIMEDOUT);
  int fds[2];
  CHECK(pipe(fds) == 0);
  struct pollfd one = {.fd = fds[0], .events = POLLIN};
  CHECK(poll(&one, 1, 0) == 0);
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  CHECK(pthread_cond_timedwait(&condition, &mutex, &past) == ETIMEDOUT);
  pthread_barrier_wait(&barrier);
  CHECK(pthread_join(t, NULL) == 0);
  puts("1");
  return 0;
}
