// signals NAME [racy]: order that goes by readiness of descriptors, signals, timers and processes. With
// `racy` what is written is written behind what gives the order.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/pidfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static int x, racy, turn;
static int fds[2], set, outer;
static pid_t child;
static pthread_t taking;
static timer_t timer;

static void set_turn(int value) { __atomic_store_n(&turn, value, __ATOMIC_RELAXED); }
static void wait_turn(int value) {
  while (__atomic_load_n(&turn, __ATOMIC_RELAXED) != value) sched_yield();
}

// Readiness. Nothing is read.
static void make_pipe(void) { CHECK(pipe(fds) == 0); }
static void give_pipe(void) { CHECK(write(fds[1], "x", 1) == 1); }
static void make_event(void) { CHECK((fds[0] = fds[1] = eventfd(0, 0)) >= 0); }
static void give_event(void) { CHECK(eventfd_write(fds[1], 1) == 0); }
static void make_timer(void) { CHECK((fds[0] = timerfd_create(CLOCK_MONOTONIC, 0)) >= 0); }
static void give_timer(void) {
  const struct itimerspec soon = {.it_value.tv_nsec = 1000};
  CHECK(timerfd_settime(fds[0], 0, &soon, NULL) == 0);
}
static void take_poll(void) {
  struct pollfd one[2] = {{.fd = -1}, {.fd = fds[0], .events = POLLIN}};
  CHECK(poll(one, 2, -1) == 1 && one[1].revents == POLLIN);
}
static void take_ppoll(void) {
  struct pollfd one = {.fd = fds[0], .events = POLLIN};
  CHECK(ppoll(&one, 1, NULL, NULL) == 1);
}
static void take_select(void) {
  fd_set in;
  FD_ZERO(&in);
  FD_SET(fds[0], &in);
  struct timeval patience = {.tv_sec = 60};
  CHECK(select(fds[0] + 1, &in, NULL, NULL, &patience) == 1 && FD_ISSET(fds[0], &in));
}
static void take_pselect(void) {
  fd_set in;
  FD_ZERO(&in);
  FD_SET(fds[0], &in);
  CHECK(pselect(fds[0] + 1, &in, NULL, NULL, NULL, NULL) == 1);
}
static void make_set(void) {
  make_pipe();
  struct epoll_event what = {.events = EPOLLIN, .data.ptr = &x};
  CHECK((set = epoll_create1(0)) >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, fds[0], &what) == 0);
}
static void make_changed_set(void) {
  make_set();
  struct epoll_event what = {.events = EPOLLIN, .data.u64 = 77};
  CHECK(epoll_ctl(set, EPOLL_CTL_MOD, fds[0], &what) == 0);
}
static void take_set(void) {
  struct epoll_event what;
  CHECK(epoll_wait(set, &what, 1, -1) == 1);
}
static void make_nested(void) {
  make_set();
  struct epoll_event what = {.events = EPOLLIN, .data.fd = set};
  CHECK((outer = epoll_create1(0)) >= 0 && epoll_ctl(outer, EPOLL_CTL_ADD, set, &what) == 0);
}
static void take_nested(void) {
  struct epoll_event what;
  CHECK(epoll_pwait(outer, &what, 1, -1, NULL) == 1);
}

// Changes of files.
static char name[64];
static void make_inotify(void) {
  strcpy(name, "/tmp/deadheat-XXXXXX");
  CHECK(mkdtemp(name) != NULL && (fds[0] = inotify_init1(0)) >= 0);
  CHECK(inotify_add_watch(fds[0], name, IN_CREATE | IN_DELETE_SELF) >= 0);
}
static void give_inotify(void) { CHECK(rmdir(name) == 0); }
static void take_inotify(void) {
  char events[1024];
  CHECK(read(fds[0], events, sizeof events) > 0);
}

// Signals without handlers.
static void block(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  CHECK(pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0);
  fds[0] = signalfd(-1, &signals, 0);
}
static void give_signal(void) { CHECK(kill(getpid(), SIGUSR1) == 0); }
static void take_signalfd(void) {
  struct signalfd_siginfo info;
  CHECK(read(fds[0], &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR1);
}
static void take_sigwait(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  int number;
  CHECK(sigwait(&signals, &number) == 0 && number == SIGUSR1);
}
static void take_sigwaitinfo(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  siginfo_t info;
  CHECK(sigwaitinfo(&signals, &info) == SIGUSR1);
}

// Handlers. What they touch is what the giver touched.
static void on_signal(int number) {
  x = 2;
  set_turn(number);
}
static void handle(void) {
  const struct sigaction action = {.sa_handler = on_signal};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
}
static void begin_taking(void) { set_turn(-1); }
static void take_handler(void) {
  begin_taking();
  wait_turn(SIGUSR1);
}
static void give_to_thread(void) {
  wait_turn(-1);
  CHECK(pthread_kill(taking, SIGUSR1) == 0);
}
static void give_queued(void) {
  wait_turn(-1);
  union sigval value = {.sival_int = 1};
  CHECK(pthread_sigqueue(taking, SIGUSR1, value) == 0);
}
// The signal is sent by who knows nothing; who sets the handler orders.
static void give_handler(void) { handle(), set_turn(-2); }
static void give_old_handler(void) { CHECK(signal(SIGUSR1, on_signal) == SIG_DFL), set_turn(-2); }
static void take_raised(void) {
  wait_turn(-2);
  syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);  // by no function that is intercepted
  wait_turn(SIGUSR1);
}
static void on_timer(union sigval value) {
  x = value.sival_int;
  set_turn(1);
}
static void start_timer(void) {
  const struct itimerspec soon = {.it_value.tv_nsec = 1000};
  CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
}
static void give_timer_thread(void) {
  struct sigevent event = {
      .sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer, .sigev_value.sival_int = 7};
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  start_timer();
}
static void make_timer_thread(void) {
  struct sigevent event = {
      .sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer, .sigev_value.sival_int = 7};
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
}
static void wait_for_timer(void) { wait_turn(1); }
static void make_timer_signal(void) {
  handle();
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
}
static void wait_for_handler(void) { wait_turn(SIGUSR1); }
static void handle_alarm(void) { CHECK(signal(SIGALRM, on_signal) == SIG_DFL); }
static void give_alarm(void) {
  const struct itimerval soon = {.it_value.tv_usec = 1};
  CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
}
static void wait_for_alarm(void) { wait_turn(SIGALRM); }

// Processes: one's end is learnt by another thread than made or ended it.
extern char** environ;
static void give_process(void) {
  char* words[] = {"true", NULL};
  CHECK(posix_spawnp(&child, "true", NULL, NULL, words, environ) == 0);
}
static void give_fork(void) {
  child = fork();
  if (child == 0) _exit(0);
}
static void take_process(void) {
  int status;
  pid_t ended;
  while ((ended = wait(&status)) < 0) CHECK(errno == ECHILD), sched_yield();
}
static void make_sleeper(void) {
  child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  CHECK((fds[0] = pidfd_open(child, 0)) >= 0);
}
static void end_sleeper(void) { CHECK(kill(child, SIGKILL) == 0); }

static void nothing(void) {}

static const struct {
  const char* name;
  void (*make)(void);
  void (*give)(void);
  void (*take)(void);
  int touched;  // 1: x is written by a handler, not by who takes
} cases[] = {
    {"poll", make_pipe, give_pipe, take_poll, 0},
    {"ppoll", make_pipe, give_pipe, take_ppoll, 0},
    {"select", make_pipe, give_pipe, take_select, 0},
    {"pselect", make_pipe, give_pipe, take_pselect, 0},
    {"epoll", make_set, give_pipe, take_set, 0},
    {"epoll_changed", make_changed_set, give_pipe, take_set, 0},
    {"epoll_nested", make_nested, give_pipe, take_nested, 0},
    {"event_poll", make_event, give_event, take_poll, 0},
    {"timerfd_poll", make_timer, give_timer, take_poll, 0},
    {"inotify", make_inotify, give_inotify, take_inotify, 0},
    {"inotify_poll", make_inotify, give_inotify, take_poll, 0},
    {"signalfd", block, give_signal, take_signalfd, 0},
    {"signalfd_poll", block, give_signal, take_poll, 0},
    {"sigwait", block, give_signal, take_sigwait, 0},
    {"sigwaitinfo", block, give_signal, take_sigwaitinfo, 0},
    {"pthread_kill", handle, give_to_thread, take_handler, 1},
    {"pthread_sigqueue", handle, give_queued, take_handler, 1},
    {"sigaction", nothing, give_handler, take_raised, 1},
    {"signal", nothing, give_old_handler, take_raised, 1},
    {"timer_thread", nothing, give_timer_thread, wait_for_timer, 1},
    {"timer_thread_set", make_timer_thread, start_timer, wait_for_timer, 1},
    {"timer_signal", make_timer_signal, start_timer, wait_for_handler, 1},
    {"alarm", handle_alarm, give_alarm, wait_for_alarm, 1},
    {"process", nothing, give_process, take_process, 0},
    {"forked_process", nothing, give_fork, take_process, 0},
    {"pidfd", make_sleeper, end_sleeper, take_poll, 0},
};
enum { kCases = sizeof cases / sizeof *cases };
static int chosen;

// Handlers run elsewhere.
static void* giver(void* unused) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigaddset(&signals, SIGALRM);
  CHECK(pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0);
  if (!racy) x = 1;
  cases[chosen].give();
  if (racy) x = 1;
  return unused;
}
static void* taker(void* unused) {
  cases[chosen].take();
  if (!cases[chosen].touched) x = 2;
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
  cases[chosen].make();
  pthread_t b;
  CHECK(pthread_create(&taking, NULL, taker, NULL) == 0);
  CHECK(pthread_create(&b, NULL, giver, NULL) == 0);
  CHECK(pthread_join(taking, NULL) == 0 && pthread_join(b, NULL) == 0);
  puts("1");
  return 0;
}
