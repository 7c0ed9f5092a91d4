// Clocks as flat vectors that never change once made: a new one is made where a thread learns something. So a
// release leaves its clock by reference, in O(1), and a check that runs later still finds the clock that the
// access had. (In place, an acquire writes the vector just as well; what is saved is the copy at the
// release.)
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "clock/time.h"
#include "clock/times.h"

namespace deadheat::clock {

class FlatClocks {
 private:
  // Apart from its times: what refers to a vector comes and goes much more often than somebody reads it, and
  // counts that lie side by side stay in the cache.
  struct Vector {
    std::uint32_t references;
    std::uint32_t width;
    Time* entries;
    Time* times() { return entries; }
    const Time* times() const { return entries; }
  };
  static_assert(sizeof(Vector) == 16);

 public:
  // What a thread knows of the others. Its own entry means nothing: of itself a thread knows everything.
  struct Own {
    Vector* vector = nullptr;
    const Time* entries = nullptr;  // of the vector
    const Time* times() const { return entries; }
    friend bool operator==(const Own& a, const Own& b) { return a.vector == b.vector; }
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

  // A new block begins, in the slot of one whose checks are done.
  void begin(std::uint32_t slot) {
    checked(slot);
    slot_ = slot;
  }
  // All checks of the last block in the slot are done: what fell out of use then can be used again. The
  // sooner that is, the more of it is still in the cache.
  void checked(std::uint32_t slot);
  // So many threads there are from now on. True if that is more than there was room for: all vectors of
  // threads must then be renewed by widen().
  bool reserve(std::uint32_t threads);
  void start(Own& own, ThreadId) { widen(own); }  // knows nothing
  void widen(Own& own);
  void bury(Own& own) {
    drop(own.vector);
    own = {};
  }

  static Time get(const Own& own, ThreadId t) { return own.entries[index(t)]; }

  // Whether thread t knows all that the last event of a message tells. False of sums, and of nothing.
  static bool knows(const Own& own, ThreadId t, const Message& message) {
    // Who knows of a release itself knows all that the releaser knew.
    const ThreadId u = message.last.thread();
    return static_cast<unsigned>(!message.last.none()) &
           (static_cast<unsigned>(u == t) | static_cast<unsigned>(get(own, u) >= message.last.time()));
  }

  // own := own |_| message, for thread t. (When that is matters to other clocks.)
  void join(Own& own, ThreadId t, Time /*now*/, const Message& message) {
    if (message.vector == nullptr || knows(own, t, message)) return;
    join_new(own, message);
  }
  // message := what thread t, at `time`, knows.
  void assign(Message& message, const Own& own, ThreadId t, Time time) {
    // Also if that is what it said before: to ask would be a branch that is often mispredicted.
    ++own.vector->references;
    drop(message.vector);
    message = {own.vector, Epoch(t, time)};
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
  // Vectors are made many at a time: their times one behind the other, and behind these the vectors.
  struct Chunk {
    char* memory = nullptr;
    std::size_t bytes = 0, vectors = 0;  // the latter: not destroyed
  };

  static std::size_t size_of(std::size_t width) { return width * sizeof(Time) + sizeof(Vector); }
  static void renew(Own& own, Vector* vector) { own = {vector, vector->times()}; }
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
  std::map<const Vector*, Chunk> chunks_;    // by the first of their vectors
  std::size_t bytes_ = 0;                    // of all chunks
  std::vector<std::vector<Vector*>> limbo_;  // by slot: out of use, but checks may still look at them
};

}  // namespace deadheat::clock
