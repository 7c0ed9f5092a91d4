#include "record/shared_session.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/file.h"

namespace deadheat::record {

namespace {

using runtime::Chunk;
using runtime::Session;

// Between processes, so never a private one.
long futex(std::uint32_t* word, int operation, std::uint32_t value, const timespec* timeout = nullptr) {
  return syscall(SYS_futex, word, operation, value, timeout, nullptr, 0);
}

// Programs are used to low numbers (shells to those below 256): out of their way where the limit allows.
int moved_high(int fd) {
  for (const int least : {700, 200}) {
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, least);
    if (high < 0) continue;
    close(fd);
    return high;
  }
  return fd;
}

void initialise(Session& session, std::uint32_t chunks, const SessionOptions& options) {
  session.magic = runtime::kSessionMagic;
  session.bytes = runtime::session_bytes(chunks);
  session.recorder = static_cast<std::uint32_t>(getpid());
  session.accesses = runtime::Accesses::all;
  session.stamp = 1;
  session.chunks_used = 1;
  const std::uint64_t wanted = options.memory_bytes / runtime::kChunkBytes;
  session.chunks_most = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 4, chunks));
  session.nodes_used = 1;
  for (runtime::Slot& slot : session.slots) slot.floor = runtime::kIdle;
}

// Address space may be limited (ulimit -v), here and in the program, which needs most of it itself.
std::uint32_t chunks_within_limits(const SessionOptions& options) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return options.most_chunks;
  constexpr std::uint32_t kLeast = 64;
  const std::uint32_t chunks = runtime::chunks_in(static_cast<std::size_t>(limit.rlim_cur / 4));
  return std::clamp(chunks, std::min(kLeast, options.most_chunks), options.most_chunks);
}

}  // namespace

Result<SharedSession> SharedSession::create(const SessionOptions& options) {
  const int made = memfd_create("deadheat-session", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (made < 0) {
    return fail(base::errno_error("memory for the recording",
                                  "cannot make it (memfd_create); try deadheat "
                                  "doctor"));
  }
  const int fd = moved_high(made);
  const std::uint32_t chunks = chunks_within_limits(options);
  const std::size_t bytes = runtime::session_bytes(chunks);
  void* memory = MAP_FAILED;
  // Sealed: the program cannot make it shorter, which would kill whoever reads it.
  if (ftruncate(fd, static_cast<off_t>(bytes)) == 0 &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  }
  if (memory == MAP_FAILED) {
    Error error = base::errno_error("memory for the recording",
                                    "cannot map it; is there a limit (ulimit -v, "
                                    "-f)?");
    close(fd);
    return fail(std::move(error));
  }
  auto* const session = static_cast<Session*>(memory);
  initialise(*session, chunks, options);
  return SharedSession(session, fd, chunks);
}

SharedSession::SharedSession(SharedSession&& other) noexcept
    : session_(std::exchange(other.session_, nullptr)),
      fd_(std::exchange(other.fd_, -1)),
      most_chunks_(other.most_chunks_) {}

SharedSession::~SharedSession() {
  if (session_ == nullptr) return;
  munmap(session_, runtime::session_bytes(most_chunks_));
  close(fd_);
}

void SharedSession::give_back(std::uint32_t index) {
  Chunk* const chunk = this->chunk(index);
  // Not `next`, which may be read at any time by who was too slow to take the chunk.
  std::memset(reinterpret_cast<char*>(chunk) + sizeof chunk->next, 0, sizeof *chunk - sizeof chunk->next);
  std::uint64_t head = __atomic_load_n(&session_->free_chunks, __ATOMIC_RELAXED);
  std::uint64_t next = 0;
  do {
    __atomic_store_n(&chunk->next, static_cast<std::uint32_t>(head), __ATOMIC_RELAXED);
    next = ((head >> 32) + 1) << 32 | index;
    // seq_cst: the chunk is there before it is asked who waits, as a waiter says so before it looks again.
  } while (!__atomic_compare_exchange_n(&session_->free_chunks, &head, next, true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED));
  const std::uint32_t most = std::min(session_->chunks_most, most_chunks_);
  if (++given_quietly_ >= std::min(kChunksAtOnce, most / 4)) wake_for_chunks();
}

void SharedSession::wake_for_chunks() {
  if (given_quietly_ == 0) return;
  given_quietly_ = 0;
  wake_waiting();
}

void SharedSession::wake_waiting() {
  if (__atomic_load_n(&session_->chunks_wanted, __ATOMIC_SEQ_CST) == 0) return;
  __atomic_fetch_add(&session_->chunks_given, 1, __ATOMIC_SEQ_CST);
  futex(&session_->chunks_given, FUTEX_WAKE, INT_MAX);
}

std::uint32_t SharedSession::allow_more(std::uint32_t chunks) {
  const std::uint32_t now = std::min(__atomic_load_n(&session_->chunks_most, __ATOMIC_RELAXED), most_chunks_);
  const std::uint32_t more = std::min(chunks, most_chunks_ - now);
  if (more == 0) return 0;
  __atomic_store_n(&session_->chunks_most, now + more, __ATOMIC_SEQ_CST);
  wake_waiting();
  return more;
}

bool SharedSession::is_starved() const {
  return __atomic_load_n(&session_->chunks_wanted, __ATOMIC_SEQ_CST) != 0 &&
         static_cast<std::uint32_t>(__atomic_load_n(&session_->free_chunks, __ATOMIC_RELAXED)) == 0 &&
         __atomic_load_n(&session_->chunks_used, __ATOMIC_RELAXED) >=
             __atomic_load_n(&session_->chunks_most, __ATOMIC_RELAXED);
}

std::uint32_t SharedSession::filled() const { return __atomic_load_n(&session_->filled, __ATOMIC_SEQ_CST); }

void SharedSession::wait(std::uint32_t filled, std::chrono::milliseconds most) {
  const timespec timeout{.tv_sec = most.count() / 1000, .tv_nsec = most.count() % 1000 * 1'000'000};
  __atomic_store_n(&session_->recorder_waits, 1, __ATOMIC_SEQ_CST);
  futex(&session_->filled, FUTEX_WAIT, filled, &timeout);
  __atomic_store_n(&session_->recorder_waits, 0, __ATOMIC_SEQ_CST);
}

void SharedSession::ring(Session* session) {
  __atomic_fetch_add(&session->filled, 1, __ATOMIC_SEQ_CST);
  futex(&session->filled, FUTEX_WAKE, 1);
}

void SharedSession::keep(runtime::Accesses accesses) {
  __atomic_store(&session_->accesses, &accesses, __ATOMIC_SEQ_CST);
  // Every thread looks at the mode when it sees that the counter moved.
  __atomic_fetch_add(&session_->stamp, 1, __ATOMIC_SEQ_CST);
}

void SharedSession::abandon() {
  __atomic_store_n(&session_->recorder, runtime::kNoRecorder, __ATOMIC_SEQ_CST);
  leave();
}

void SharedSession::leave() {
  runtime::Accesses none = runtime::Accesses::off;
  __atomic_store(&session_->accesses, &none, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&session_->stamp, 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&session_->chunks_given, 1, __ATOMIC_SEQ_CST);
  futex(&session_->chunks_given, FUTEX_WAKE, INT_MAX);
}

}  // namespace deadheat::record
