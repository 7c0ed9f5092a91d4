// lives NAME [racy]: how threads begin and end, and memory that one gives back and another gets. With `racy`
// the order is missing.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static int x, racy;
static int turn, number_of_turns;
static char text[64];

static void set_turn(int value) { __atomic_store_n(&turn, value, __ATOMIC_RELAXED); }
static void wait_turn(int value) {
  while (__atomic_load_n(&turn, __ATOMIC_RELAXED) != value) sched_yield();
}

static void* write_x(void* unused) {
  x = 1;
  set_turn(1);
  return unused;
}

// Starts `run` and writes x when it is over, or beside it.
static void beside_or_behind(void* (*run)(void*)) {
  pthread_t t;
  CHECK(pthread_create(&t, NULL, run, NULL) == 0);
  if (racy) x = 2;
  CHECK(pthread_join(t, NULL) == 0);
  if (!racy) x = 2;
}

static void join(void) { beside_or_behind(write_x); }

static void* leave(void* unused) {
  x = 1;
  pthread_exit(unused);
}
static void exits(void) { beside_or_behind(leave); }

static pthread_key_t key;
static void destroy(void* value) { x = value != NULL; }
static void* set_key(void* unused) {
  CHECK(pthread_setspecific(key, &key) == 0);
  return unused;
}
static void key_destructor(void) {
  CHECK(pthread_key_create(&key, destroy) == 0);
  beside_or_behind(set_key);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static void unlock(void* unused) {
  (void)unused;
  x = 1;
  CHECK(pthread_mutex_unlock(&mutex) == 0);
}
static void* wait_for_ever(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  set_turn(1);
  while (1) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
  return unused;
}
// Cancelled in a wait: it holds the mutex again when it cleans up.
static void cancel(void) {
  pthread_t t;
  CHECK(pthread_create(&t, NULL, wait_for_ever, NULL) == 0);
  wait_turn(1);
  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_cancel(t) == 0);
  if (racy) x = 2;
  void* result;
  CHECK(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
  if (!racy) x = 2;
}

static void tried(void) {
  pthread_t t;
  CHECK(pthread_create(&t, NULL, write_x, NULL) == 0);
  if (racy) x = 2;
  int result;
  while ((result = pthread_tryjoin_np(t, NULL)) != 0) CHECK(result == EBUSY), sched_yield();
  if (!racy) x = 2;
}

static void timed(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 60;
  pthread_t t;
  CHECK(pthread_create(&t, NULL, write_x, NULL) == 0);
  if (racy) x = 2;
  CHECK(pthread_timedjoin_np(t, NULL, &until) == 0);
  if (!racy) x = 2;
}

static int write_x_c11(void* unused) {
  (void)unused;
  x = 1;
  return 7;
}
static void c11(void) {
  thrd_t t;
  int result;
  CHECK(thrd_create(&t, write_x_c11, NULL) == thrd_success);
  if (racy) x = 2;
  CHECK(thrd_join(t, &result) == thrd_success && result == 7);
  if (!racy) x = 2;
}

// What comes before the creation comes before the thread.
static void create(void) {
  pthread_t t;
  if (!racy) x = 2;
  CHECK(pthread_create(&t, NULL, write_x, NULL) == 0);
  if (racy) x = 2;
  CHECK(pthread_join(t, NULL) == 0);
}

// A detached thread orders nothing by its end.
static sem_t semaphore;
static void* detached_write(void* unused) {
  x = 1;
  if (!racy) sem_post(&semaphore);
  set_turn(1);
  return unused;
}
static void detached(void) {
  pthread_t t;
  sem_init(&semaphore, 0, 0);
  CHECK(pthread_create(&t, NULL, detached_write, NULL) == 0);
  CHECK(pthread_detach(t) == 0);
  if (!racy) sem_wait(&semaphore);
  wait_turn(1);
  x = 2;
}

// Joined by another than its creator, which knows it by itself alone.
static pthread_t self;
static void* tell_self(void* unused) {
  x = 1;
  self = pthread_self();
  sem_post(&semaphore);
  if (racy) x = 3;
  return unused;
}
static void* join_other(void* unused) {
  sem_wait(&semaphore);
  if (racy) x = 2;
  CHECK(pthread_join(self, NULL) == 0);
  if (!racy) x = 2;
  return unused;
}
static void other(void) {
  pthread_t t, u;
  sem_init(&semaphore, 0, 0);
  CHECK(pthread_create(&u, NULL, join_other, NULL) == 0);
  CHECK(pthread_create(&t, NULL, tell_self, NULL) == 0);
  CHECK(pthread_join(u, NULL) == 0);
}

// Blocks go from thread to thread through the heap, which orders nothing that is recorded. Racy: kept.
static void* volatile block;
static void* give_block(void* unused) {
  char* const b = malloc(1000);
  memset(b, 1, 1000);
  block = b;
  if (!racy) free(b);
  set_turn(1);
  return unused;
}
static void* get_block(void* unused) {
  wait_turn(1);
  // The heap of another thread: the same block only by chance, so it is tried often.
  for (int i = 0; i < 1000 && !racy; ++i) {
    char* const b = malloc(1000);
    memset(b, 2, 1000);
    free(b);
  }
  if (racy) memset(block, 2, 1000);
  return unused;
}
static void two(void* (*first)(void*), void* (*second)(void*)) {
  pthread_t a, b;
  CHECK(pthread_create(&a, NULL, first, NULL) == 0);
  CHECK(pthread_create(&b, NULL, second, NULL) == 0);
  CHECK(pthread_join(a, NULL) == 0 && pthread_join(b, NULL) == 0);
}
static void heap(void) { two(give_block, get_block); }

static void* give_pages(void* unused) {
  char* const b = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(b != MAP_FAILED);
  b[5] = 1;
  if (!racy) munmap(b, 65536);
  __atomic_store_n(&block, b, __ATOMIC_RELAXED);
  set_turn(1);
  return unused;
}
static void* get_pages(void* unused) {
  wait_turn(1);
  char* const at = __atomic_load_n(&block, __ATOMIC_RELAXED);
  char* b = at;
  // Somebody else, a new thread's stack say, may have the place by now.
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  if (!racy) b = mmap(at, 65536, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (b == at) b[5] = 2;
  return unused;
}
static void pages(void) { two(give_pages, get_pages); }

// The C library's functions touch memory too. (Of a text that is known, gcc writes the copy out, and does not
// instrument it.)
static const char* volatile source = "abc";
static void* copy_text(void* unused) {
  if (racy) {
    strcpy(text, source);
  } else {
    strcpy(text + 32, source);
  }
  set_turn(1);
  return unused;
}
static void* measure_text(void* unused) {
  wait_turn(1);
  CHECK(strlen(text) <= 3);
  return unused;
}
static void strings(void) { two(copy_text, measure_text); }

// A handler is its thread's.
static void on_signal(int number) {
  x = number;
  char* const b = malloc(10);
  free(b);
}
static void* raise_it(void* unused) {
  errno = 77;
  raise(SIGUSR1);
  CHECK(errno == 77);
  set_turn(1);
  return unused;
}
static void handler(void) {
  struct sigaction action = {.sa_handler = on_signal}, old;
  CHECK(sigaction(SIGUSR1, &action, &old) == 0 && old.sa_handler == SIG_DFL);
  CHECK(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == on_signal);
  CHECK(signal(SIGUSR2, on_signal) == SIG_DFL && signal(SIGUSR2, SIG_IGN) == on_signal);
  beside_or_behind(raise_it);
}

// Jumps, also out of handlers.
static jmp_buf from_depth;
static sigjmp_buf from_fault;
static void descend(int depth) {
  if (depth == 0) longjmp(from_depth, 5);
  descend(depth - 1);
  x = depth;
}
static void on_fault(int number, siginfo_t* info, void* machine) {
  (void)number, (void)info, (void)machine;
  siglongjmp(from_fault, 7);
}
static void* jump(void* unused) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
  for (volatile int i = 0; i < 1000; ++i) {
    const int depth = setjmp(from_depth);
    if (depth == 0) descend(100);
    CHECK(depth == 5);
    const int fault = sigsetjmp(from_fault, 1);
    if (fault == 0) *(volatile int*)8 = 1;
    CHECK(fault == 7);
  }
  x = 1;
  return unused;
}
static void jumps(void) { beside_or_behind(jump); }

// The child is not recorded; the parent goes on.
static void forked(void) {
  const pid_t child = fork();
  if (child == 0) {
    join();
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  join();
}

// What handlers do in the child is not the parent's.
static void in_child(void) {
  x = 5;
  __atomic_fetch_add(&turn, 100, __ATOMIC_SEQ_CST);
  CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
  memset(text, 1, sizeof text);
  free(malloc(100));
}
static void* write_and_stay(void* unused) {
  x = 1;
  memset(text, 2, sizeof text);
  set_turn(1);
  while (__atomic_load_n(&turn, __ATOMIC_RELAXED) != 2)
    __atomic_fetch_add(&number_of_turns, 1, __ATOMIC_RELAXED);
  return unused;
}
static void fork_handlers(void) {
  CHECK(pthread_atfork(NULL, NULL, in_child) == 0);
  pthread_t t;
  CHECK(pthread_create(&t, NULL, write_and_stay, NULL) == 0);
  wait_turn(1);
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(x == 5 ? 0 : 1);
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
  if (racy) x = 2;
  set_turn(2);
  CHECK(pthread_join(t, NULL) == 0);
}

// Made by other means, it runs no handlers, but is not the parent either.
static char clone_stack[65536];
static int cloned(void* unused) {
  (void)unused;
  x = 5;
  for (int i = 0; i < 100; ++i) __atomic_fetch_add(&number_of_turns, 1, __ATOMIC_SEQ_CST);
  return 7;
}
static void fork_otherwise(void) {
  pthread_t t;
  CHECK(pthread_create(&t, NULL, write_and_stay, NULL) == 0);
  wait_turn(1);
  for (int i = 0; i < 20; ++i) {
    pid_t child;
    if (i % 2 == 0) {
      child = clone(cloned, clone_stack + sizeof clone_stack, SIGCHLD, NULL);
    } else {
      child = i % 4 == 1 ? syscall(SYS_fork) : syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
      if (child == 0) _exit(cloned(NULL));
    }
    CHECK(child > 0);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
  }
  CHECK(syscall(SYS_close, -1) == -1 && errno == EBADF && syscall(SYS_getpid) == getpid());
  if (racy) x = 2;
  set_turn(2);
  CHECK(pthread_join(t, NULL) == 0);
}

// Registered here, run by whoever ends the program.
static void at_exit(void) { x = 3; }
static void* register_it(void* unused) {
  x = 1;
  if (!racy) atexit(at_exit);
  set_turn(1);
  return unused;
}
static void exit_handlers(void) {
  pthread_t t;
  CHECK(pthread_create(&t, NULL, register_it, NULL) == 0);
  wait_turn(1);
  if (racy) x = 2;
}

// More threads than slots or tables might have room for, some alive at once.
static void* count_up(void* unused) {
  pthread_mutex_lock(&mutex);
  ++x;
  pthread_mutex_unlock(&mutex);
  if (racy) ++x;
  return unused;
}
static void many(void) {
  enum { kRounds = 20, kThreads = 64 };
  pthread_t threads[kThreads];
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kThreads; ++i) CHECK(pthread_create(&threads[i], NULL, count_up, NULL) == 0);
    for (int i = 0; i < kThreads; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  }
  CHECK(racy || x == kRounds * kThreads);
}

static const struct {
  const char* name;
  void (*run)(void);
} lives[] = {
    {"join", join},
    {"exits", exits},
    {"key_destructor", key_destructor},
    {"cancel", cancel},
    {"tried", tried},
    {"timed", timed},
    {"c11", c11},
    {"create", create},
    {"detached", detached},
    {"other", other},
    {"heap", heap},
    {"pages", pages},
    {"strings", strings},
    {"handler", handler},
    {"jumps", jumps},
    {"forked", forked},
    {"fork_handlers", fork_handlers},
    {"fork_otherwise", fork_otherwise},
    {"exit_handlers", exit_handlers},
    {"many", many},
};
enum { kLives = sizeof lives / sizeof *lives };

int main(int count, char** words) {
  if (count == 1) {
    for (int i = 0; i < kLives; ++i) puts(lives[i].name);
    return 0;
  }
  racy = count > 2;
  for (int i = 0; i < kLives; ++i) {
    if (strcmp(words[1], lives[i].name) != 0) continue;
    lives[i].run();
    puts("1");
    return 0;
  }
  return 2;
}
