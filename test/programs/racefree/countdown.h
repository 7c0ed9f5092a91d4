// What the cases share: workers write a variable each and count down, under a lock; the last sets a flag, and
// the main thread, which waits for it, reads all variables. Race-free however the count is represented. Where
// a read of the count is missing from the recording, nothing says that the last worker depends on the others,
// and a race of their writes with the main thread's reads looks possible.
#pragma once

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { kWorkers = 3 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_done = PTHREAD_COND_INITIALIZER;
static int done;
static int data[kWorkers];
static int racy;  // the main thread does not wait

struct Case {
  const char* name;
  void (*begin)(void);
  int (*count_down)(void);  // true: it was the last
  int locks_itself;
};

static const struct Case* chosen;

static void* worker(void* argument) {
  *(int*)argument = 1;
  if (!chosen->locks_itself) pthread_mutex_lock(&mutex);
  const int is_last = chosen->count_down();
  if (chosen->locks_itself) pthread_mutex_lock(&mutex);
  if (is_last) {
    done = 1;
    pthread_cond_broadcast(&is_done);
  }
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static int run_countdown(const struct Case* c) {
  chosen = c;
  if (c->begin != NULL) c->begin();
  pthread_t threads[kWorkers];
  for (int i = 0; i < kWorkers; ++i) CHECK(pthread_create(&threads[i], NULL, worker, &data[i]) == 0);
  if (!racy) {
    pthread_mutex_lock(&mutex);
    while (!done) pthread_cond_wait(&is_done, &mutex);
    pthread_mutex_unlock(&mutex);
  }
  int sum = 0;
  for (int i = 0; i < kWorkers; ++i) sum += data[i];
  CHECK(racy || sum == kWorkers);
  for (int i = 0; i < kWorkers; ++i) pthread_join(threads[i], NULL);
  puts("1");
  return 0;
}

// Lists the cases, or runs one.
static int choose(const struct Case* cases, size_t count, int argc, char** argv) {
  racy = argc > 2 && strcmp(argv[2], "racy") == 0;
  for (size_t i = 0; i < count; ++i) {
    if (argc < 2) puts(cases[i].name);
    if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) return run_countdown(&cases[i]);
  }
  return argc < 2 ? 0 : 2;
}
