// The memory shared with the recorded program (runtime/session.h), as its recorder holds it.
#pragma once

#include <chrono>
#include <cstdint>

#include "deadheat/result.h"
#include "runtime/session.h"

namespace deadheat::record {

struct SessionOptions {
  std::uint64_t memory_bytes = std::uint64_t{64} << 20;  // of chunks; exceeded only if threads need more
  std::uint32_t most_chunks = 1u << 17;                  // address space; takes no memory until used
};

class SharedSession {
 public:
  static Result<SharedSession> create(const SessionOptions& options = {});
  SharedSession(SharedSession&& other) noexcept;
  SharedSession& operator=(SharedSession&&) = delete;
  ~SharedSession();

  runtime::Session& operator*() const { return *session_; }
  runtime::Session* operator->() const { return session_; }
  runtime::Session* get() const { return session_; }
  int descriptor() const { return fd_; }  // closed by exec, unless the child says otherwise
  std::uint32_t most_chunks() const { return most_chunks_; }

  // nullptr: there is no such chunk. The program may have written anything into its memory.
  runtime::Chunk* chunk(std::uint32_t index) const {
    return index == 0 || index >= most_chunks_ ? nullptr : runtime::chunk_at(session_, index);
  }

  // Zeroes the chunk and gives it to whoever wants one. Who waits is woken for many at a time: threads that
  // are woken for each chunk race for it, and spend more time in going to sleep again than in writing.
  void give_back(std::uint32_t index);
  // Wakes who waits for what was given back. Call it when no more is to come soon.
  void wake_for_chunks();
  // Lets the program use so many chunks more, as far as there is room. Returns how many.
  std::uint32_t allow_more(std::uint32_t chunks);
  // True if somebody waits for a chunk and there is none.
  bool is_starved() const;

  // Sleeps until a chunk was filled since `filled` was read, the bell rang, a signal came, or the time is
  // over.
  std::uint32_t filled() const;
  void wait(std::uint32_t filled, std::chrono::milliseconds most);
  // Wakes the recorder. May be called by a signal handler.
  static void ring(runtime::Session* session);

  // Which accesses are kept from now on.
  void keep(runtime::Accesses accesses);
  // The recorder is about to end: accesses are no longer wanted, and who waits for a chunk looks again.
  void leave();
  // The same when nothing more will be read: who waits for a chunk goes on without a recording.
  void abandon();

 private:
  SharedSession(runtime::Session* session, int fd, std::uint32_t most_chunks)
      : session_(session), fd_(fd), most_chunks_(most_chunks) {}

  // Or a quarter of all, where there are few.
  static constexpr std::uint32_t kChunksAtOnce = 256;

  void wake_waiting();

  runtime::Session* session_;
  int fd_;
  std::uint32_t most_chunks_;
  std::uint32_t given_quietly_ = 0;  // chunks that nobody was woken for
};

}  // namespace deadheat::record
