// The threads of a workload and what they synchronise with. Every event goes through here, which keeps the
// trace well formed, counts the events that closing everything will take, and marks what open races need.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "generate/chances.h"
#include "generate/emitter.h"
#include "generate/parameters.h"
#include "generate/races.h"

namespace deadheat::generate {

inline constexpr std::uint32_t kNobody = UINT32_MAX;

// What an attempt to go on came to.
enum class Step : std::uint8_t {
  more,     // events were emitted, or will be
  done,     // the activity is over
  blocked,  // it is another thread's turn
};

enum class Activity : std::uint8_t { idle, section, fill, drain, phase, publish, take, heap, local };

struct ThreadState {
  std::uint32_t id = 0;
  std::uint32_t parent = kNobody;
  bool started = false;  // had its first turn: began, and forked its children
  Activity activity = Activity::idle;

  struct Held {
    std::uint32_t lock;
    bool shared;
  };
  std::uint32_t depth = 0;  // entries of held
  std::array<Held, kMaxNesting + 1> held{};
  std::uint32_t wants = kNobody;  // a lock that it waits for
  bool wants_shared = false;

  std::uint32_t place = 0;  // the slot, mailbox or chunk that the activity is about
  std::uint32_t left = 0;   // accesses until the activity is over
  std::uint64_t generation = 0;
  bool inside = false;  // of the barrier
  bool has_chunk = false;
};

class Machine {
 public:
  Machine(const Parameters& parameters, Sink& sink, Truth truth);

  const Parameters p;
  Random random;
  Emitter out;

  // How variables are numbered, one range after the other.
  struct Layout {
    std::uint32_t shared = 0, local, atomics, heap, races;
    std::uint32_t atomic_count, chunk_count;
  };
  const Layout layout;
  static constexpr std::uint32_t kChunkCells = 4;

  // The operations that events are made of. Reads and writes come first: 2 * site, and that plus one.
  struct Ops {
    Ops(Emitter& out, const Parameters& p);
    std::uint32_t synchronisation, heap;
    std::uint32_t places;  // of all these
  };
  const Ops ops;
  Races races;

  std::vector<ThreadState> threads;
  std::vector<std::uint32_t> live;  // threads that were forked and have not ended

  // Events that can still be chosen freely: the rest are spoken for by what is open.
  std::uint64_t slack() const {
    const std::uint64_t used = out.emitted() + reserve_ + races.reserve();
    return used < p.events ? p.events - used : 0;
  }

  // Reads and writes, at site 0 <= site < p.sites.
  void read(std::uint32_t t, std::uint32_t site, std::uint32_t variable) { out.emit(t, 2 * site, variable); }
  void write(std::uint32_t t, std::uint32_t site, std::uint32_t variable) {
    out.emit(t, 2 * site + 1, variable);
  }
  // Of one of the thread's own variables.
  void local_access(std::uint32_t t);
  bool draw_read() { return (random() & 0xFFFF) < read_bits; }
  const std::uint32_t read_bits;  // of 65536

  bool free_for(std::uint32_t t, std::uint32_t l, bool shared) const {
    const Lock& lock = locks_[l];
    if (lock.depth > 0) return lock.writer == t;
    return shared || lock.readers == 0;
  }
  void acquire(ThreadState& t, std::uint32_t l, bool shared);
  void release_last(ThreadState& t);

  void send(std::uint32_t t, std::uint32_t channel);
  void recv(std::uint32_t t, std::uint32_t channel);

  void enter_barrier(ThreadState& t);
  bool barrier_is_full(const ThreadState& t) const { return entered_ >= (t.generation + 1) * threads.size(); }
  bool somebody_waits() const { return waiting_ > 0; }
  void exit_barrier(ThreadState& t);

  // `atomic` counts from 0.
  void load(std::uint32_t t, std::uint32_t atomic, MemoryOrder order);
  void store(std::uint32_t t, std::uint32_t atomic, MemoryOrder order);
  void rmw(std::uint32_t t, std::uint32_t atomic, MemoryOrder order);
  void fence(std::uint32_t t, MemoryOrder order);

  std::uint32_t free_chunks() const { return static_cast<std::uint32_t>(chunks_.size()); }
  void alloc_chunk(ThreadState& t);
  void free_chunk(ThreadState& t);
  // A read or write of one of the shapes that only memory of more than a cell allows.
  void heap_access(const ThreadState& t);

  void root(std::uint32_t t);
  void fork(std::uint32_t parent, std::uint32_t child);
  void begin(std::uint32_t t);
  // Gives back what the thread holds. No other thread is in the way of that.
  void close(ThreadState& t);
  void end(std::uint32_t t);
  void join(std::uint32_t parent, std::uint32_t child);

 private:
  struct Lock {
    std::uint32_t writer = kNobody, depth = 0, readers = 0;
  };
  struct LockMarks {
    Races::Mark writers, readers;
  };

  static Layout make_layout(const Parameters& p);
  std::uint32_t op(EventKind kind, MemoryOrder order, std::uint32_t salt) const {
    return ops.synchronisation +
           (static_cast<std::uint32_t>(kind) * kMemoryOrders + static_cast<std::uint32_t>(order)) * kSalts +
           (salt & (kSalts - 1));
  }
  void emit(std::uint32_t t, EventKind kind, std::uint32_t object) {
    out.emit(t, op(kind, MemoryOrder::relaxed, object), object);
  }
  static constexpr std::uint32_t kSalts = 4;  // sites for each kind of synchronisation

  std::uint64_t reserve_ = 0;
  std::vector<Lock> locks_;
  std::uint64_t entered_ = 0, waiting_ = 0;
  std::vector<std::uint32_t> chunks_;  // free ones
  std::vector<std::uint32_t> walks_;   // by local site: where it is

  std::vector<LockMarks> lock_marks_;  // all of these only if races are asked for
  std::vector<Races::Mark> channel_marks_, atomic_marks_;
  Races::Mark barrier_mark_;
  bool marking_;
};

}  // namespace deadheat::generate
