// crowds NAME [racy]: many threads, alive together or one crowd behind the other, and more threads than cores
// that wait in spin locks. With `racy` one of them takes no lock.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int racy;
static int x;
static int rounds;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int spin;
static pthread_barrier_t barrier;

static void lock_mutex(void) { CHECK(pthread_mutex_lock(&mutex) == 0); }
static void unlock_mutex(void) { CHECK(pthread_mutex_unlock(&mutex) == 0); }

static void lock_cas(void) {
  int free = 0;
  while (!__atomic_compare_exchange_n(&spin, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) free = 0;
}
static void lock_exchange(void) {
  while (__atomic_exchange_n(&spin, 1, __ATOMIC_ACQUIRE) != 0) {
  }
}
static void lock_load(void) {
  while (__atomic_exchange_n(&spin, 1, __ATOMIC_ACQUIRE) != 0) {
    while (__atomic_load_n(&spin, __ATOMIC_RELAXED) != 0) {
    }
  }
}
static void unlock_spin(void) { __atomic_store_n(&spin, 0, __ATOMIC_RELEASE); }

static void (*lock)(void);
static void (*unlock)(void);

static void* add(void* outlaw) {
  if (outlaw != NULL) {
    ++x;
    return NULL;
  }
  for (int i = 0; i < rounds; ++i) {
    lock();
    ++x;
    unlock();
  }
  return NULL;
}

// All are alive before one ends.
static void* meet_and_add(void* outlaw) {
  pthread_barrier_wait(&barrier);
  return add(outlaw);
}

static void crowd(int count, void* (*run)(void*)) {
  pthread_t threads[128];
  for (int i = 0; i < count; ++i) {
    CHECK(pthread_create(&threads[i], NULL, run, racy && i == 0 ? &racy : NULL) == 0);
  }
  for (int i = 0; i < count; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
}

static void together(void) {
  pthread_barrier_init(&barrier, NULL, 64);
  crowd(64, meet_and_add);
}
static void in_turn(void) {
  for (int i = 0; i < 200; ++i) crowd(100, add);
}
static void few(void) { crowd(8, add); }

static const struct {
  const char* name;
  void (*run)(void);
  void (*lock)(void);
  void (*unlock)(void);
  int rounds;
} cases[] = {
    {"threads_64", together, lock_mutex, unlock_mutex, 100},
    {"threads_20000", in_turn, lock_mutex, unlock_mutex, 1},
    {"spin_cas", few, lock_cas, unlock_spin, 500},
    {"spin_exchange", few, lock_exchange, unlock_spin, 500},
    {"spin_load", few, lock_load, unlock_spin, 500},
};
enum { kCases = sizeof cases / sizeof *cases };

int main(int count, char** words) {
  if (count == 1) {
    for (int i = 0; i < kCases; ++i) puts(cases[i].name);
    return 0;
  }
  racy = count > 2;
  int chosen = 0;
  while (chosen < kCases && strcmp(words[1], cases[chosen].name) != 0) ++chosen;
  CHECK(chosen < kCases);
  lock = cases[chosen].lock;
  unlock = cases[chosen].unlock;
  rounds = cases[chosen].rounds;
  cases[chosen].run();
  printf("%d\n", x > 0);
  return 0;
}
