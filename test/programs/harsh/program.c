// program NAME [racy]: threads add under a lock while something happens to the process. With `racy` one adds
// without.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

enum { kThreads = 4 };
static int racy;
static long x;
static int stop, rounds, under_way, meanwhile;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t threads[kThreads];

static void nothing(void);

static void* add(void* outlaw) {
  for (long mine = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); ++mine) {
    if (outlaw != NULL) {
      ++x;
    } else {
      pthread_mutex_lock(&mutex);
      ++x;
      pthread_mutex_unlock(&mutex);
    }
    __atomic_fetch_add(&rounds, 1, __ATOMIC_RELAXED);
    if (mine == 100) __atomic_fetch_add(&under_way, 1, __ATOMIC_RELAXED);
    sched_yield();
  }
  return NULL;
}

static void begin(void) {
  for (int i = 0; i < kThreads; ++i) {
    CHECK(pthread_create(&threads[i], NULL, add, racy && i == 0 ? &racy : NULL) == 0);
  }
  while (__atomic_load_n(&under_way, __ATOMIC_RELAXED) < kThreads) sched_yield();
}
static void finish(void) {
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < kThreads; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
}

// Children of a process that goes on: some do something, with a thread of their own, some become another
// program.
static void forks(void) {
  begin();
  for (int i = 0; i < 20; ++i) {
    pthread_mutex_lock(&mutex);
    const pid_t child = i % 2 ? fork() : vfork();
    CHECK(child >= 0);
    if (child == 0 && i % 2 == 0) {
      execl("/bin/true", "true", NULL);
      _exit(1);
    }
    if (child == 0) {
      ++x;
      pthread_mutex_unlock(&mutex);
      pthread_t t;
      stop = 1;
      _exit(pthread_create(&t, NULL, add, NULL) == 0 && pthread_join(t, NULL) == 0 ? 7 : 1);
    }
    pthread_mutex_unlock(&mutex);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == (i % 2 ? 7 : 0));
  }
  finish();
}

// Handlers run in any thread, in the middle of anything.
static void on_alarm(int number) {
  (void)number;
  char text[16];
  memset(text, 'a', sizeof text);
  __atomic_fetch_add(&meanwhile, text[3] == 'a', __ATOMIC_RELAXED);
}
static void signals(void) {
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
  const struct itimerval often = {{0, 500}, {0, 500}};
  begin();
  CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
  while (__atomic_load_n(&meanwhile, __ATOMIC_RELAXED) < 300) {
    for (int i = 0; i < kThreads; ++i) pthread_kill(threads[i], SIGUSR1);
    sched_yield();
  }
  const struct itimerval never = {0};
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
  finish();
}

// Instrumented code that comes later and goes. Where it was.
static void* run_plugin(const char* suffix) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
  CHECK(length > 0);
  strcpy(path + length, suffix);
  void* const library = dlopen(path, RTLD_NOW);
  if (library == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(library != NULL);
  void (*const add_in_plugin)(long*) = (void (*)(long*))dlsym(library, "add_in_plugin");
  CHECK(add_in_plugin != NULL);
  begin();
  if (!racy) pthread_mutex_lock(&mutex);
  add_in_plugin(&x);
  if (!racy) pthread_mutex_unlock(&mutex);
  finish();
  CHECK(dlclose(library) == 0);
  under_way = stop = 0;
  return (void*)add_in_plugin;
}
static void plugin(void) {
  for (int i = 0; i < 3; ++i) run_plugin(".plugin.so");
}
// Two that take each other's place.
static void plugins(void) {
  void* const first = run_plugin(".plugin.so");
  CHECK(run_plugin(".second.so") == first);
  CHECK(run_plugin(".plugin.so") == first);
}

// Thread-local variables of an object that came later: of a detached thread the C library frees them when
// another gets its stack.
static void (*touch)(long*);
static int touched;
static void* touch_own(void* unused) {
  long own = 0;
  touch(&own);
  __atomic_fetch_add(&touched, 1, __ATOMIC_RELAXED);
  return unused;
}
static void dynamic_tls(void) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
  CHECK(length > 0);
  strcpy(path + length, ".tls.so");
  void* const library = dlopen(path, RTLD_NOW);
  CHECK(library != NULL && (touch = (void (*)(long*))dlsym(library, "add_in_plugin")) != NULL);
  for (int i = 0; i < 40; ++i) {
    pthread_t t;
    CHECK(pthread_create(&t, NULL, touch_own, NULL) == 0 && pthread_detach(t) == 0);
    while (__atomic_load_n(&touched, __ATOMIC_RELAXED) <= i) usleep(100);
    usleep(1000);  // until it has ended
  }
  begin();
  if (!racy) pthread_mutex_lock(&mutex);
  ++x;
  if (!racy) pthread_mutex_unlock(&mutex);
  finish();
}

// Found by the search path in the program's own file.
static void runpath(void) {
  void* const library = dlopen("libharsh-private.so", RTLD_NOW);
  if (library == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(library != NULL);
  CHECK(dlopen("libharsh-private.so", RTLD_NOW | RTLD_NOLOAD) == library);
  CHECK(dlopen("libharsh-none.so", RTLD_NOW) == NULL);
  CHECK(dlopen("libm.so.6", RTLD_NOW) != NULL);
  nothing();
}

// Of main, for all to see.
static void* add_there(void* there) {
  if (!racy) pthread_mutex_lock(&mutex);
  ++*(long*)there;
  if (!racy) pthread_mutex_unlock(&mutex);
  return NULL;
}
static void stack(void) {
  long local = 0;
  pthread_t a, b;
  CHECK(pthread_create(&a, NULL, add_there, &local) == 0 && pthread_create(&b, NULL, add_there, &local) == 0);
  CHECK(pthread_join(a, NULL) == 0 && pthread_join(b, NULL) == 0);
}

static void crash(void) {
  begin();
  *(volatile int*)8 = 1;
}
static void killed(void) {
  begin();
  kill(getpid(), SIGKILL);
}
static void aborts(void) {
  begin();
  abort();
}
static void leaves(void) {
  begin();
  exit(42);
}
static void leaves_at_once(void) {
  begin();
  _exit(43);
}
static void replaced(void) {
  begin();
  execl("/bin/sh", "sh", "-c", "exit 44", NULL);
}
// Goes on when the recorder is gone, with more than there was room for.
static void outlives(void) {
  const pid_t recorder = getppid();
  begin();
  while (__atomic_load_n(&rounds, __ATOMIC_RELAXED) < 200 * 1000) sched_yield();
  puts("recorded");
  fflush(stdout);
  while (getppid() == recorder) sched_yield();
  const int so_far = __atomic_load_n(&rounds, __ATOMIC_RELAXED);
  while (__atomic_load_n(&rounds, __ATOMIC_RELAXED) - so_far < 1000 * 1000) sched_yield();
  finish();
  puts("ended");
}
static void nothing(void) {
  begin();
  finish();
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {
    {"outlives", outlives},
    {"nothing", nothing},
    {"forks", forks},
    {"signals", signals},
    {"plugin", plugin},
    {"plugins", plugins},
    {"dynamic_tls", dynamic_tls},
    {"stack", stack},
    {"runpath", runpath},
    {"crash", crash},
    {"killed", killed},
    {"aborts", aborts},
    {"leaves", leaves},
    {"leaves_at_once", leaves_at_once},
    {"replaced", replaced},
};
enum { kCases = sizeof cases / sizeof *cases };

int main(int count, char** words) {
  CHECK(count > 1);
  racy = count > 2;
  for (int i = 0; i < kCases; ++i) {
    if (strcmp(words[1], cases[i].name) != 0) continue;
    cases[i].run();
    return 0;
  }
  return 1;
}
