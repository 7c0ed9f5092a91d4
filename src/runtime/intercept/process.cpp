// Processes: a forked child is not recorded. What vfork makes runs in its parent's memory until it is another
// program, as the parent.
//
// The child leaves the session before any handler of the program (pthread_atfork) runs in it: by a handler of
// ours, which is registered before all others, so that it is the last before the fork and the first behind
// it. In between no signal is taken, whose handler would write to the parent's streams in the child.
#include "runtime/intercept/process.h"

#include <errno.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/emit.h"
#include "runtime/intercept/descriptors.h"
#include "runtime/intercept/records.h"
#include "runtime/real.h"

namespace deadheat::runtime {

DEADHEAT_REAL(int, __register_atfork, (void (*prepare)(), void (*parent)(), void (*child)(), void* object),
              nullptr)

namespace {

constinit thread_local std::uint64_t t_signals_before __attribute__((tls_model("initial-exec"))) = 0;

void before_fork() { change_signals(~std::uint64_t{0}, &t_signals_before); }
void in_parent() { change_signals(t_signals_before, nullptr); }

void in_child() {
  if (g_recording) {
    __atomic_fetch_add(&g_session->lost.processes, 1, __ATOMIC_RELAXED);
    leave_session();
  }
  change_signals(t_signals_before, nullptr);
}

// Whoever learns of the child's end learns of what came before its beginning.
void sent_process(Address pc) {
  if (recording()) emit(Kind::send, object_of(Channel::processes), pc);
}

}  // namespace

void watch_forks() {
  static bool watching;
  if (__atomic_exchange_n(&watching, true, __ATOMIC_RELAXED)) return;
  REAL(__register_atfork)(before_fork, in_parent, in_child, nullptr);
}

// What pthread_atfork calls, which is part of every object. One may register before the runtime began.
extern "C" __attribute__((visibility("default"))) int __register_atfork(void (*prepare)(), void (*parent)(),
                                                                        void (*child)(), void* object) {
  watch_forks();
  return REAL(__register_atfork)(prepare, parent, child, object);
}

DEADHEAT_INTERCEPT(pid_t, fork, ()) {
  sent_process(DEADHEAT_CALLER);
  return REAL(fork)();
}

// Those who wait learn of what was before the child, and of signals that ended it.
namespace {

void received_process(bool success, Address pc) {
  if (success && recording()) emit(Kind::recv, object_of(Channel::processes), pc, kIfSent);
}

void writes(const void* p, std::size_t bytes, Address pc) {
  if (p != nullptr && recording()) emit_range(Kind::write_range, reinterpret_cast<Address>(p), bytes, pc);
}

pid_t waited(pid_t result, const int* status, const rusage* usage, Address pc) {
  received_process(result > 0, pc);
  if (result > 0) {
    writes(status, sizeof *status, pc);
    writes(usage, sizeof *usage, pc);
  }
  return result;
}

}  // namespace

DEADHEAT_INTERCEPT(pid_t, wait, (int* status)) {
  return waited(REAL(wait)(status), status, nullptr, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(pid_t, waitpid, (pid_t child, int* status, int options)) {
  return waited(REAL(waitpid)(child, status, options), status, nullptr, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(pid_t, wait3, (int* status, int options, rusage* usage)) {
  return waited(REAL(wait3)(status, options, usage), status, usage, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(pid_t, wait4, (pid_t child, int* status, int options, rusage* usage)) {
  return waited(REAL(wait4)(child, status, options, usage), status, usage, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(int, waitid, (idtype_t type, id_t id, siginfo_t* info, int options)) {
  const int result = REAL(waitid)(type, id, info, options);
  received_process(result == 0, DEADHEAT_CALLER);
  if (result == 0) writes(info, sizeof *info, DEADHEAT_CALLER);
  return result;
}

DEADHEAT_INTERCEPT_VERSION(int, posix_spawn,
                           (pid_t * child, const char* path, const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const* words,
                            char* const* environment),
                           "GLIBC_2.15") {
  sent_process(DEADHEAT_CALLER);
  return REAL(posix_spawn)(child, path, actions, attributes, words, environment);
}
DEADHEAT_INTERCEPT_VERSION(int, posix_spawnp,
                           (pid_t * child, const char* file, const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const* words,
                            char* const* environment),
                           "GLIBC_2.15") {
  sent_process(DEADHEAT_CALLER);
  return REAL(posix_spawnp)(child, file, actions, attributes, words, environment);
}

// Runs no handlers.
DEADHEAT_INTERCEPT(pid_t, _Fork, ()) {
  if (!g_recording) return REAL(_Fork)();
  sent_process(DEADHEAT_CALLER);
  std::uint64_t before;
  change_signals(~std::uint64_t{0}, &before);
  const pid_t child = REAL(_Fork)();
  if (child == 0) {
    __atomic_fetch_add(&g_session->lost.processes, 1, __ATOMIC_RELAXED);
    leave_session();
  }
  change_signals(before, nullptr);
  return child;
}

// A child with memory of its own is forked; it runs no handlers. One that shares memory runs as its parent,
// as that of vfork does.
namespace {

struct Cloned {
  int (*function)(void*);
  void* argument;
};

void forked_child() {
  if (!g_recording) return;
  __atomic_fetch_add(&g_session->lost.processes, 1, __ATOMIC_RELAXED);
  leave_session();
}

int run_clone(void* cloned) {
  const Cloned what = *static_cast<const Cloned*>(cloned);
  forked_child();
  return what.function(what.argument);
}

}  // namespace

// Declared with `...`; what may follow is in registers or, the last, on the stack.
DEADHEAT_REAL(int, clone,
              (int (*function)(void*), void* stack, int flags, void* argument, void* parent, void* tls,
               void* child),
              nullptr)
extern "C" __attribute__((visibility("default"))) int deadheat_clone(int (*function)(void*), void* stack,
                                                                     int flags, void* argument, void* parent,
                                                                     void* tls, void* child) asm("clone");
int deadheat_clone(int (*function)(void*), void* stack, int flags, void* argument, void* parent, void* tls,
                   void* child) {
  if (!g_recording || (flags & CLONE_VM) != 0) {
    return REAL(clone)(function, stack, flags, argument, parent, tls, child);
  }
  sent_process(DEADHEAT_CALLER);
  Cloned cloned{function, argument};
  return REAL(clone)(run_clone, stack, flags, &cloned, parent, tls, child);
}

// syscall(): it is written out, since a frame of ours would not survive a call that returns twice in the same
// memory (vfork). Forks come to the function below behind the call.
extern "C" __attribute__((visibility("hidden"), used)) void deadheat_forked_by_syscall() { forked_child(); }
extern "C" __attribute__((visibility("hidden"), used)) long deadheat_failed_syscall(long error) {
  errno = static_cast<int>(-error);
  return -1;
}
#ifdef DEADHEAT_STATIC_RUNTIME
asm(".weak syscall");
#else
asm(".globl syscall");
#endif
asm(R"(
.text
.type syscall, @function
syscall:
  .cfi_startproc
  mov %rdi, %rax
  mov %rsi, %rdi
  mov %rdx, %rsi
  mov %rcx, %rdx
  mov %r8, %r10
  mov %r9, %r8
  mov 8(%rsp), %r9
  cmp $57, %rax
  je 2f
  cmp $56, %rax
  jne 1f
  test $0x100, %edi
  je 2f
1:
  syscall
  cmp $-4095, %rax
  jae 3f
  ret
2:
  syscall
  test %rax, %rax
  jnz 4f
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  call deadheat_forked_by_syscall
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  xor %eax, %eax
  ret
4:
  cmp $-4095, %rax
  jae 3f
  ret
3:
  mov %rax, %rdi
  jmp deadheat_failed_syscall
  .cfi_endproc
.size syscall, . - syscall
)");
static_assert(SYS_fork == 57 && SYS_clone == 56 && CLONE_VM == 0x100);

}  // namespace deadheat::runtime
