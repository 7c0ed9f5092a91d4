// gcc's OpenMP: libgomp is not instrumented, so what its functions order is said here. clang's runtime says
// so itself, through Archer; of functions that both have, calls into others than libgomp pass through.
//
// A team of threads is a barrier and some channels, a task is a channel to who runs it. Who waits for tasks
// of a group or a barrier learns of all that have ended in the team: an order too many rather than one too
// few.
#include <dlfcn.h>

#include <initializer_list>

#include "runtime/emit.h"
#include "runtime/intercept/descriptors.h"
#include "runtime/real.h"

namespace deadheat::runtime {
namespace {

using Function = void (*)(void*);
using Copy = void (*)(void*, void*);

// Objects that are no addresses: some a team, one a task.
constexpr std::uint64_t kTeams = kDescriptor + (std::uint64_t{1} << 42);
constexpr std::uint64_t kTasks = kDescriptor + (std::uint64_t{1} << 43);
std::uint64_t g_teams, g_tasks;

struct Team {
  std::uintptr_t first_word;  // of what the program passes, for libgomp looks at it
  Function function;
  void* data;
  std::uint64_t number;
  Address pc;

  static constexpr std::uint64_t kObjects = 8;
  std::uint64_t object(unsigned which) const { return kTeams + kObjects * number + which; }
  std::uint64_t begin() const { return object(0); }
  std::uint64_t end() const { return object(1); }
  std::uint64_t tasks() const { return object(2); }  // that have ended
  std::uint64_t ordered() const { return object(3); }
  std::uint64_t copied() const { return object(4); }
  std::uint64_t barrier() const { return object(5); }
};

// What the thread is part of. Tasks run in between, of the same team or an inner one.
struct Place {
  Team* team;
  std::uint64_t task;  // the channel of its children's ends
};
constinit thread_local Place t_place __attribute__((tls_model("initial-exec"))) = {};

std::uint64_t new_task() { return kTasks + __atomic_add_fetch(&g_tasks, 1, __ATOMIC_RELAXED); }

void send(std::uint64_t object, Address pc) {
  if (recording()) emit(Kind::send, object, pc);
}
void receive(std::uint64_t object, Address pc) {
  if (recording()) emit(Kind::recv, object, pc, kIfSent);
}
void forget(Kind kind, std::uint64_t object, Address pc) {
  if (recording()) emit(kind, object, pc);
}

bool is_libgomp(const void* function) {
  Dl_info info;
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return false;
  const char* const name = "libgomp";
  for (const char* c = info.dli_fname; *c != 0; ++c) {
    unsigned i = 0;
    while (name[i] != 0 && c[i] == name[i]) ++i;
    if (name[i] == 0) return true;
  }
  return false;
}

// Asked once: a program has one OpenMP.
bool is_ours() {
  static int known;
  int is = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (is == 0) {
    const void* const found = find_real("GOMP_parallel", nullptr, false);
    is = found != nullptr && is_libgomp(found) ? 1 : -1;
    __atomic_store_n(&known, is, __ATOMIC_RELAXED);
  }
  return is > 0;
}

// Teams.

void run_in_team(void* argument) {
  auto* const team = static_cast<Team*>(argument);
  const Place before = t_place;
  const std::uint64_t task = new_task();
  t_place = {team, task};
  receive(team->begin(), team->pc);
  team->function(team->data);
  send(team->end(), team->pc);
  if (recording()) emit(Kind::forget_channel, task, team->pc);
  t_place = before;
}

template <class Real>
auto in_team(Function function, void* data, bool looks_at_data, Address pc, const Real& real) {
  Team team{looks_at_data ? *static_cast<std::uintptr_t*>(data) : 0, function, data,
            __atomic_add_fetch(&g_teams, 1, __ATOMIC_RELAXED), pc};
  send(team.begin(), pc);
  const unsigned result = real(&team);
  receive(team.end(), pc);
  receive(team.tasks(), pc);
  forget(Kind::forget_barrier, team.barrier(), pc);
  for (const std::uint64_t object : {team.begin(), team.end(), team.tasks(), team.ordered(), team.copied()}) {
    forget(Kind::forget_channel, object, pc);
  }
  return result;
}

template <class Real>
auto at_barrier(Address pc, const Real& real) {
  const Team* const team = t_place.team;
  if (team == nullptr || !recording()) return real();
  const std::uint64_t object = team->barrier();
  emit(Kind::barrier_enter, object, pc);
  const auto result = real();
  if (recording()) emit(Kind::barrier_exit, object, pc);
  receive(team->tasks(), pc);
  return result;
}

}  // namespace

#define DEADHEAT_TEAM(name, parameters, ...)                                        \
  DEADHEAT_INTERCEPT(void, name, parameters) {                                      \
    if (!recording() || !is_ours()) return REAL(name)(function, data, __VA_ARGS__); \
    in_team(function, data, false, DEADHEAT_CALLER, [&](Team* team) {               \
      REAL(name)(run_in_team, team, __VA_ARGS__);                                   \
      return 0u;                                                                    \
    });                                                                             \
  }
#define DEADHEAT_TEAM_LOOP(name)                                                                   \
  DEADHEAT_TEAM(name,                                                                              \
                (Function function, void* data, unsigned threads, long start, long end, long step, \
                 long chunk, unsigned flags),                                                      \
                threads, start, end, step, chunk, flags)
#define DEADHEAT_TEAM_RUNTIME_LOOP(name)                                                                  \
  DEADHEAT_TEAM(                                                                                          \
      name,                                                                                               \
      (Function function, void* data, unsigned threads, long start, long end, long step, unsigned flags), \
      threads, start, end, step, flags)
DEADHEAT_TEAM(GOMP_parallel, (Function function, void* data, unsigned threads, unsigned flags), threads,
              flags)
DEADHEAT_TEAM_LOOP(GOMP_parallel_loop_static)
DEADHEAT_TEAM_LOOP(GOMP_parallel_loop_dynamic)
DEADHEAT_TEAM_LOOP(GOMP_parallel_loop_guided)
DEADHEAT_TEAM_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
DEADHEAT_TEAM_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
DEADHEAT_TEAM_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
DEADHEAT_TEAM_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
DEADHEAT_TEAM_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
DEADHEAT_TEAM(GOMP_parallel_sections,
              (Function function, void* data, unsigned threads, unsigned count, unsigned flags), threads,
              count, flags)
DEADHEAT_INTERCEPT(unsigned, GOMP_parallel_reductions,
                   (Function function, void* data, unsigned threads, unsigned flags)) {
  if (!recording() || !is_ours()) return REAL(GOMP_parallel_reductions)(function, data, threads, flags);
  return in_team(function, data, true, DEADHEAT_CALLER, [&](Team* team) {
    return REAL(GOMP_parallel_reductions)(run_in_team, team, threads, flags);
  });
}

// Barriers, also those at the end of what a team shares.

#define DEADHEAT_TEAM_BARRIER(name)    \
  DEADHEAT_INTERCEPT(void, name, ()) { \
    at_barrier(DEADHEAT_CALLER, [] {   \
      REAL(name)();                    \
      return 0;                        \
    });                                \
  }
#define DEADHEAT_TEAM_BARRIER_CANCEL(name)                           \
  DEADHEAT_INTERCEPT(bool, name, ()) {                               \
    return at_barrier(DEADHEAT_CALLER, [] { return REAL(name)(); }); \
  }
DEADHEAT_TEAM_BARRIER(GOMP_barrier)
DEADHEAT_TEAM_BARRIER(GOMP_loop_end)
DEADHEAT_TEAM_BARRIER(GOMP_sections_end)
DEADHEAT_TEAM_BARRIER_CANCEL(GOMP_barrier_cancel)
DEADHEAT_TEAM_BARRIER_CANCEL(GOMP_loop_end_cancel)
DEADHEAT_TEAM_BARRIER_CANCEL(GOMP_sections_end_cancel)
DEADHEAT_INTERCEPT(void, GOMP_workshare_task_reduction_unregister, (bool cancelled)) {
  at_barrier(DEADHEAT_CALLER, [&] {
    REAL(GOMP_workshare_task_reduction_unregister)(cancelled);
    return 0;
  });
}

// One does it, and what it has is copied by the others.
DEADHEAT_INTERCEPT(void*, GOMP_single_copy_start, ()) {
  void* const data = REAL(GOMP_single_copy_start)();
  if (data != nullptr && t_place.team != nullptr) receive(t_place.team->copied(), DEADHEAT_CALLER);
  return data;
}
DEADHEAT_INTERCEPT(void, GOMP_single_copy_end, (void* data)) {
  if (t_place.team != nullptr) send(t_place.team->copied(), DEADHEAT_CALLER);
  REAL(GOMP_single_copy_end)(data);
}

// One iteration behind the other.
DEADHEAT_INTERCEPT(void, GOMP_ordered_start, ()) {
  REAL(GOMP_ordered_start)();
  if (t_place.team != nullptr) receive(t_place.team->ordered(), DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(void, GOMP_ordered_end, ()) {
  if (t_place.team != nullptr) send(t_place.team->ordered(), DEADHEAT_CALLER);
  REAL(GOMP_ordered_end)();
}
// An iteration that others wait for. Their numbers are arguments of any count: those that fit in registers
// and some more are passed on.
#define DEADHEAT_DOACROSS_WAIT(name)                                                                         \
  DEADHEAT_REAL(void, name, (long a, long b, long c, long d, long e, long f, long g, long h), nullptr)       \
  extern "C" __attribute__((visibility("default"))) void deadheat_##name(long, long, long, long, long, long, \
                                                                         long, long) asm(#name);             \
  void deadheat_##name(long a, long b, long c, long d, long e, long f, long g, long h) {                     \
    REAL(name)(a, b, c, d, e, f, g, h);                                                                      \
    if (t_place.team != nullptr) receive(t_place.team->ordered(), DEADHEAT_CALLER);                          \
  }
DEADHEAT_DOACROSS_WAIT(GOMP_doacross_wait)
DEADHEAT_DOACROSS_WAIT(GOMP_doacross_ull_wait)
#define DEADHEAT_DOACROSS_POST(name, type)                                       \
  DEADHEAT_INTERCEPT(void, name, (type * counts)) {                              \
    if (t_place.team != nullptr) send(t_place.team->ordered(), DEADHEAT_CALLER); \
    REAL(name)(counts);                                                          \
  }
DEADHEAT_DOACROSS_POST(GOMP_doacross_post, long)
DEADHEAT_DOACROSS_POST(GOMP_doacross_ull_post, unsigned long long)

// Locks.

namespace {

char g_critical, g_atomic;

void locked(const void* lock, Address pc) {
  if (recording() && is_ours()) emit(Kind::acquire, reinterpret_cast<Address>(lock), pc);
}
void unlocking(const void* lock, Address pc) {
  if (recording() && is_ours()) emit(Kind::release, reinterpret_cast<Address>(lock), pc);
}

}  // namespace

#define DEADHEAT_CRITICAL(start, end, lock) \
  DEADHEAT_INTERCEPT(void, start, ()) {     \
    REAL(start)();                          \
    locked(&(lock), DEADHEAT_CALLER);       \
  }                                         \
  DEADHEAT_INTERCEPT(void, end, ()) {       \
    unlocking(&(lock), DEADHEAT_CALLER);    \
    REAL(end)();                            \
  }
DEADHEAT_CRITICAL(GOMP_critical_start, GOMP_critical_end, g_critical)
DEADHEAT_CRITICAL(GOMP_atomic_start, GOMP_atomic_end, g_atomic)
DEADHEAT_INTERCEPT(void, GOMP_critical_name_start, (void** name)) {
  REAL(GOMP_critical_name_start)(name);
  locked(name, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(void, GOMP_critical_name_end, (void** name)) {
  unlocking(name, DEADHEAT_CALLER);
  REAL(GOMP_critical_name_end)(name);
}

// Of two versions in libgomp the older has locks of another kind.
#define DEADHEAT_OMP_REAL(result, name)                                  \
  using name##_type = result(void*);                                     \
  static name##_type* real_##name() {                                    \
    static name##_type* found;                                           \
    name##_type* f = __atomic_load_n(&found, __ATOMIC_RELAXED);          \
    if (__builtin_expect(f == nullptr, false)) {                         \
      void* address = find_real(#name, "OMP_3.0", false);                \
      if (address == nullptr) address = find_real(#name, nullptr, true); \
      f = reinterpret_cast<name##_type*>(address);                       \
      __atomic_store_n(&found, f, __ATOMIC_RELAXED);                     \
    }                                                                    \
    return f;                                                            \
  }
#define DEADHEAT_OMP_LOCK(kind)                                                                              \
  DEADHEAT_OMP_REAL(void, omp_set_##kind)                                                                    \
  DEADHEAT_EXPORT void omp_set_##kind(void* lock) {                                                          \
    REAL(omp_set_##kind)(lock);                                                                              \
    locked(lock, DEADHEAT_CALLER);                                                                           \
  }                                                                                                          \
  DEADHEAT_OMP_REAL(int, omp_test_##kind)                                                                    \
  DEADHEAT_EXPORT int omp_test_##kind(void* lock) {                                                          \
    const int levels = REAL(omp_test_##kind)(lock);                                                          \
    if (levels != 0) {                                                                                       \
      locked(lock, DEADHEAT_CALLER);                                                                         \
    } else if (recording() && is_ours()) {                                                                   \
      emit(Kind::try_acquire_failed, reinterpret_cast<Address>(lock), DEADHEAT_CALLER);                      \
    }                                                                                                        \
    return levels;                                                                                           \
  }                                                                                                          \
  DEADHEAT_OMP_REAL(void, omp_unset_##kind)                                                                  \
  DEADHEAT_EXPORT void omp_unset_##kind(void* lock) {                                                        \
    unlocking(lock, DEADHEAT_CALLER);                                                                        \
    REAL(omp_unset_##kind)(lock);                                                                            \
  }                                                                                                          \
  DEADHEAT_OMP_REAL(void, omp_destroy_##kind)                                                                \
  DEADHEAT_EXPORT void omp_destroy_##kind(void* lock) {                                                      \
    REAL(omp_destroy_##kind)(lock);                                                                          \
    if (recording() && is_ours()) emit(Kind::forget_lock, reinterpret_cast<Address>(lock), DEADHEAT_CALLER); \
  }
DEADHEAT_OMP_LOCK(lock)
DEADHEAT_OMP_LOCK(nest_lock)

// Tasks.

namespace {

constexpr unsigned kDepends = 1u << 3, kReduction = 1u << 12, kNoGroup = 1u << 11;

// In front of what the program's function gets. libgomp writes the bounds of a loop there.
struct Task {
  long bounds[2];
  Function function;
  Team* team;
  std::uint64_t channel;  // from who made it
  std::uint64_t parent;   // to who made it
  std::uint64_t depends;  // how many addresses follow
  std::uint64_t data_at;  // from here on
  bool is_loop;

  Address* addresses() { return reinterpret_cast<Address*>(this + 1); }
  char* data() { return reinterpret_cast<char*>(this) + data_at; }
};

struct Source {
  long unused[2];
  std::uintptr_t reduction;  // libgomp looks at it where the program has it
  Task task;
  void** depend;
  void* data;
  Copy copy;
  long bytes;
};

// Its addresses, and how many: two ways of saying it.
void** addresses_of(void** depend, std::uint64_t& count) {
  count = reinterpret_cast<std::uintptr_t>(depend[0]);
  if (count != 0) return depend + 2;
  count = reinterpret_cast<std::uintptr_t>(depend[1]);
  return depend + 5;
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

void copy_task(void* to, void* from) {
  auto* const source = static_cast<Source*>(from);
  auto* const task = static_cast<Task*>(to);
  copy_bytes(task, &source->task, sizeof(Task));
  if (task->depends != 0) {
    std::uint64_t count = 0;
    void** const addresses = addresses_of(source->depend, count);
    for (std::uint64_t i = 0; i < count; ++i) task->addresses()[i] = reinterpret_cast<Address>(addresses[i]);
  }
  if (source->copy != nullptr) {
    source->copy(task->data(), source->data);
  } else {
    copy_bytes(task->data(), source->data, static_cast<std::size_t>(source->bytes));
  }
}

void run_task(void* argument) {
  auto* const task = static_cast<Task*>(argument);
  const Address pc = reinterpret_cast<Address>(task->function);
  Team* const team = task->team;
  const std::uint64_t parent = task->parent;
  if (task->is_loop) copy_bytes(task->data(), task->bounds, sizeof task->bounds);
  const Place before = t_place;
  t_place = {team, new_task()};
  receive(task->channel, pc);
  if (!task->is_loop) forget(Kind::forget_channel, task->channel, pc);
  for (std::uint64_t i = 0; i < task->depends; ++i) receive(task->addresses()[i], pc);
  task->function(task->data());
  for (std::uint64_t i = 0; i < task->depends; ++i) send(task->addresses()[i], pc);
  send(parent, pc);
  if (team != nullptr) send(team->tasks(), pc);
  forget(Kind::forget_channel, t_place.task, pc);
  t_place = before;
}

constexpr long kTaskAlignment = 16;

// What libgomp is told instead: the source, and how much it copies.
struct Told {
  Source source;
  long bytes, alignment;
};

void tell(Told& told, Function function, void* data, Copy copy, long bytes, long alignment, void** depend,
          Address pc) {
  Source& source = told.source;
  source.task.function = function;
  source.task.team = t_place.team;
  source.task.channel = new_task();
  source.task.parent = t_place.task;
  source.depend = depend;
  source.data = data;
  source.copy = copy;
  source.bytes = bytes;
  if (depend != nullptr) addresses_of(depend, source.task.depends);
  told.alignment = alignment > kTaskAlignment ? alignment : kTaskAlignment;
  const long header = static_cast<long>(sizeof(Task) + source.task.depends * sizeof(Address));
  const long at = (header + told.alignment - 1) / told.alignment * told.alignment;
  source.task.data_at = static_cast<std::uint64_t>(at);
  told.bytes = at + bytes;
  send(source.task.channel, pc);
}

}  // namespace

DEADHEAT_INTERCEPT(void, GOMP_task,
                   (Function function, void* data, Copy copy, long bytes, long alignment, bool deferred,
                    unsigned flags, void** depend, int priority, void* detach)) {
  if (!recording() || t_place.team == nullptr) {
    return REAL(GOMP_task)(function, data, copy, bytes, alignment, deferred, flags, depend, priority, detach);
  }
  Told told{};
  tell(told, function, data, copy, bytes, alignment, (flags & kDepends) != 0 ? depend : nullptr,
       DEADHEAT_CALLER);
  REAL(GOMP_task)
  (run_task, &told.source, copy_task, told.bytes, told.alignment, deferred, flags, depend, priority, detach);
}

#define DEADHEAT_TASKLOOP(name, type)                                                                        \
  DEADHEAT_INTERCEPT(void, name,                                                                             \
                     (Function function, void* data, Copy copy, long bytes, long alignment, unsigned flags,  \
                      unsigned long tasks, int priority, type start, type end, type step)) {                 \
    if (!recording() || t_place.team == nullptr) {                                                           \
      return REAL(name)(function, data, copy, bytes, alignment, flags, tasks, priority, start, end, step);   \
    }                                                                                                        \
    Told told{};                                                                                             \
    told.source.task.is_loop = true;                                                                         \
    if ((flags & kReduction) != 0) told.source.reduction = static_cast<std::uintptr_t*>(data)[2];            \
    tell(told, function, data, copy, bytes, alignment, nullptr, DEADHEAT_CALLER);                            \
    REAL(name)(run_task, &told.source, copy_task, told.bytes, told.alignment, flags, tasks, priority, start, \
               end, step);                                                                                   \
    if ((flags & kNoGroup) == 0) receive(t_place.team->tasks(), DEADHEAT_CALLER);                            \
  }
DEADHEAT_TASKLOOP(GOMP_taskloop, long)
DEADHEAT_TASKLOOP(GOMP_taskloop_ull, unsigned long long)

DEADHEAT_INTERCEPT(void, GOMP_taskwait, ()) {
  REAL(GOMP_taskwait)();
  if (t_place.team != nullptr) receive(t_place.task, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(void, GOMP_taskwait_depend, (void** depend)) {
  REAL(GOMP_taskwait_depend)(depend);
  if (t_place.team == nullptr) return;
  std::uint64_t count = 0;
  void** const addresses = addresses_of(depend, count);
  for (std::uint64_t i = 0; i < count; ++i) receive(reinterpret_cast<Address>(addresses[i]), DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(void, GOMP_taskgroup_end, ()) {
  REAL(GOMP_taskgroup_end)();
  if (t_place.team != nullptr) receive(t_place.team->tasks(), DEADHEAT_CALLER);
}

}  // namespace deadheat::runtime
