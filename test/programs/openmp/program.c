// program NAME [racy]: what OpenMP orders, as Archer tells it. With `racy` the directive that orders is left
// out.
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { kThreads = 4, kMany = 1000 };
static int racy;
static long sum;
static int a[kMany];

static void reduction(void) {
  if (racy) {
#pragma omp parallel for num_threads(kThreads)
    for (int i = 0; i < kMany; ++i) sum += i;
  } else {
#pragma omp parallel for num_threads(kThreads) reduction(+ : sum)
    for (int i = 0; i < kMany; ++i) sum += i;
  }
}

// What the threads did comes before what follows the region, and the region before them.
static void region(void) {
  sum = 1;
#pragma omp parallel num_threads(kThreads)
  {
    a[omp_get_thread_num()] = (int)sum;
    if (racy) a[0] = 1;
  }
  for (int i = 0; i < kThreads; ++i) sum += a[i];
}

static void barrier(void) {
#pragma omp parallel num_threads(kThreads)
  {
    const int t = omp_get_thread_num();
    a[t] = t + 1;
    if (!racy) {
#pragma omp barrier
    }
    const int other = a[(t + 1) % kThreads];
#pragma omp atomic
    sum += other;
  }
}

static void critical(void) {
#pragma omp parallel num_threads(kThreads)
  for (int i = 0; i < 100; ++i) {
    if (racy) {
      ++sum;
    } else {
#pragma omp critical
      ++sum;
    }
  }
}

static void lock(void) {
  omp_lock_t l;
  omp_init_lock(&l);
#pragma omp parallel num_threads(kThreads)
  for (int i = 0; i < 100; ++i) {
    if (!racy) omp_set_lock(&l);
    ++sum;
    if (!racy) omp_unset_lock(&l);
  }
  omp_destroy_lock(&l);
}

// The task runs in another thread: its creator does nothing until it has.
static void task(void) {
  int done = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  {
#pragma omp task shared(done)
    {
      a[0] = 1;
      __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    }
    while (__atomic_load_n(&done, __ATOMIC_RELAXED) == 0) sched_yield();
    if (!racy) {
#pragma omp taskwait
    }
    a[0] = 2;
  }
  sum = a[0];
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {
    {"reduction", reduction}, {"region", region}, {"barrier", barrier},
    {"critical", critical},   {"lock", lock},     {"task", task},
};
enum { kCases = sizeof cases / sizeof *cases };

int main(int count, char** words) {
  racy = count > 2;
  for (int i = 0; i < kCases; ++i) {
    if (count == 1) puts(cases[i].name);
    if (count > 1 && strcmp(words[1], cases[i].name) == 0) cases[i].run();
  }
  if (count > 1) printf("%d\n", sum > 0);
  return 0;
}
