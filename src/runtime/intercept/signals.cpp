// Handlers of signals: they run when the signal comes, in a stream of their own. The program's handlers are
// kept here, and the kernel has ours; whoever asks is told the program's.
//
// What came before a handler was set, a signal sent or a timer made comes before the handler runs, in
// whichever thread. All of a signal's number is one channel, as all timers are one: that may order too much,
// as where two threads send the same signal and each has its own handler's run in mind.
#include "runtime/intercept/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "runtime/intercept/descriptors.h"
#include "runtime/intercept/records.h"
#include "runtime/intercept/threads.h"
#include "runtime/opaque_calls.h"
#include "runtime/real.h"

namespace deadheat::runtime {

constinit thread_local HandlerFrame* t_handlers __attribute__((tls_model("initial-exec"))) = nullptr;

void leave_handlers(const HandlerFrame* until) {
  const HandlerFrame* frame = t_handlers;
  while (frame != nullptr && frame != until) frame = frame->outer;
  if (frame != until) return;  // not of this thread's present
  while (t_handlers != until) {
    leave_handler(t_handlers->interrupted);
    t_handlers = t_handlers->outer;
  }
}

namespace {

constexpr std::uint64_t kSignals = kDescriptor + (std::uint64_t{1} << 41);
std::uint64_t g_sent;  // a bit for each signal that was sent to
bool g_timers_used;

bool in_range(int number) { return number > 0 && number < NSIG; }
std::uint64_t bit_of(int number) { return std::uint64_t{1} << (number - 1); }

void receive_signal(int number, Address pc) {
  if (in_range(number) && (__atomic_load_n(&g_sent, __ATOMIC_ACQUIRE) & bit_of(number)) != 0) {
    emit(Kind::recv, kSignals + static_cast<unsigned>(number), pc, kIfSent);
  }
  if (__atomic_load_n(&g_timers_used, __ATOMIC_RELAXED)) {
    emit(Kind::recv, object_of(Channel::timers), pc, kIfSent);
  }
  // The end of a process tells what came before its beginning.
  if (number == SIGCHLD) emit(Kind::recv, object_of(Channel::processes), pc, kIfSent);
}

void send_to_timers(Address pc) {
  if (!recording()) return;
  __atomic_store_n(&g_timers_used, true, __ATOMIC_RELAXED);
  emit(Kind::send, object_of(Channel::timers), pc);
}

}  // namespace

void send_to_signal(int number, Address pc) {
  if (!in_range(number) || !recording()) return;
  __atomic_fetch_or(&g_sent, bit_of(number), __ATOMIC_RELEASE);
  emit(Kind::send, kSignals + static_cast<unsigned>(number), pc);
}

void receive_signals(Address pc) {
  if (!recording()) return;
  for (int number = 1; number < NSIG; ++number) {
    if ((__atomic_load_n(&g_sent, __ATOMIC_ACQUIRE) & bit_of(number)) != 0) receive_signal(number, pc);
  }
}

namespace {

// On this machine the kernel passes three arguments, also to handlers that take one.
using Handler = void (*)(int, siginfo_t*, void*);
Handler full(sighandler_t plain) { return reinterpret_cast<Handler>(reinterpret_cast<void*>(plain)); }
sighandler_t plain(Handler full) { return reinterpret_cast<sighandler_t>(reinterpret_cast<void*>(full)); }

Handler g_handlers[NSIG];
SpinLock g_lock;

void on_signal(int number, siginfo_t* info, void* machine) {
  const Handler handler = __atomic_load_n(&g_handlers[number], __ATOMIC_ACQUIRE);
  if (!g_recording) return handler(number, info, machine);
  const int saved = errno;
  HandlerFrame frame;
  enter_handler(frame.interrupted);
  frame.outer = t_handlers;
  t_handlers = &frame;
  if (recording()) receive_signal(number, reinterpret_cast<Address>(handler));
  errno = saved;
  {
    const MarkedCall marked(handler, 0);
    handler(number, info, machine);
  }
  const int left = errno;
  t_handlers = frame.outer;
  leave_handler(frame.interrupted);
  errno = left;
}

bool is_function(Handler handler) {
  const auto as_number = reinterpret_cast<std::intptr_t>(handler);
  return as_number > 2 || as_number < -1;  // SIG_DFL, SIG_IGN, SIG_HOLD; SIG_ERR
}

// Sets what runs for a signal by `set`, which gets what to tell the kernel and returns what the kernel had,
// or SIG_ERR. What the program is to be told that it had.
template <class Set>
Handler change(int number, Handler wanted, const Set& set) {
  const NoSignals no_signals;
  const Locked locked(g_lock);
  const Handler before = g_handlers[number];
  if (is_function(wanted)) __atomic_store_n(&g_handlers[number], wanted, __ATOMIC_RELEASE);
  const Handler had = set(is_function(wanted) ? &on_signal : wanted);
  if (had == full(SIG_ERR)) {
    __atomic_store_n(&g_handlers[number], before, __ATOMIC_RELEASE);
  }
  return had == &on_signal ? before : had;
}

template <class Real>
sighandler_t set_plain(int number, sighandler_t wanted, Address pc, Real* real) {
  if (!g_recording || !in_range(number)) return real(number, wanted);
  send_to_signal(number, pc);
  int error = errno;
  const Handler told = change(number, full(wanted), [&](Handler handler) {
    const Handler had = full(real(number, plain(handler)));
    error = errno;
    return had;
  });
  errno = error;
  return plain(told);
}

}  // namespace

DEADHEAT_INTERCEPT(int, sigaction, (int number, const struct sigaction* wanted, struct sigaction* before)) {
  if (!g_recording || !in_range(number)) return REAL(sigaction)(number, wanted, before);
  int result = 0, error = errno;
  struct sigaction had;
  if (wanted == nullptr) {
    // Asked for only. The table is read under its lock: it belongs to what the kernel has.
    const NoSignals no_signals;
    const Locked locked(g_lock);
    result = REAL(sigaction)(number, nullptr, &had);
    error = errno;
    if (result == 0 && had.sa_sigaction == &on_signal) had.sa_sigaction = g_handlers[number];
  } else {
    struct sigaction ours = *wanted;
    send_to_signal(number, DEADHEAT_CALLER);
    had.sa_sigaction = change(number, ours.sa_sigaction, [&](Handler handler) {
      ours.sa_sigaction = handler;
      result = REAL(sigaction)(number, &ours, &had);
      error = errno;
      return result == 0 ? had.sa_sigaction : full(SIG_ERR);
    });
  }
  errno = error;
  if (result == 0 && before != nullptr) *before = had;
  return result;
}

DEADHEAT_INTERCEPT(sighandler_t, signal, (int number, sighandler_t wanted)) {
  return set_plain(number, wanted, DEADHEAT_CALLER, &REAL(signal));
}

DEADHEAT_INTERCEPT(sighandler_t, sysv_signal, (int number, sighandler_t wanted)) {
  return set_plain(number, wanted, DEADHEAT_CALLER, &REAL(sysv_signal));
}

DEADHEAT_INTERCEPT(sighandler_t, __sysv_signal, (int number, sighandler_t wanted)) {
  return set_plain(number, wanted, DEADHEAT_CALLER, &REAL(__sysv_signal));
}

DEADHEAT_INTERCEPT(sighandler_t, bsd_signal, (int number, sighandler_t wanted)) {
  return set_plain(number, wanted, DEADHEAT_CALLER, &REAL(bsd_signal));
}

DEADHEAT_INTERCEPT(sighandler_t, ssignal, (int number, sighandler_t wanted)) {
  return set_plain(number, wanted, DEADHEAT_CALLER, &REAL(ssignal));
}

DEADHEAT_INTERCEPT(sighandler_t, sigset, (int number, sighandler_t wanted)) {
  return set_plain(number, wanted, DEADHEAT_CALLER, &REAL(sigset));
}

// Sending.

namespace {

// Others that are signalled may end by it.
void sending(pid_t process, int number, Address pc) {
  if (!recording()) return;
  send_to_signal(number, pc);
  if (process != static_cast<pid_t>(g_session->program)) emit(Kind::send, object_of(Channel::processes), pc);
}

}  // namespace

DEADHEAT_INTERCEPT(int, kill, (pid_t process, int number)) {
  sending(process, number, DEADHEAT_CALLER);
  return REAL(kill)(process, number);
}
DEADHEAT_INTERCEPT(int, killpg, (pid_t group, int number)) {
  sending(-group, number, DEADHEAT_CALLER);
  return REAL(killpg)(group, number);
}
DEADHEAT_INTERCEPT(int, tgkill, (pid_t process, pid_t thread, int number)) {
  sending(process, number, DEADHEAT_CALLER);
  return REAL(tgkill)(process, thread, number);
}
DEADHEAT_INTERCEPT(int, sigqueue, (pid_t process, int number, const sigval value)) {
  sending(process, number, DEADHEAT_CALLER);
  return REAL(sigqueue)(process, number, value);
}
DEADHEAT_INTERCEPT(int, pidfd_send_signal, (int process, int number, siginfo_t* info, unsigned flags)) {
  sending(-1, number, DEADHEAT_CALLER);
  return REAL(pidfd_send_signal)(process, number, info, flags);
}
DEADHEAT_INTERCEPT(int, raise, (int number)) {
  send_to_signal(number, DEADHEAT_CALLER);
  return REAL(raise)(number);
}
DEADHEAT_INTERCEPT(int, pthread_kill, (pthread_t thread, int number)) {
  send_to_signal(number, DEADHEAT_CALLER);
  return REAL(pthread_kill)(thread, number);
}
DEADHEAT_INTERCEPT(int, pthread_sigqueue, (pthread_t thread, int number, const sigval value)) {
  send_to_signal(number, DEADHEAT_CALLER);
  return REAL(pthread_sigqueue)(thread, number, value);
}

// Waiting without a handler.

namespace {

int waited(int number, const siginfo_t* info, Address pc) {
  if (number <= 0 || !recording()) return number;
  receive_signal(number, pc);
  if (info != nullptr) emit_range(Kind::write_range, reinterpret_cast<Address>(info), sizeof *info, pc);
  return number;
}

}  // namespace

DEADHEAT_INTERCEPT(int, sigwait, (const sigset_t* set, int* number)) {
  const int result = REAL(sigwait)(set, number);
  if (result != 0 || !recording()) return result;
  receive_signal(*number, DEADHEAT_CALLER);
  emit_range(Kind::write_range, reinterpret_cast<Address>(number), sizeof *number, DEADHEAT_CALLER);
  return result;
}
DEADHEAT_INTERCEPT(int, sigwaitinfo, (const sigset_t* set, siginfo_t* info)) {
  return waited(REAL(sigwaitinfo)(set, info), info, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(int, sigtimedwait, (const sigset_t* set, siginfo_t* info, const timespec* patience)) {
  return waited(REAL(sigtimedwait)(set, info, patience), info, DEADHEAT_CALLER);
}

// Signals that a thread lets through may have been held back for others: what came before is theirs to know.
namespace {

void sends_to_all(const sigset_t* set, Address pc) {
  if (set == nullptr || !recording()) return;
  const std::uint64_t numbers = set->__val[0];
  for (int number = 1; number < NSIG; ++number) {
    if ((numbers & bit_of(number)) != 0 &&
        is_function(__atomic_load_n(&g_handlers[number], __ATOMIC_RELAXED))) {
      send_to_signal(number, pc);
    }
  }
}

}  // namespace

DEADHEAT_INTERCEPT(int, pthread_sigmask, (int how, const sigset_t* set, sigset_t* before)) {
  sends_to_all(set, DEADHEAT_CALLER);
  return REAL(pthread_sigmask)(how, set, before);
}
DEADHEAT_INTERCEPT(int, sigprocmask, (int how, const sigset_t* set, sigset_t* before)) {
  sends_to_all(set, DEADHEAT_CALLER);
  return REAL(sigprocmask)(how, set, before);
}

// Timers.

namespace {

struct Timer {
  Timer* next;
  void (*function)(sigval);
  sigval value;
};
Pool<Timer> g_timers;

// In a thread that the C library makes.
void on_timer(sigval value) {
  const Timer timer = *static_cast<const Timer*>(value.sival_ptr);
  if (g_recording) {
    enter_unseen_thread();
    emit(Kind::recv, object_of(Channel::timers), reinterpret_cast<Address>(timer.function), kIfSent);
  }
  timer.function(timer.value);
}

int number_of(int which) {
  return which == ITIMER_REAL ? SIGALRM : which == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF;
}

}  // namespace

// What the record of a timer holds is used as long as the timer may fire, which nobody tells: it is kept.
DEADHEAT_INTERCEPT(int, timer_create, (clockid_t clock, sigevent* event, timer_t* made)) {
  send_to_timers(DEADHEAT_CALLER);
  if (!g_recording || event == nullptr || event->sigev_notify != SIGEV_THREAD) {
    return REAL(timer_create)(clock, event, made);
  }
  Timer* timer;
  {
    const NoSignals no_signals;
    const Locked locked(g_lock);
    timer = g_timers.take();
  }
  if (timer == nullptr) return REAL(timer_create)(clock, event, made);
  timer->function = event->sigev_notify_function;
  timer->value = event->sigev_value;
  sigevent ours = *event;
  ours.sigev_notify_function = on_timer;
  ours.sigev_value.sival_ptr = timer;
  return REAL(timer_create)(clock, &ours, made);
}
DEADHEAT_INTERCEPT(int, timer_settime,
                   (timer_t timer, int flags, const itimerspec* wanted, itimerspec* before)) {
  send_to_timers(DEADHEAT_CALLER);
  return REAL(timer_settime)(timer, flags, wanted, before);
}
DEADHEAT_INTERCEPT(int, setitimer, (__itimer_which_t which, const itimerval* wanted, itimerval* before)) {
  send_to_signal(number_of(which), DEADHEAT_CALLER);
  return REAL(setitimer)(which, wanted, before);
}
DEADHEAT_INTERCEPT(unsigned, alarm, (unsigned seconds)) {
  send_to_signal(SIGALRM, DEADHEAT_CALLER);
  return REAL(alarm)(seconds);
}
DEADHEAT_INTERCEPT(useconds_t, ualarm, (useconds_t first, useconds_t then)) {
  send_to_signal(SIGALRM, DEADHEAT_CALLER);
  return REAL(ualarm)(first, then);
}

}  // namespace deadheat::runtime
