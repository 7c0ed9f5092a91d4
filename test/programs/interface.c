// interface NAME [racy]: what <sanitizer/tsan_interface.h> offers: locks of the program's own, hooks. With
// `racy` one thread does without the lock.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { kReentrant = 1 << 1, kRecursiveLock = 1 << 6, kRecursiveUnlock = 1 << 7 };
void __tsan_mutex_create(void* lock, unsigned flags);
void __tsan_mutex_pre_lock(void* lock, unsigned flags);
void __tsan_mutex_post_lock(void* lock, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void* lock, unsigned flags);
void __tsan_mutex_post_unlock(void* lock, unsigned flags);

static int racy, x, initialized, with_hooks;

// A lock that can be taken again by its owner, and given back at once however often it was taken.
static struct {
  int owner;  // 0: nobody
  int depth;
} own;

static void lock(int me, unsigned flags, int levels) {
  __tsan_mutex_pre_lock(&own, flags);
  int nobody = 0;
  while (__atomic_load_n(&own.owner, __ATOMIC_RELAXED) != me &&
         !__atomic_compare_exchange_n(&own.owner, &nobody, me, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    nobody = 0;
    sched_yield();
  }
  own.depth += levels;
  __tsan_mutex_post_lock(&own, flags, levels);
}
static int unlock(unsigned flags) {
  const int levels = __tsan_mutex_pre_unlock(&own, flags);
  CHECK(levels == (flags == kRecursiveUnlock ? own.depth : 1));
  own.depth -= levels;
  if (own.depth == 0) __atomic_store_n(&own.owner, 0, __ATOMIC_RELAXED);
  __tsan_mutex_post_unlock(&own, flags);
  return levels;
}

static void add_once(int me) {
  lock(me, 0, 1);
  ++x;
  unlock(0);
}
// As a wait on a condition does: all is given back, and taken again.
static void add_deeply(int me) {
  for (int i = 0; i < 3; ++i) lock(me, 0, 1);
  ++x;
  unlock(0);
  const int levels = unlock(kRecursiveUnlock);
  CHECK(levels == 2);
  lock(me, kRecursiveLock, levels);
  ++x;
  CHECK(unlock(kRecursiveUnlock) == 2);
}

static const struct {
  const char* name;
  void (*add)(int me);
} cases[] = {{"own_lock", add_once}, {"own_lock_deep", add_deeply}};
enum { kCases = sizeof cases / sizeof *cases };
static int chosen;

static void* run(void* argument) {
  const int me = *(int*)argument;
  if (racy && me == 1) {
    ++x;
    return NULL;
  }
  for (int i = 0; i < 100; ++i) cases[chosen].add(me);
  return NULL;
}

void __tsan_on_initialize(void) { initialized = 1; }
int __tsan_on_finalize(int failed) {
  if (with_hooks) printf("%d\n", initialized && x > 0);
  fflush(stdout);
  return failed;
}

int main(int count, char** words) {
  if (count == 1) {
    for (int i = 0; i < kCases; ++i) puts(cases[i].name);
    return 0;
  }
  racy = count > 2;
  with_hooks = 1;
  while (chosen < kCases && strcmp(words[1], cases[chosen].name) != 0) ++chosen;
  CHECK(chosen < kCases);
  __tsan_mutex_create(&own, kReentrant);
  int numbers[] = {1, 2};
  pthread_t a, b;
  CHECK(pthread_create(&a, NULL, run, &numbers[0]) == 0 && pthread_create(&b, NULL, run, &numbers[1]) == 0);
  CHECK(pthread_join(a, NULL) == 0 && pthread_join(b, NULL) == 0);
  return 0;
}
