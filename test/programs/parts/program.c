// program: does what the words on standard input say, and says each when it is done. Two workers write
// without order to what a word names; meanwhile a thread is blocked in a lock, one in a read, and one runs.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

// Each has a line of its own, so that each race is one.
#define SPOT(name) \
  static int name; \
  static void write_##name(void) { ++name; }
SPOT(first)
SPOT(second)
SPOT(third)
SPOT(fourth)
extern void write_other(void);

static int go;
int handed, taken;  // not static: the compiler would leave out what nobody reads
static pthread_mutex_t held_throughout = PTHREAD_MUTEX_INITIALIZER;

// What is written here is never raced for: by one at a time.
enum { kCells = 1 << 16, kRounds = 2000, kInRound = 100 };
long cells[kCells];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void fill(void) {
  unsigned long random = 88172645463325252;
  for (int i = 0; i < kRounds; ++i) {
    CHECK(pthread_mutex_lock(&guard) == 0);
    for (int k = 0; k < kInRound; ++k) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      cells[random % kCells] = i;
    }
    CHECK(pthread_mutex_unlock(&guard) == 0);
  }
}

// Nobody learns that it was written before `over`, which is said while accesses are not recorded.
static void hand(void) {
  handed = 1;
  puts("hand");
  while (!__atomic_load_n(&go, __ATOMIC_RELAXED)) sched_yield();
}
static void take(void) { taken = handed; }

// Workers.
static struct Worker {
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  void (*job)(void);
  int meets;  // the other, before the job
  int ends;
} workers[2];
static int met;

// Relaxed: orders nothing.
static void meet(void) {
  const int now = __atomic_add_fetch(&met, 1, __ATOMIC_RELAXED);
  while (__atomic_load_n(&met, __ATOMIC_RELAXED) < (now + 1) / 2 * 2) sched_yield();
}

static void* work(void* argument) {
  struct Worker* const w = argument;
  pthread_mutex_lock(&w->mutex);
  while (!w->ends) {
    if (w->job == NULL) {
      pthread_cond_wait(&w->changed, &w->mutex);
      continue;
    }
    pthread_mutex_unlock(&w->mutex);
    // Both have their job, so neither waits for what the other did.
    if (w->meets) meet();
    w->job();
    pthread_mutex_lock(&w->mutex);
    w->job = NULL;
    pthread_cond_broadcast(&w->changed);
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

static void give(struct Worker* w, void (*job)(void), int meets) {
  pthread_mutex_lock(&w->mutex);
  w->job = job;
  w->meets = meets;
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->mutex);
}
static void await(struct Worker* w) {
  pthread_mutex_lock(&w->mutex);
  while (w->job != NULL) pthread_cond_wait(&w->changed, &w->mutex);
  pthread_mutex_unlock(&w->mutex);
}
static void both(void (*job)(void)) {
  give(&workers[0], job, 1);
  give(&workers[1], job, 1);
  await(&workers[0]);
  await(&workers[1]);
}

// Onlookers.
static int ends;
static int nothing_comes[2];

static void* blocked_in_lock(void* unused) {
  pthread_mutex_lock(&held_throughout);
  pthread_mutex_unlock(&held_throughout);
  return unused;
}
static void* blocked_in_read(void* unused) {
  char byte;
  CHECK(read(nothing_comes[0], &byte, 1) == 1);
  return unused;
}
static void* runs(void* unused) {
  static long mine;
  while (!__atomic_load_n(&ends, __ATOMIC_RELAXED)) {
    ++mine;
    usleep(1000);  // not to fill the recording by itself
  }
  return unused;
}

static const struct {
  const char* name;
  void (*job)(void);
} races[] = {
    {"first", write_first},   {"second", write_second}, {"third", write_third},
    {"fourth", write_fourth}, {"other", write_other},   {"fill", fill},
};

static void obey(const char* word) {
  for (unsigned i = 0; i < sizeof races / sizeof *races; ++i) {
    if (strcmp(word, races[i].name) == 0) return both(races[i].job);
  }
  if (strcmp(word, "hand") == 0) return give(&workers[0], hand, 0);
  if (strcmp(word, "over") == 0) {
    __atomic_store_n(&go, 1, __ATOMIC_RELAXED);
    return await(&workers[0]);
  }
  CHECK(strcmp(word, "take") == 0);
  give(&workers[1], take, 0);
  await(&workers[1]);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  pthread_t onlookers[3];
  CHECK(pipe(nothing_comes) == 0);
  pthread_mutex_lock(&held_throughout);
  CHECK(pthread_create(&onlookers[0], NULL, blocked_in_lock, NULL) == 0);
  CHECK(pthread_create(&onlookers[1], NULL, blocked_in_read, NULL) == 0);
  CHECK(pthread_create(&onlookers[2], NULL, runs, NULL) == 0);
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_init(&workers[i].mutex, NULL);
    pthread_cond_init(&workers[i].changed, NULL);
    CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
  }
  char word[32];
  while (scanf("%31s", word) == 1) {
    obey(word);
    if (strcmp(word, "hand") != 0) puts(word);  // which says so itself
  }
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&workers[i].mutex);
    workers[i].ends = 1;
    pthread_cond_broadcast(&workers[i].changed);
    pthread_mutex_unlock(&workers[i].mutex);
    CHECK(pthread_join(workers[i].thread, NULL) == 0);
  }
  pthread_mutex_unlock(&held_throughout);
  CHECK(write(nothing_comes[1], "x", 1) == 1);
  __atomic_store_n(&ends, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 3; ++i) CHECK(pthread_join(onlookers[i], NULL) == 0);
  return 0;
}
