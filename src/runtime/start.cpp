#include "runtime/start.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/chunks.h"
#include "runtime/intercept/process.h"
#include "runtime/lines.h"
#include "runtime/system_call.h"

extern "C" char** environ;
namespace __tsan {
void OnInitialize();  // the program's, or ours that calls other hooks
}

namespace deadheat::runtime {

namespace {

int g_descriptor = -1;

bool starts_with(const char* text, const char* prefix) {
  for (; *prefix != 0; ++text, ++prefix) {
    if (*text != *prefix) return false;
  }
  return true;
}

// getenv is of no use before the C library has begun.
const char* value_of(char** environment, const char* name) {
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    std::size_t length = 0;
    while (name[length] != 0) ++length;
    if (starts_with(*environment, name) && (*environment)[length] == '=') return *environment + length + 1;
  }
  return nullptr;
}

int number_in(const char* text) {
  int n = 0;
  for (; *text >= '0' && *text <= '9'; ++text) n = n * 10 + (*text - '0');
  return *text == 0 ? n : -1;
}

Session* session_of(const char* descriptor) {
  const int fd = number_in(descriptor);
  struct stat status;
  if (fd < 0 || system_call(SYS_fstat, fd, as_word(&status)) != 0) {
    // Closed by a program that started this one: said, because whoever asked for a recording waits for it.
    say("the recording's descriptor is closed (a program in between closed it): nothing is recorded");
    return nullptr;
  }
  // Sealed as the recorder seals it: nobody can make it shorter while it is in use.
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;
  const bool is_sealed = (system_call(SYS_fcntl, fd, F_GET_SEALS) & kSeals) == kSeals;
  if (!is_sealed || static_cast<std::size_t>(status.st_size) < session_bytes(2)) {
    say(kSessionVariable, " is not the descriptor of a session: nothing is recorded");
    return nullptr;
  }
  auto* const session =
      static_cast<Session*>(map_memory(static_cast<std::size_t>(status.st_size), MAP_SHARED, fd));
  if (session == nullptr) {
    say("no memory for the recording: nothing is recorded");
    return nullptr;
  }
  if (session->magic != kSessionMagic || session->bytes != static_cast<std::size_t>(status.st_size)) {
    say("the recorder is of another version than the runtime in this program: nothing is recorded; rebuild "
        "it");
    return nullptr;
  }
  g_chunks = chunks_in(static_cast<std::size_t>(status.st_size));
  g_descriptor = fd;
  return session;
}

// One process is recorded: the first that comes. It may come again, as another program, after an exec.
bool attach(Session& session) {
  const auto self = static_cast<std::uint32_t>(getpid());
  std::uint32_t program = 0;
  if (__atomic_compare_exchange_n(&session.program, &program, self, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    return true;
  }
  if (program != self) {
    __atomic_fetch_add(&session.lost.processes, 1, __ATOMIC_RELAXED);
    return false;
  }
  for (std::uint32_t i = 0; i < session.slots_used && i < kSlots; ++i) {
    Slot& slot = session.slots[i];
    if (slot.state != Slot::open) continue;
    __atomic_store_n(&slot.floor, kIdle, __ATOMIC_RELAXED);
    __atomic_store_n(&slot.state, Slot::closed, __ATOMIC_RELEASE);
  }
  return true;
}

// Not by assignment: the compiler would call memcpy or memset, which are intercepted.
void copy(Thread& to, const Thread& from) {
  void* d = &to;
  const void* s = &from;
  std::size_t n = sizeof(Thread);
  asm volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
}
void clear(Thread& t) {
  void* d = &t;
  std::size_t n = sizeof(Thread);
  asm volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(0) : "memory");
}

bool give_frames(Thread& t) {
  auto* const frames = static_cast<ShadowFrames*>(
      map_memory(sizeof(ShadowFrames), MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1));
  if (frames == nullptr) return false;
  t.frames = frames;
  t.top = t.known = t.base = frames->code;
  t.last_frame = frames->code + kShadowFrames;
  return true;
}

bool open_stream(Thread& t, std::uint32_t handler) {
  Slot* const slot = take_slot(*g_session, t.number, handler);
  if (slot == nullptr) return false;
  t.slot = slot;
  open_chunk(t, slot->first_chunk);
  t.position = 0;
  t.written = nullptr;
  return true;
}

void close_stream(const Thread& t) {
  __atomic_store_n(&t.slot->state, Slot::closed, __ATOMIC_RELEASE);
  tell_filled(*g_session);
}

bool begin_thread(Thread& t, std::uint32_t number) {
  const int saved = errno;
  clear(t);
  t.number = number;
  t.random = 0x9E3779B97F4A7C15 * (number + 1);
  const bool ok = give_frames(t) && open_stream(t, 0);
  if (!ok) {
    t.ended = 1;
    __atomic_fetch_add(&g_session->lost.threads, 1, __ATOMIC_RELAXED);
  }
  errno = saved;
  return ok;
}

// Where it ends is not asked for, because that would allocate: the arguments and the environment are above.
void tell_initial_stack() {
  constexpr Address kAbove = 1 << 18, kPage = 4096;
  const auto here = reinterpret_cast<Address>(__builtin_frame_address(0));
  rlimit limit{};
  if (system_call(SYS_prlimit64, 0, RLIMIT_STACK, 0, as_word(&limit)) != 0) return;
  constexpr Address kMost = Address{64} << 20;  // where there is no limit
  const Address below = limit.rlim_cur < kMost ? limit.rlim_cur : kMost;
  const Address begin = (here - below) & ~(kPage - 1);
  emit_with(Kind::fresh, begin, 0, here + kAbove - begin, 0, 1);
}

void begin_recording(char** environment) {
  // A program with more rights than whoever started it takes no orders from the environment.
  if (getauxval(AT_SECURE) != 0) return;
  const char* const descriptor = value_of(environment, kSessionVariable);
  if (descriptor == nullptr) return;
  Session* const session = session_of(descriptor);
  if (session == nullptr || !attach(*session)) return;
  watch_forks();
  g_session = session;
  publish_modules();
  if (!begin_thread(t_self, new_thread_number())) return;
  g_recording = true;
  // A first thread that is not number 0: the process was another program before.
  emit(Kind::begin, 0, 0, t_self.number == 0 ? 0 : 1);
  emit(Kind::modules, g_session->modules_used, 0);
  tell_initial_stack();
}

}  // namespace

void open_chunk(Thread& t, std::uint32_t chunk) {
  Chunk* const c = chunk_at(g_session, chunk);
  t.chunk = chunk;
  t.next = t.end = c->records;  // the first access is looked at with care
  t.limit = c->records + Chunk::kRecords;
}

void start(char** environment) {
  static bool started;
  if (environment == nullptr) environment = environ;
  // gcc's own object calls before the C library knows the environment; another call follows.
  if (environment == nullptr) return;
  if (started) {
    // An object that is being loaded; what it does before dlopen() returns is its own already.
    if (g_recording) publish_modules();
    return;
  }
  started = true;
  begin_recording(environment);
  __tsan::OnInitialize();
}

std::uint32_t new_thread_number() { return __atomic_fetch_add(&g_session->threads, 1, __ATOMIC_RELAXED); }

bool adopt_thread(Thread& t) {
  if (t.ended != 0) return false;
  if (!begin_thread(t, new_thread_number())) return false;
  emit(Kind::begin, 0, 0);
  return true;
}

void enter_thread(std::uint32_t number, Address stack, std::size_t stack_bytes) {
  if (!g_recording || !begin_thread(t_self, number)) return;
  emit(Kind::begin, 0, 0);
  if (stack_bytes != 0) emit_with(Kind::fresh, stack, 0, stack_bytes, 0, 1);
}

void leave_thread() {
  Thread& t = t_self;
  if (t.slot == nullptr) return;
  const int saved = errno;
  emit(Kind::end, 0, 0);
  close_stream(t);
  ShadowFrames* const frames = t.frames;
  clear(t);
  t.ended = 1;
  system_call(SYS_munmap, as_word(frames), sizeof(ShadowFrames));
  errno = saved;
}

// The interrupted code may be between any two instructions: of a push on the shadow stack (so the handler's
// frames begin above what it may write), of a record (so it has a stream of its own).
void enter_handler(Interrupted& interrupted) {
  Thread& t = t_self;
  copy(interrupted.thread, t);
  if (t.slot == nullptr || !g_recording) return;
  t.in_runtime = 0;
  t.ignore_accesses = t.ignore_sync = 0;
  if (t.last_frame - t.top < 16) t.top = t.last_frame - 16;
  t.top = t.base = t.known = t.top + 8;
  t.too_deep = 0;
  if (!open_stream(t, 1)) {
    t.next = t.end = t.limit = nullptr;
    t.slot = nullptr;
    t.ended = 1;
  }
}

void leave_handler(const Interrupted& interrupted) {
  Thread& t = t_self;
  if (t.slot != nullptr && t.slot != interrupted.thread.slot) close_stream(t);
  copy(t, interrupted.thread);
}

void exchange_thread(Thread& leaves, const Thread& comes) {
  copy(leaves, t_self);
  copy(t_self, comes);
}

void leave_session() {
  g_recording = false;
  // What this process becomes is not recorded either: it gets neither the descriptor nor its number.
  if (g_descriptor >= 0) system_call(SYS_fcntl, g_descriptor, F_SETFD, FD_CLOEXEC);
  for (char** at = environ; at != nullptr && *at != nullptr;) {
    if (!starts_with(*at, kSessionVariable)) {
      ++at;
      continue;
    }
    for (char** rest = at; *rest != nullptr; ++rest) *rest = rest[1];
  }
  clear(t_self);
  t_self.ended = 1;
  free_stripes();
}

}  // namespace deadheat::runtime
