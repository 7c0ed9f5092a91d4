// Threads: their creation, end, join and names.
//
// fork is emitted before the real creation, join behind the real join. A thread ends in the destructor of a
// key that arms itself until the last round, so that the program's own destructors still belong to it:
// whether the thread returned, exited or was cancelled.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "runtime/callers.h"
#include "runtime/emit.h"
#include "runtime/intercept/jumps.h"
#include "runtime/intercept/records.h"
#include "runtime/intercept/threads.h"
#include "runtime/opaque_calls.h"
#include "runtime/real.h"

namespace deadheat::runtime {
namespace {

// A thread, from before its creation until it was joined, or was detached and ended.
struct Started {
  Started* next;  // in the bucket of its handle, or in the pool
  pthread_t handle;
  std::uint32_t number;
  bool listed;   // can be found by its handle
  bool created;  // its creator is done with it
  bool detached, ended, joined;
  void* (*start)(void*);
  thrd_start_t start_c11;
  void* argument;
};

constexpr std::size_t kBuckets = 4096;
SpinLock g_lock;
Pool<Started> g_pool;
Started* g_buckets[kBuckets];

pthread_key_t g_end_key;
bool g_end_key_made;
constinit thread_local Started* t_started __attribute__((tls_model("initial-exec"))) = {};

Started*& bucket_of(pthread_t handle) {
  // Handles are addresses within stacks: the page tells them apart.
  const std::uint64_t mixed = (handle >> 6) * 0x9e3779b97f4a7c15;
  return g_buckets[mixed >> 52];
}
static_assert(kBuckets == 1u << 12);

// The creator and the thread itself both come here: whoever is first lists it. g_lock is held.
void list(Started* thread, pthread_t handle) {
  if (thread->listed) return;
  thread->listed = true;
  thread->handle = handle;
  Started*& bucket = bucket_of(handle);
  thread->next = bucket;
  bucket = thread;
}

// g_lock is held.
void drop_if_done(Started* thread) {
  if (!thread->created || !(thread->joined || (thread->detached && thread->ended))) return;
  if (thread->listed) {
    Started** at = &bucket_of(thread->handle);
    while (*at != thread) at = &(*at)->next;
    *at = thread->next;
  }
  g_pool.give(thread);
}

// The thread that has the handle now. Who asks holds a handle that is valid, so the answer stays right while
// it is neither joined nor detached. g_lock is held.
Started* find(pthread_t handle) {
  Started* thread = bucket_of(handle);
  while (thread != nullptr && (thread->handle != handle || thread->joined)) thread = thread->next;
  return thread;
}

void end_of_thread(void* rounds) {
  const auto left = reinterpret_cast<std::uintptr_t>(rounds);
  if (left > 1 && pthread_setspecific(g_end_key, reinterpret_cast<void*>(left - 1)) == 0) return;
  if (!g_recording) return;
  forget_jumps();
  leave_thread();
  // What the C library still does for the thread (its arenas, its resolver) is no part of the program.
  t_self.in_runtime = 1;
  Started* const thread = t_started;
  if (thread == nullptr) return;
  const Locked locked(g_lock);
  thread->ended = true;
  drop_if_done(thread);
}

void arm_end(Started* thread) {
  t_started = thread;
  pthread_setspecific(g_end_key, reinterpret_cast<void*>(std::uintptr_t{PTHREAD_DESTRUCTOR_ITERATIONS}));
}

// The initial thread may end and be joined as well. It is listed when it makes its first thread.
void prepare() {
  if (__atomic_load_n(&g_end_key_made, __ATOMIC_ACQUIRE)) return;
  const Quiet quiet;
  {
    const Locked locked(g_lock);
    if (g_end_key_made) return;
    pthread_key_create(&g_end_key, end_of_thread);
    __atomic_store_n(&g_end_key_made, true, __ATOMIC_RELEASE);
  }
  if (getpid() != static_cast<pid_t>(system_call(SYS_gettid))) return;
  Started* initial;
  {
    const Locked locked(g_lock);
    initial = g_pool.take();
    if (initial == nullptr) return;
    initial->number = t_self.number;
    initial->created = true;
    list(initial, pthread_self());
  }
  arm_end(initial);
}

Started* new_started(Address pc) {
  prepare();
  Started* thread;
  {
    const Locked locked(g_lock);
    thread = g_pool.take();
  }
  if (thread == nullptr) return nullptr;
  thread->number = new_thread_number();
  emit_with_callers(Kind::fork, thread->number, pc);
  return thread;
}

void created(Started* thread, bool success, pthread_t handle) {
  const Locked locked(g_lock);
  if (!success) return g_pool.give(thread);
  list(thread, handle);
  thread->created = true;
  drop_if_done(thread);
}

void enter(Started* thread) {
  Address stack = 0;
  std::size_t bytes = 0;
  {
    // Before the thread is recorded, and quiet: this allocates in passing.
    const Quiet quiet;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      void* low = nullptr;
      if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) stack = reinterpret_cast<Address>(low);
      pthread_attr_destroy(&attributes);
    }
    arm_end(thread);
    const Locked locked(g_lock);
    list(thread, pthread_self());
  }
  enter_thread(thread->number, stack, bytes);
}

// Functions of the program, or of libraries, may run when a thread ends.
bool g_has_destructors;

// The thread's own function is called. std::thread's is in the C++ library: it calls the program's, and
// accesses only what it was handed by the thread's creator.
template <class Function>
void mark_start(Function* start) {
  const auto code = reinterpret_cast<Address>(start);
  __deadheat_call_mark = g_recording && is_in_library(code, "libstdc++.so") ? 0 : code;
}

void mark_end() {
  if (__atomic_load_n(&g_has_destructors, __ATOMIC_RELAXED)) __deadheat_call_mark = kNotInstrumented;
}

void* run(void* argument) {
  auto* const thread = static_cast<Started*>(argument);
  auto* const start = thread->start;
  void* const users = thread->argument;
  enter(thread);
  mark_start(start);
  void* const result = start(users);
  mark_end();
  return result;
}

int run_c11(void* argument) {
  auto* const thread = static_cast<Started*>(argument);
  auto* const start = thread->start_c11;
  void* const users = thread->argument;
  enter(thread);
  mark_start(start);
  const int result = start(users);
  mark_end();
  return result;
}

Started* find_locked(pthread_t handle) {
  const Locked locked(g_lock);
  return find(handle);
}

// `thread` was found before the real join: behind it, its handle may already belong to another.
void joined(Started* thread, Address pc) {
  if (thread == nullptr) return;
  std::uint32_t number;
  {
    const Locked locked(g_lock);
    number = thread->number;
    thread->joined = true;
    drop_if_done(thread);
  }
  if (recording()) emit(Kind::join, number, pc);
}

// That it has not ended is something that a thread can learn.
void not_joined(const Started* thread, Address pc) {
  if (thread == nullptr || !recording()) return;
  std::uint32_t number;
  {
    const Locked locked(g_lock);
    number = thread->number;
  }
  emit(Kind::try_join_failed, number, pc);
}

// A thread that ended stays listed until somebody may not ask for it any more.
void detach(pthread_t handle) {
  const Locked locked(g_lock);
  if (Started* const thread = find(handle)) {
    thread->detached = true;
    drop_if_done(thread);
  }
}

bool made_detached(const pthread_attr_t* attributes) {
  int state = PTHREAD_CREATE_JOINABLE;
  return attributes != nullptr && pthread_attr_getdetachstate(attributes, &state) == 0 &&
         state == PTHREAD_CREATE_DETACHED;
}

template <class Real>
int quietly(const Real& real) {
  const Quiet quiet;
  return real();
}

void emit_name(std::uint32_t number, const char* name, Address pc) {
  constexpr std::size_t kMost = 16;
  std::uint64_t words[2] = {};
  for (std::size_t i = 0; i < kMost && name[i] != 0; ++i) {
    words[i / 8] |= std::uint64_t{static_cast<unsigned char>(name[i])} << i % 8 * 8;
  }
  emit_with(Kind::thread_name, number, pc, words[0], words[1]);
}

}  // namespace

void enter_unseen_thread() {
  if (!g_recording || t_self.slot != nullptr || t_self.ended != 0) return;
  prepare();
  Started* thread;
  {
    const Locked locked(g_lock);
    thread = g_pool.take();
  }
  if (thread == nullptr) return;
  thread->number = new_thread_number();
  thread->created = thread->detached = true;
  enter(thread);
}

// While it makes a thread, the C library frees what dead ones left in the memory that it uses again: no
// access of the program.

DEADHEAT_INTERCEPT(int, pthread_create,
                   (pthread_t * handle, const pthread_attr_t* attributes, void* (*start)(void*),
                    void* argument)) {
  if (!g_recording) return REAL(pthread_create)(handle, attributes, start, argument);
  Started* const thread = new_started(DEADHEAT_CALLER);
  if (thread == nullptr) return EAGAIN;
  thread->start = start;
  thread->argument = argument;
  thread->detached = made_detached(attributes);
  const int result = quietly([&] { return REAL(pthread_create)(handle, attributes, run, thread); });
  created(thread, result == 0, result == 0 ? *handle : 0);
  return result;
}

DEADHEAT_INTERCEPT(int, thrd_create, (thrd_t * handle, thrd_start_t start, void* argument)) {
  if (!g_recording) return REAL(thrd_create)(handle, start, argument);
  Started* const thread = new_started(DEADHEAT_CALLER);
  if (thread == nullptr) return thrd_nomem;
  thread->start_c11 = start;
  thread->argument = argument;
  const int result = quietly([&] { return REAL(thrd_create)(handle, run_c11, thread); });
  created(thread, result == thrd_success, result == thrd_success ? *handle : 0);
  return result;
}

DEADHEAT_INTERCEPT(int, pthread_key_create, (pthread_key_t * key, void (*destructor)(void*))) {
  if (destructor != nullptr && recording()) __atomic_store_n(&g_has_destructors, true, __ATOMIC_RELAXED);
  return REAL(pthread_key_create)(key, destructor);
}

DEADHEAT_INTERCEPT(int, __cxa_thread_atexit_impl, (void (*destructor)(void*), void* argument, void* object)) {
  __atomic_store_n(&g_has_destructors, true, __ATOMIC_RELAXED);
  return REAL(__cxa_thread_atexit_impl)(destructor, argument, object);
}

DEADHEAT_INTERCEPT(int, pthread_join, (pthread_t handle, void** value)) {
  if (!g_recording) return REAL(pthread_join)(handle, value);
  Started* const thread = find_locked(handle);
  const int result = REAL(pthread_join)(handle, value);
  if (result == 0) joined(thread, DEADHEAT_CALLER);
  return result;
}

DEADHEAT_INTERCEPT(int, pthread_tryjoin_np, (pthread_t handle, void** value)) {
  if (!g_recording) return REAL(pthread_tryjoin_np)(handle, value);
  Started* const thread = find_locked(handle);
  const int result = REAL(pthread_tryjoin_np)(handle, value);
  if (result == 0) joined(thread, DEADHEAT_CALLER);
  if (result == EBUSY || result == ETIMEDOUT) not_joined(thread, DEADHEAT_CALLER);
  return result;
}

DEADHEAT_INTERCEPT(int, pthread_timedjoin_np, (pthread_t handle, void** value, const timespec* until)) {
  if (!g_recording) return REAL(pthread_timedjoin_np)(handle, value, until);
  Started* const thread = find_locked(handle);
  const int result = REAL(pthread_timedjoin_np)(handle, value, until);
  if (result == 0) joined(thread, DEADHEAT_CALLER);
  if (result == EBUSY || result == ETIMEDOUT) not_joined(thread, DEADHEAT_CALLER);
  return result;
}

DEADHEAT_INTERCEPT(int, pthread_clockjoin_np,
                   (pthread_t handle, void** value, clockid_t clock, const timespec* until)) {
  if (!g_recording) return REAL(pthread_clockjoin_np)(handle, value, clock, until);
  Started* const thread = find_locked(handle);
  const int result = REAL(pthread_clockjoin_np)(handle, value, clock, until);
  if (result == 0) joined(thread, DEADHEAT_CALLER);
  if (result == EBUSY || result == ETIMEDOUT) not_joined(thread, DEADHEAT_CALLER);
  return result;
}

DEADHEAT_INTERCEPT(int, thrd_join, (thrd_t handle, int* value)) {
  if (!g_recording) return REAL(thrd_join)(handle, value);
  Started* const thread = find_locked(handle);
  const int result = REAL(thrd_join)(handle, value);
  if (result == thrd_success) joined(thread, DEADHEAT_CALLER);
  return result;
}

// Before the real one: behind it the handle may already belong to another thread.
DEADHEAT_INTERCEPT(int, pthread_detach, (pthread_t handle)) {
  if (g_recording) detach(handle);
  return REAL(pthread_detach)(handle);
}

DEADHEAT_INTERCEPT(int, thrd_detach, (thrd_t handle)) {
  if (g_recording) detach(handle);
  return REAL(thrd_detach)(handle);
}

DEADHEAT_INTERCEPT(int, pthread_setname_np, (pthread_t handle, const char* name)) {
  const int result = REAL(pthread_setname_np)(handle, name);
  if (result != 0 || !recording()) return result;
  if (handle == pthread_self()) {
    emit_name(t_self.number, name, DEADHEAT_CALLER);
    return result;
  }
  std::uint32_t number = 0;
  {
    const Locked locked(g_lock);
    const Started* const thread = find(handle);
    if (thread == nullptr) return result;
    number = thread->number;
  }
  emit_name(number, name, DEADHEAT_CALLER);
  return result;
}

// Declared with `...`; every argument is a register on this machine.
DEADHEAT_REAL(int, prctl, (int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d),
              nullptr)
extern "C" __attribute__((visibility("default"))) int deadheat_prctl(int option, unsigned long a,
                                                                     unsigned long b, unsigned long c,
                                                                     unsigned long d) asm("prctl");
int deadheat_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
  const int result = REAL(prctl)(option, a, b, c, d);
  if (option == PR_SET_NAME && result == 0 && recording()) {
    emit_name(t_self.number, reinterpret_cast<const char*>(a), DEADHEAT_CALLER);
  }
  return result;
}

}  // namespace deadheat::runtime
