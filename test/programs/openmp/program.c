// program NAME [racy]: what OpenMP orders, as Archer or the runtime tells it. With `racy` the directive that
// orders is left out.
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { kThreads = 4, kMany = 1000 };
static int racy;
static long sum;
static int a[kMany];

// Until so many threads are here, by nothing that orders.
static int here;
static void meet(int threads) {
  __atomic_fetch_add(&here, 1, __ATOMIC_RELAXED);
  while (__atomic_load_n(&here, __ATOMIC_RELAXED) < threads) sched_yield();
}

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

// Iterations that come in turn.
static void ordered(void) {
#pragma omp parallel num_threads(kThreads)
  {
    meet(kThreads);
    if (racy) {
#pragma omp for schedule(static, 1)
      for (int i = 0; i < 40; ++i) ++sum;
    } else {
#pragma omp for ordered schedule(dynamic)
      for (int i = 0; i < 40; ++i) {
#pragma omp ordered
        ++sum;
      }
    }
  }
}

static void named(void) {
#pragma omp parallel for num_threads(kThreads) schedule(static, 1)
  for (int i = 0; i < 100; ++i) {
    if (i < kThreads) meet(kThreads);
    if (racy && i % 2 == 0) {
#pragma omp critical(other)
      ++sum;
    } else {
#pragma omp critical(one)
      ++sum;
    }
  }
}

// One writes, all read behind the implied barrier.
static void single(void) {
#pragma omp parallel num_threads(kThreads)
  {
    if (racy) {
#pragma omp single nowait
      a[0] = 1;
    } else {
#pragma omp single
      a[0] = 1;
    }
    const int seen = a[0];
#pragma omp atomic
    sum += seen + 1;
  }
}

static void copied(void) {
#pragma omp parallel num_threads(kThreads)
  {
    int* mine;
#pragma omp single copyprivate(mine)
    {
      a[5] = 3;
      mine = &a[5];
    }
    if (racy) *mine = 4;
    const int seen = *mine;
#pragma omp atomic
    sum += seen;
  }
}

static void sections(void) {
#pragma omp parallel sections num_threads(kThreads)
  {
#pragma omp section
    {
      if (racy) meet(2);
      a[0] = 1;
    }
#pragma omp section
    {
      if (racy) meet(2);
      a[1] = 1;
      if (racy) a[0] = 2;
    }
#pragma omp section
    a[2] = 1;
  }
  sum = a[0] + a[1] + a[2];
}

// Two loops in one team: the second reads what the first wrote, by other threads.
static void loops(void) {
#pragma omp parallel num_threads(kThreads)
  {
    if (racy) {
#pragma omp for schedule(static) nowait
      for (int i = 0; i < kMany; ++i) a[i] = i;
    } else {
#pragma omp for schedule(dynamic, 7)
      for (int i = 0; i < kMany; ++i) a[i] = i;
    }
    long mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < kMany; ++i) mine += a[kMany - 1 - i];
#pragma omp critical
    sum += mine;
  }
}

static void nested_lock(void) {
  omp_nest_lock_t l;
  omp_init_nest_lock(&l);
#pragma omp parallel num_threads(kThreads)
  for (int i = 0; i < 100; ++i) {
    if (!racy) omp_set_nest_lock(&l), omp_set_nest_lock(&l);
    ++sum;
    if (!racy) omp_unset_nest_lock(&l), omp_unset_nest_lock(&l);
  }
  omp_destroy_nest_lock(&l);
}

// Many tasks, ended by the barrier, which other threads run while they wait there.
static void tasks(void) {
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp single nowait
    for (int i = 0; i < 100; ++i) {
#pragma omp task firstprivate(i)
      {
        if (racy && i < 2) meet(2);
        a[i] = i;
        if (racy) ++sum;
#pragma omp task firstprivate(i)
        a[i + 200] = a[i];
      }
    }
#pragma omp barrier
    int mine = 0;
    for (int i = 0; i < 100; ++i) mine += a[i + 200];
#pragma omp atomic
    sum += mine;
  }
}

static void depend(void) {
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  {
#pragma omp task depend(out : a[0])
    {
      if (racy) meet(2);
      a[0] = 1;
    }
    if (racy) {
#pragma omp task
      {
        meet(2);
        a[0] = 2;
      }
    } else {
#pragma omp task depend(inout : a[0])
      a[0] = 2;
    }
#pragma omp task depend(in : a[0])
    a[1] = a[0];
  }
  sum = a[1] + 1;
}

static void group(void) {
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  {
    if (racy) {
#pragma omp task
      {
        a[3] = 1;
        meet(2);
      }
      meet(2);
    } else {
#pragma omp taskgroup
      {
#pragma omp task
        {
#pragma omp task
          a[3] = 1;
        }
      }
    }
    a[3] = 2;
  }
  sum = a[3];
}

static void task_loop(void) {
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  {
#pragma omp taskloop grainsize(10)
    for (int i = 0; i < kMany; ++i) {
      if (racy && (i == 0 || i == 10)) meet(2);
      a[i] = i;
      if (racy) a[0] = i;
    }
    for (int i = 0; i < kMany; ++i) sum += a[i];
  }
}

static void nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    const int outer = omp_get_thread_num();
    a[outer] = 1;
#pragma omp parallel num_threads(2)
    {
      const int inner = omp_get_thread_num();
      a[10 + 2 * outer + inner] = a[outer];
      if (racy) a[20] = inner;
    }
    a[outer] = a[10 + 2 * outer] + a[11 + 2 * outer];
#pragma omp barrier
    const int other = a[1 - outer];
#pragma omp atomic
    sum += other;
  }
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {
    {"reduction", reduction},
    {"region", region},
    {"barrier", barrier},
    {"critical", critical},
    {"lock", lock},
    {"task", task},
    {"ordered", ordered},
    {"named", named},
    {"single", single},
    {"copied", copied},
    {"sections", sections},
    {"loops", loops},
    {"nested_lock", nested_lock},
    {"tasks", tasks},
    {"depend", depend},
    {"group", group},
    {"task_loop", task_loop},
    {"nested", nested},
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
