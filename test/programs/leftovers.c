// leftovers NAME [racy]: locks that their threads leave held or that others give back, and memory and
// descriptors that are replaced. With `racy` the order is missing.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);

static volatile int x;
static int racy, turn;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, robust;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void set_turn(int value) { __atomic_store_n(&turn, value, __ATOMIC_RELAXED); }
static void wait_turn(int value) {
  while (__atomic_load_n(&turn, __ATOMIC_RELAXED) != value) sched_yield();
}
static void two(void* (*first)(void*), void* (*second)(void*)) {
  pthread_t a, b;
  CHECK(pthread_create(&a, NULL, first, NULL) == 0);
  CHECK(pthread_create(&b, NULL, second, NULL) == 0);
  CHECK(pthread_join(a, NULL) == 0 && pthread_join(b, NULL) == 0);
}

// The owner of a robust mutex dies; who takes it next comes behind it.
static void* die_with_lock(void* unused) {
  CHECK(pthread_mutex_lock(&robust) == 0);
  x = 1;
  set_turn(1);
  return unused;
}
static void* take_from_dead(void* unused) {
  wait_turn(1);
  if (racy) x = 2;
  const int result = pthread_mutex_lock(&robust);
  CHECK(result == EOWNERDEAD && pthread_mutex_consistent(&robust) == 0);
  x = 2;
  CHECK(pthread_mutex_unlock(&robust) == 0);
  return unused;
}
static void bent_robust(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &attributes);
  two(die_with_lock, take_from_dead);
}

// A mutex as a semaphore: taken by one, given back by another.
static void* take_for_other(void* unused) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  set_turn(1);
  CHECK(pthread_mutex_lock(&mutex) == 0);  // until it is given back
  x = 1;
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return unused;
}
static void* give_back(void* unused) {
  wait_turn(1);
  if (!racy) x = 2;
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  if (racy) x = 2;
  return unused;
}
static void bent_semaphore(void) { two(take_for_other, give_back); }

// Taken by a thread that is gone when it is given back.
static void* take_and_end(void* unused) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  x = 1;
  return unused;
}
static void* take_at_last(void* unused) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  x = 3;
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return unused;
}
static void bent_given_back(void) {
  pthread_t a, b;
  CHECK(pthread_create(&a, NULL, take_and_end, NULL) == 0 && pthread_join(a, NULL) == 0);
  CHECK(pthread_create(&b, NULL, take_at_last, NULL) == 0);
  if (!racy) x = 2;
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  if (racy) x = 2;
  CHECK(pthread_join(b, NULL) == 0);
}

// Readers that end so. Nobody can write any more; the lock is made anew.
static void* read_and_end(void* unused) {
  CHECK(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_rdlock(&rwlock) == 0);
  if (racy) x = 1;
  return unused;
}
static void bent_readers(void) {
  two(read_and_end, read_and_end);
  CHECK(pthread_rwlock_init(&rwlock, NULL) == 0 && pthread_rwlock_wrlock(&rwlock) == 0);
}

// The program ends while locks are held, by who is still there.
static void* hold_for_ever(void* unused) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  x = 1;
  set_turn(1);
  while (1) pause();
  return unused;
}
static void bent_exit(void) {
  pthread_t a;
  CHECK(pthread_create(&a, NULL, hold_for_ever, NULL) == 0);
  wait_turn(1);
  CHECK(pthread_rwlock_wrlock(&rwlock) == 0);
  if (racy) x = 2;
}

// Memory that is replaced or given back while another thread may use it. What is used is used before.
enum { kBytes = 1 << 18 };
static char* memory;
static pthread_mutex_t used = PTHREAD_MUTEX_INITIALIZER;
static void* use_memory(void* unused) {
  if (!racy) pthread_mutex_lock(&used);
  memory[100] = 1;
  memory[kBytes - 1] = 1;
  if (!racy) pthread_mutex_unlock(&used);
  set_turn(1);
  return unused;
}
static void* new_memory(void* at, int flags) {
  char* const m = mmap(at, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  CHECK(m != MAP_FAILED);
  return m;
}
static void* map_over(void* unused) {
  wait_turn(1);
  pthread_mutex_lock(&used);
  CHECK(new_memory(memory, MAP_FIXED) == memory);
  pthread_mutex_unlock(&used);
  return unused;
}
static void* unmap(void* unused) {
  wait_turn(1);
  pthread_mutex_lock(&used);
  CHECK(munmap(memory, kBytes) == 0);
  pthread_mutex_unlock(&used);
  return unused;
}
static void* move(void* unused) {
  wait_turn(1);
  pthread_mutex_lock(&used);
  CHECK(mremap(memory, kBytes, 2 * kBytes, MREMAP_MAYMOVE) != MAP_FAILED);
  pthread_mutex_unlock(&used);
  return unused;
}
static void mapped_over(void) {
  memory = new_memory(NULL, 0);
  two(use_memory, map_over);
}
static void unmapped(void) {
  memory = new_memory(NULL, 0);
  two(use_memory, unmap);
}
static void moved(void) {
  memory = new_memory(NULL, 0);
  two(use_memory, move);
}

// A large mapping that comes and goes: what is in use counts, each time.
static void* use_last(void* unused) {
  memory[kBytes / 2] = 1;
  set_turn(1);
  return unused;
}
static void* use_it_too(void* unused) {
  if (!racy) wait_turn(2);
  memory[kBytes / 2] = 2;
  return unused;
}
static void remapped(void) {
  memory = new_memory(NULL, 0);
  for (int i = 0; i < 1000; ++i) {
    memory[i * 7] = 1;
    memory = new_memory(memory, MAP_FIXED);
  }
  pthread_t a, b;
  CHECK(pthread_create(&a, NULL, use_last, NULL) == 0);
  if (racy) {
    CHECK(pthread_create(&b, NULL, use_it_too, NULL) == 0);
    CHECK(pthread_join(a, NULL) == 0);
  } else {
    CHECK(pthread_join(a, NULL) == 0);
    set_turn(2);
    CHECK(pthread_create(&b, NULL, use_it_too, NULL) == 0);
  }
  CHECK(pthread_join(b, NULL) == 0);
}

// What is freed where accesses are ignored is freed without one.
static char* block;
static void* fill_block(void* unused) {
  block = malloc(100);
  memset(block, 1, 100);
  set_turn(1);
  return unused;
}
static void* free_ignored(void* unused) {
  wait_turn(1);
  if (!racy) AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  free(block);
  if (!racy) AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  return unused;
}
static void ignored_free(void) { two(fill_block, free_ignored); }

// A descriptor is closed by what is duplicated to its number.
static int file, other;
static void* use_descriptor(void* unused) {
  if (!racy) pthread_mutex_lock(&used);
  CHECK(pwrite(file, "x", 1, 0) == 1);
  if (!racy) pthread_mutex_unlock(&used);
  set_turn(1);
  return unused;
}
static void* replace_descriptor(void* unused) {
  wait_turn(1);
  pthread_mutex_lock(&used);
  CHECK(dup2(other, file) == file);
  pthread_mutex_unlock(&used);
  return unused;
}
static void duplicated_over(void) {
  CHECK((file = open("/dev/null", O_WRONLY)) >= 0 && (other = open("/dev/null", O_RDONLY)) >= 0);
  two(use_descriptor, replace_descriptor);
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {
    {"bent_robust", bent_robust},
    {"bent_semaphore", bent_semaphore},
    {"bent_given_back", bent_given_back},
    {"bent_readers", bent_readers},
    {"bent_exit", bent_exit},
    {"mapped_over", mapped_over},
    {"unmapped", unmapped},
    {"moved", moved},
    {"remapped", remapped},
    {"ignored_free", ignored_free},
    {"duplicated_over", duplicated_over},
};
enum { kCases = sizeof cases / sizeof *cases };

int main(int count, char** words) {
  racy = count > 2;
  for (int i = 0; i < kCases; ++i) {
    if (count == 1) puts(cases[i].name);
    if (count > 1 && strcmp(words[1], cases[i].name) == 0) cases[i].run();
  }
  if (count > 1) puts("1");
  return 0;
}
