// Clocks as flat vectors that never change once made: a new one is made where a thread learns something. So a
// release leaves its clock by reference, in O(1), and a check that runs later still finds the clock that the
// access had. (In place, an acquire writes the vector just as well; what is saved is the copy at the
// release.)
#pragma once

#include <cstdint>
#include <vector>

#include "clock/time.h"
#include "clock/times.h"

namespace deadheat::clock {

class FlatClocks {
 private:
  struct alignas(64) Vector {
    std::uint32_t references;
    std::uint32_t width;
    std::size_t chunk;  // that it is in
    Time* times() { return reinterpret_cast<Time*>(this + 1); }
    const Time* times() const { return reinterpret_cast<const Time*>(this + 1); }
  };

 public:
  // What a thread knows of the others. Its own entry means nothing: of itself a thread knows everything.
  struct Own {
    Vector* vector = nullptr;
    const Time* times() const { return vector->times(); }
    friend bool operator==(const Own&, const Own&) = default;
  };
  // What a release leaves for those who acquire: all that the vector says and, unless it is a sum of several,
  // the sender's own events up to `last`. `vector` is null as long as it says nothing.
  struct Message {
    Vector* vector = nullptr;
    Epoch last;

    // One more like it.
    Message share() const {
      if (vector != nullptr) ++vector->references;
      return *this;
    }
  };

  explicit FlatClocks(std::uint32_t slots) : limbo_(slots) {}
  FlatClocks(const FlatClocks&) = delete;
  FlatClocks& operator=(const FlatClocks&) = delete;
  ~FlatClocks();

  // A new block begins, in the slot of one whose checks are done: what fell out of use then can be used
  // again.
  void begin(std::uint32_t slot);
  // So many threads there are from now on. True if that is more than there was room for: all vectors of
  // threads must then be renewed by widen().
  bool reserve(std::uint32_t threads);
  void start(Own& own, ThreadId) { widen(own); }  // knows nothing
  void widen(Own& own);
  void bury(Own& own) {
    drop(own.vector);
    own.vector = nullptr;
  }

  static Time get(const Own& own, ThreadId t) { return own.vector->times()[index(t)]; }

  // own := own |_| message, for thread t. (When that is matters to other clocks.)
  void join(Own& own, ThreadId t, Time /*now*/, const Message& message) {
    const Vector* const from = message.vector;
    if (from == nullptr) return;
    if (!message.last.none()) {
      // Who knows of the release itself knows all that the releaser knew.
      const ThreadId u = message.last.thread();
      if (u == t || get(own, u) >= message.last.time()) return;
    }
    join_new(own, message);
  }
  // message := what thread t, at `time`, knows.
  void assign(Message& message, const Own& own, ThreadId t, Time time) {
    if (message.vector != own.vector) {
      ++own.vector->references;
      drop(message.vector);
      message.vector = own.vector;
    }
    message.last = Epoch(t, time);
  }
  // message := message |_| what thread t, at `time`, knows.
  void add(Message& message, const Own& own, ThreadId t, Time time);
  void add(Message& message, const Message& other);
  void assign(Message& message, const Message& other) {
    if (message.vector != other.vector) {
      if (other.vector != nullptr) ++other.vector->references;
      drop(message.vector);
      message.vector = other.vector;
    }
    message.last = other.last;
  }
  void clear(Message& message) {
    drop(message.vector);
    message = {};
  }

  std::size_t bytes() const { return bytes_; }

 protected:
  // The same as join() of what may be news.
  void join_new(Own& own, const Message& message);

 private:
  // Vectors are made many at a time, one behind the other.
  struct Chunk {
    char* memory = nullptr;
    std::size_t bytes = 0, vectors = 0;  // the latter: not destroyed
  };

  static std::size_t size_of(std::size_t width) { return sizeof(Vector) + width * sizeof(Time); }
  Vector* make();
  void make_chunk();
  void destroy(Vector* vector);
  void drop(Vector* vector) {
    if (vector != nullptr && --vector->references == 0) limbo_[slot_].push_back(vector);
  }
  // A sum of what the message says, to which only the message refers.
  Time* as_sum(Message& message);

  std::uint32_t width_ = kStep;
  std::uint32_t slot_ = 0;
  std::vector<Vector*> free_;
  std::vector<Chunk> chunks_;
  std::size_t bytes_ = 0;                    // of all chunks
  std::vector<std::vector<Vector*>> limbo_;  // by slot: out of use, but checks may still look at them
};

}  // namespace deadheat::clock
