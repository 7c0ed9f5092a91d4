// What orders events besides program order and locks, by the rules of rules.h: fork and join, messages,
// barriers, C++20 atomics. A release sequence is headed by a write that releases, or that follows a release
// fence, and goes on through read-modify-writes only. A value comes, in each cell, from the last write of
// overlapping bytes; if that is not atomic, or the memory is new, nothing is ordered. Time O(T) an event that
// orders. Memory O(T) a living thread, channel, open barrier generation and atomic.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "deadheat/event.h"
#include "model/bytes.h"
#include "model/table.h"
#include "order/moment.h"
#include "order/rules.h"

namespace deadheat::order {

template <class Clocks>
class Synchronisation {
 public:
  using ClockStore = Clocks;
  using Rule = Rules<Clocks>;
  using Time = clock::Time;
  using Own = typename Clocks::Own;
  using Message = typename Clocks::Message;

  explicit Synchronisation(std::uint32_t slots) : clocks_(slots) {}

  // A block begins; ids of threads in it are below `threads`.
  // True if the moments of all threads have changed for that.
  bool begin_block(std::uint32_t slot, std::uint32_t threads) {
    clocks_.begin(slot);
    return reserve_threads(threads);
  }
  // Nobody looks any more at what changed in the block that was in the slot.
  void checked(std::uint32_t slot) { clocks_.checked(slot); }
  // The same within a block: ids are below this from now on.
  bool reserve_threads(std::uint32_t threads) {
    if (threads > threads_.size()) threads_.resize(threads);
    if (!clocks_.reserve(threads) && nothing_known_) return false;
    for (Thread& thread : threads_) {
      if (thread.alive) clocks_.widen(thread.clock);
    }
    clocks_.widen(nothing_);
    nothing_known_ = true;
    return true;
  }
  Moment moment(ThreadId t) const {
    const Thread& thread = threads_[index(t)];
    return {thread.alive ? thread.clock.times() : nothing_.times(), LocksetId::empty};
  }
  const Own& clock_of(ThreadId t) { return living(t).clock; }
  static Time get(const Own& own, ThreadId t) { return Clocks::get(own, t); }
  const Time* knows_nothing() const { return nothing_.times(); }

  void fork(ThreadId t, ThreadId u, Time time) {
    Thread& child = living(u);
    clocks_.assign(passed_, living(t).clock, t, time);
    clocks_.join(child.clock, u, time, passed_);
  }
  void join(ThreadId t, ThreadId u, Time time) {
    Thread& child = threads_[index(u)];
    if (!child.joined) Rule::bury(clocks_, actor(u, time));
    Rule::join(clocks_, actor(t, time), child.ended);
  }

  // Where ids are of slots, which several threads have one after another (slots.h).
  bool knows(ThreadId t, clock::Epoch e) { return get(living(t).clock, e.thread()) >= e.time(); }
  // What a joined thread knew, whose slot is to be another's.
  bool has_ended(ThreadId u) const { return threads_[index(u)].joined; }
  Message take_ended(ThreadId u) {
    threads_[index(u)].joined = false;
    return std::exchange(threads_[index(u)].ended, Message{});
  }
  void join_ended(ThreadId t, const Message& ended, Time time) {
    clocks_.join(living(t).clock, t, time, ended);
  }

  void send(ThreadId t, ChannelId c, Time time) {
    clocks_.add(channels_[index(c)], living(t).clock, t, time);
  }
  void recv(ThreadId t, ChannelId c, Time time) {
    clocks_.join(living(t).clock, t, time, channels_[index(c)]);
  }

  void barrier_enter(ThreadId t, BarrierId b, std::uint64_t generation, Time time) {
    const Key key{index(b), generation};
    if (latest_ == nullptr || !(latest_->first == key)) latest_ = &*generations_.try_emplace(key).first;
    Rule::enter(clocks_, actor(t, time), latest_->second);
  }
  void barrier_exit(ThreadId t, BarrierId b, std::uint64_t generation, Time time) {
    const Key key{index(b), generation};
    if (latest_ == nullptr || !(latest_->first == key)) {
      const auto g = generations_.find(key);
      if (g == generations_.end()) return;
      latest_ = &*g;
    }
    if (!Rule::leave(clocks_, actor(t, time), latest_->second)) return;
    generations_.erase(key);
    latest_ = nullptr;
  }

  void fence(ThreadId t, MemoryOrder order, Time time) { Rule::fence(clocks_, actor(t, time), order); }
  // What a load sees happens before it, so this comes before the access is checked.
  void atomic(ThreadId t, VarId x, const Op& op, Time time) {
    const auto by = actor(t, time);
    if (Write* const last = last_alone(x, op)) {
      if (op.kind != EventKind::atomic_store) Rule::atomic_load(clocks_, by, op.order, last->message);
      if (op.kind == EventKind::atomic_load) return;
      Rule::atomic_write(clocks_, by, op.kind, op.order, last->message);
      last->time = time;
      return;
    }
    const Bytes bytes = bytes_of(x, op);
    // A copy, since the write below changes the place it comes from.
    if (op.kind != EventKind::atomic_store) {
      see(bytes);
      Rule::atomic_load(clocks_, by, op.order, seen_);
    }
    if (op.kind == EventKind::atomic_load) return;
    Rule::atomic_write(clocks_, by, op.kind, op.order, seen_);
    overwrite(bytes, time, &seen_);
  }
  // The last atomic came to know more by the value that it found, and passes that on if it releases.
  void atomic_knows_more(ThreadId t, VarId x, const Op& op, Time time) {
    if (!Rule::releases(op.order)) return;
    bytes_of(x, op).each_cell([&](std::uint32_t cell, model::ByteMask) {
      for (Write& write : atomics_[cell]) {
        if (write.time == time) clocks_.add(write.message, living(t).clock, t, time);
      }
    });
  }
  // A write that is not atomic, or new memory: nothing that was there before is seen any more. Of no interest
  // as long as there was no atomic; has_atomics() tells.
  bool has_atomics() const { return atomic_cells_ != 0; }
  void plain_write(VarId x, const Op& op, Time time) {
    if (atomic_cells_ == 0) return;
    if (cells(op) <= atomic_cells_ + kFewCells) return overwrite(bytes_of(x, op), time, nullptr);
    // More cells than there are atomics: rather go through these.
    std::vector<std::uint32_t> touched;
    atomics_.for_each([&](std::uint32_t cell, const std::vector<Write>& writes) {
      if (!writes.empty() && cell >= index(x) && cell - index(x) < cells(op)) touched.push_back(cell);
    });
    for (const std::uint32_t cell : touched) {
      overwrite_cell(cell, model::bytes_in_cell(op, cell - index(x)), time, nullptr);
    }
  }

  void narrow_plain_write(std::uint32_t cell, model::ByteMask bytes, Time time) {
    const std::vector<Write>* const writes = atomics_.find(cell);
    if (writes != nullptr && !writes->empty()) overwrite_cell(cell, bytes, time, nullptr);
  }

  // Whether it must be told of all accesses, after they are checked.
  static constexpr bool kFollowsValues = false;

  // What a write leaves for those who read it (reads_from.h): all that its thread knew.
  using Left = Message;
  void leave_to_readers(Left& left, ThreadId t, Time time) { clocks_.assign(left, living(t).clock, t, time); }
  void find_what_was_left(ThreadId t, const Left& left, Time time) {
    clocks_.join(living(t).clock, t, time, left);
  }
  // Whether it is no news to thread t, which knows this.
  static bool knows_what_was_left(ThreadId t, const Moment& now, const Left& left) {
    return static_cast<unsigned>(!left.last.none()) & static_cast<unsigned>(now.covers(t, left.last));
  }
  static bool nothing_left(const Left& left) { return left.vector == nullptr; }
  static Left share_left(const Left& left) { return left.share(); }
  void drop_left(Left& left) { clocks_.clear(left); }
  static void prefetch_left(const Left& left) { __builtin_prefetch(left.vector, 1); }
  // For orders in which what a thread has learnt, and what it tells others, counts.
  void learnt(ThreadId, Time) {}
  void tells(ThreadId, Time) {}

  // Orders with locks have something to do here.
  void acquire(ThreadId, LockId, Time) {}
  void release(ThreadId, LockId, Time) {}
  void acquire_shared(ThreadId, LockId, Time) {}
  void release_shared(ThreadId, LockId, Time) {}

  std::size_t bytes() const { return clocks_.bytes() + atomics_.bytes(); }

 protected:
  using Thread = typename Rule::Thread;

  [[gnu::always_inline]] Thread& living(ThreadId t) {
    Thread& thread = threads_[index(t)];
    if (!thread.alive) [[unlikely]]
      enliven(thread, t);
    return thread;
  }
  [[gnu::always_inline]] typename Rule::Actor actor(ThreadId t, Time time) { return {living(t), t, time}; }
  [[gnu::noinline]] void enliven(Thread& thread, ThreadId t) {
    clocks_.start(thread.clock, t);
    thread.alive = true;
  }

  Clocks clocks_;

 private:
  using Bytes = model::ByteRange;

  static constexpr std::uint64_t kFewCells = 4096;

  using Generation = typename Rule::Generation;
  struct Key {
    std::uint32_t id;
    std::uint64_t part;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      return static_cast<std::size_t>((k.part * 0x9E3779B97F4A7C15u) ^
                                      (std::uint64_t{k.id} * 0xC2B2AE3D27D4EB4Fu));
    }
  };
  // The last writes of a cell that had an atomic one, each with the bytes that no later one has.
  struct Write {
    model::ByteMask bytes;
    bool atomic;
    Time time;
    Message message;
  };

  static Bytes bytes_of(VarId x, const Op& op) { return {x, op}; }
  // The last write of what an atomic accesses, if these are the same bytes of one cell, and all in it that is
  // known: mostly an atomic is alone in its cell, and has the size it had. Else null.
  Write* last_alone(VarId x, const Op& op) {
    if (atomic_cells_ == 0 || cells(op) != 1) return nullptr;
    std::vector<Write>& writes = atomics_[index(x)];
    const bool alone =
        writes.size() == 1 && writes[0].atomic && writes[0].bytes == model::bytes_in_cell(op, 0);
    return alone ? writes.data() : nullptr;
  }
  // seen_ := what the last writes of the bytes left, cell by cell.
  void see(const Bytes& bytes) {
    clocks_.clear(seen_);
    bytes.each_cell([&](std::uint32_t cell, model::ByteMask mask) {
      const std::vector<Write>* const writes = atomics_.find(cell);
      if (writes == nullptr) return;
      const Write* last = nullptr;
      for (const Write& write : *writes) {
        if ((write.bytes & mask) != 0 && (last == nullptr || write.time > last->time)) last = &write;
      }
      if (last != nullptr && last->atomic) clocks_.add(seen_, last->message);
    });
  }
  // `message` is null for writes that are not atomic; these are kept only where there were atomic ones, since
  // a part of what a later load sees may be theirs.
  void overwrite(const Bytes& bytes, Time time, const Message* message) {
    bytes.each_cell([&](std::uint32_t cell, model::ByteMask mask) {
      const std::vector<Write>* const writes = atomics_.find(cell);
      if (message != nullptr || (writes != nullptr && !writes->empty()))
        overwrite_cell(cell, mask, time, message);
    });
  }
  void overwrite_cell(std::uint32_t cell, model::ByteMask mask, Time time, const Message* message) {
    std::vector<Write>& writes = atomics_[cell];
    if (writes.empty()) ++atomic_cells_;
    std::erase_if(writes, [&](Write& write) {
      write.bytes = static_cast<model::ByteMask>(write.bytes & ~mask);
      if (write.bytes == 0) clocks_.clear(write.message);
      return write.bytes == 0;
    });
    writes.push_back({mask, message != nullptr, time, {}});
    if (message != nullptr) clocks_.assign(writes.back().message, *message);
    if (std::ranges::any_of(writes, [](const Write& write) { return write.atomic; })) return;
    writes.clear();
    --atomic_cells_;
  }

  std::vector<Thread> threads_;
  model::Table<Message> channels_;
  using Generations = std::unordered_map<Key, Generation, Hash>;
  Generations generations_;
  typename Generations::value_type* latest_ = nullptr;  // the last one entered or left: mostly the next, too
  model::Table<std::vector<Write>> atomics_;            // by cell; empty where there is no atomic
  std::uint64_t atomic_cells_ = 0;
  Message passed_, seen_;  // on their way
  Own nothing_;            // of threads that know of no other
  bool nothing_known_ = false;
};

}  // namespace deadheat::order
