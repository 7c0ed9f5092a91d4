// Handlers of signals: they run when the signal comes, in a stream of their own. The program's handlers are
// kept here, and the kernel has ours; whoever asks is told the program's.
#include "runtime/intercept/signals.h"

#include <errno.h>
#include <signal.h>

#include "runtime/intercept/records.h"
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

bool in_range(int number) { return number > 0 && number < NSIG; }

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
sighandler_t set_plain(int number, sighandler_t wanted, Real* real) {
  if (!g_recording || !in_range(number)) return real(number, wanted);
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
  return set_plain(number, wanted, &REAL(signal));
}

DEADHEAT_INTERCEPT(sighandler_t, sysv_signal, (int number, sighandler_t wanted)) {
  return set_plain(number, wanted, &REAL(sysv_signal));
}

DEADHEAT_INTERCEPT(sighandler_t, __sysv_signal, (int number, sighandler_t wanted)) {
  return set_plain(number, wanted, &REAL(__sysv_signal));
}

DEADHEAT_INTERCEPT(sighandler_t, bsd_signal, (int number, sighandler_t wanted)) {
  return set_plain(number, wanted, &REAL(bsd_signal));
}

DEADHEAT_INTERCEPT(sighandler_t, ssignal, (int number, sighandler_t wanted)) {
  return set_plain(number, wanted, &REAL(ssignal));
}

DEADHEAT_INTERCEPT(sighandler_t, sigset, (int number, sighandler_t wanted)) {
  return set_plain(number, wanted, &REAL(sigset));
}

}  // namespace deadheat::runtime
