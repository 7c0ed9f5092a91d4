// Processes: a forked child is not recorded. What vfork makes runs in its parent's memory until it is another
// program, as the parent.
#include <unistd.h>

#include "runtime/emit.h"
#include "runtime/real.h"

namespace deadheat::runtime {
namespace {

template <class Fork>
pid_t forked(const Fork& fork) {
  if (!g_recording) return fork();
  __atomic_fetch_add(&g_session->lost.processes, 1, __ATOMIC_RELAXED);
  const pid_t child = fork();
  if (child == 0) leave_session();
  if (child < 0) __atomic_fetch_sub(&g_session->lost.processes, 1, __ATOMIC_RELAXED);
  return child;
}

}  // namespace

DEADHEAT_INTERCEPT(pid_t, fork, ()) {
  return forked([] { return REAL(fork)(); });
}

DEADHEAT_INTERCEPT(pid_t, _Fork, ()) {
  return forked([] { return REAL(_Fork)(); });
}

// Comes back in the child alone, if it comes back with success.
DEADHEAT_INTERCEPT(int, daemon, (int keep_directory, int keep_streams)) {
  if (!g_recording) return REAL(daemon)(keep_directory, keep_streams);
  __atomic_fetch_add(&g_session->lost.processes, 1, __ATOMIC_RELAXED);
  const pid_t before = getpid();
  const int result = REAL(daemon)(keep_directory, keep_streams);
  if (getpid() != before) {
    leave_session();
  } else {
    __atomic_fetch_sub(&g_session->lost.processes, 1, __ATOMIC_RELAXED);
  }
  return result;
}

}  // namespace deadheat::runtime
