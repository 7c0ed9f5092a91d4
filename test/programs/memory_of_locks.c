// memory_of_locks NAME [racy]: what makes order is itself memory, made by one thread, used by another and
// destroyed. With `racy` nothing orders the two, though the flags that say whose turn it is, relaxed, let
// neither come early.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static int racy;
static int turn;
static sem_t order;
static pthread_mutex_t mutex;
static pthread_rwlock_t rwlock;
static pthread_spinlock_t spin;
static pthread_cond_t* condition;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int ends[2];

static void give_turn(void) {
  if (racy) {
    __atomic_store_n(&turn, 1, __ATOMIC_RELAXED);
  } else {
    sem_post(&order);
  }
}
static void wait_turn(void) {
  if (!racy) {
    CHECK(sem_wait(&order) == 0);
    return;
  }
  while (__atomic_load_n(&turn, __ATOMIC_RELAXED) != 1) sched_yield();
}

static void make_mutex(void) { CHECK(pthread_mutex_init(&mutex, NULL) == 0); }
static void use_mutex(void) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
}
static void destroy_mutex(void) { CHECK(pthread_mutex_destroy(&mutex) == 0); }
static void make_rwlock(void) { CHECK(pthread_rwlock_init(&rwlock, NULL) == 0); }
static void use_rwlock(void) {
  CHECK(pthread_rwlock_tryrdlock(&rwlock) == 0);
  CHECK(pthread_rwlock_unlock(&rwlock) == 0);
}
static void destroy_rwlock(void) { CHECK(pthread_rwlock_destroy(&rwlock) == 0); }
static void make_spin(void) { CHECK(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0); }
static void use_spin(void) {
  CHECK(pthread_spin_lock(&spin) == 0);
  CHECK(pthread_spin_unlock(&spin) == 0);
}
static void make_condition(void) { CHECK(pthread_cond_init(condition, NULL) == 0); }
static void use_condition(void) { CHECK(pthread_cond_signal(condition) == 0); }
static void use_all(void) { CHECK(pthread_cond_broadcast(condition) == 0); }
static void free_condition(void) { free(condition); }
static void make_barrier(void) { CHECK(pthread_barrier_init(&barrier, NULL, 1) == 0); }
static void use_barrier(void) { CHECK(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD); }

static void make_semaphore(void) { CHECK(sem_init(&semaphore, 0, 0) == 0); }
static void use_semaphore(void) { CHECK(sem_post(&semaphore) == 0); }
static void destroy_semaphore(void) { CHECK(sem_destroy(&semaphore) == 0); }
static void open_pipe(void) { CHECK(pipe(ends) == 0); }
static void write_to_pipe(void) { CHECK(write(ends[1], "x", 1) == 1); }
static void close_pipe(void) { CHECK(close(ends[1]) == 0); }

static const struct {
  const char* name;
  void (*prepare)(void);  // before both
  void (*first)(void);
  void (*second)(void);
} cases[] = {
    {"mutex_made", make_mutex, make_mutex, use_mutex},
    {"mutex_destroyed", make_mutex, use_mutex, destroy_mutex},
    {"rwlock_made", make_rwlock, make_rwlock, use_rwlock},
    {"rwlock_destroyed", make_rwlock, use_rwlock, destroy_rwlock},
    {"spin_made", make_spin, make_spin, use_spin},
    {"condition_made", make_condition, make_condition, use_condition},
    {"condition_freed", make_condition, use_all, free_condition},
    {"barrier_made", make_barrier, make_barrier, use_barrier},
    {"semaphore_made", make_semaphore, make_semaphore, use_semaphore},
    {"semaphore_destroyed", make_semaphore, use_semaphore, destroy_semaphore},
    {"descriptor_closed", open_pipe, write_to_pipe, close_pipe},
};
enum { kCases = sizeof cases / sizeof *cases };
static int chosen;

static void* first(void* unused) {
  cases[chosen].first();
  give_turn();
  return unused;
}
static void* second(void* unused) {
  wait_turn();
  cases[chosen].second();
  return unused;
}

int main(int count, char** words) {
  if (count == 1) {
    for (int i = 0; i < kCases; ++i) puts(cases[i].name);
    return 0;
  }
  racy = count > 2;
  while (chosen < kCases && strcmp(words[1], cases[chosen].name) != 0) ++chosen;
  CHECK(chosen < kCases);
  sem_init(&order, 0, 0);
  condition = malloc(sizeof *condition);
  cases[chosen].prepare();
  pthread_t a, b;
  CHECK(pthread_create(&b, NULL, second, NULL) == 0);
  CHECK(pthread_create(&a, NULL, first, NULL) == 0);
  CHECK(pthread_join(a, NULL) == 0 && pthread_join(b, NULL) == 0);
  puts("1");
  return 0;
}
