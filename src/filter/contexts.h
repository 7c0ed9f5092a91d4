// The concurrency context of a thread as a number: two accesses of a thread have the same number only if
// nobody can have come to be ordered after one and not after the other. What a number meant is never meant
// again by another.
// Huang & Rajagopalan, "What's the Optimal Performance of Precise Dynamic Race Detection?" (ECOOP 2017),
// definition 5.
#pragma once

#include <cstdint>
#include <vector>

#include "deadheat/event.h"
#include "model/pair_table.h"
#include "order/locksets.h"

namespace deadheat::filter {

// Whether others may be ordered after what the thread did before this, locks aside: the paper's SND. A
// release fence is one itself, not the store behind it: that passes on only what was known at the fence.
inline bool passes_on(const Op& op) {
  const auto releases = [&] {
    return op.order == MemoryOrder::release || op.order == MemoryOrder::acq_rel ||
           op.order == MemoryOrder::seq_cst;
  };
  switch (op.kind) {
    case EventKind::fork:
    case EventKind::end:
    case EventKind::send:
    case EventKind::barrier_enter:
      return true;
    case EventKind::fence:
    case EventKind::atomic_store:
    case EventKind::atomic_rmw:
      return releases();
    default:
      return false;
  }
}

// Numbers that are given out once. There are 2^32: who uses them up has to forget all and begin anew.
class Numbers {
 public:
  std::uint32_t next() { return ++last_; }
  // Whether there are at least so many left.
  bool left(std::uint64_t count) const { return UINT32_MAX - last_ > count; }
  void restart() { last_ = 0; }

 private:
  std::uint32_t last_ = 0;  // 0 is nobody's
};

// For happens-before: a number until the thread's next release of any kind. The order in which a thread did
// its releases need not be kept, since a thread does not come back to an earlier context.
class OwnReleases {
 public:
  // Of a hundred events so many must be left out, or engines gain less than is spent on asking. Measured: to
  // ask costs 3 to 4 ns; what is spared is 4 to 15 ns an access with fasttrack, and more with engines that go
  // by locksets.
  static constexpr std::uint64_t kWorth = 75;

  std::uint32_t now(std::uint32_t t) const { return now_[t]; }
  void reserve(std::uint32_t threads) {
    while (now_.size() < threads) now_.push_back(numbers_.next());
  }
  void event(std::uint32_t t, const Op& op, std::uint32_t /*object*/) {
    if (op.kind == EventKind::release || op.kind == EventKind::release_shared || passes_on(op)) {
      now_[t] = numbers_.next();
    }
  }
  // Nothing that was known before counts any more.
  void renew() {
    for (std::uint32_t& now : now_) now = numbers_.next();
  }
  bool numbers_left(std::uint64_t count) const { return numbers_.left(count); }
  void restart() {
    numbers_.restart();
    renew();
  }
  std::uint64_t bytes() const { return now_.capacity() * sizeof(now_[0]); }
  std::uint64_t forgotten() const { return 0; }

 private:
  Numbers numbers_;
  std::vector<std::uint32_t> now_;  // by thread
};

// For what locks do not order: a number for each set of locks, until the thread passes on in another way. A
// thread that takes the same locks again comes back to the number. Of what a thread held when it was last
// renewed nothing need be known: until it gives up some of it, that is the same in all of its sets.
class LocksHeld {
 public:
  static constexpr std::uint64_t kWorth = 15;

  std::uint32_t now(std::uint32_t t) const { return threads_[t].now; }
  void reserve(std::uint32_t threads);
  void event(std::uint32_t t, const Op& op, std::uint32_t object);
  void renew();
  bool numbers_left(std::uint64_t count) const { return numbers_.left(count); }
  void restart() {
    numbers_.restart();
    renew();
  }
  std::uint64_t bytes() const;
  std::uint64_t forgotten() const { return forgotten_; }  // numbers of sets

 private:
  static constexpr std::size_t kMostSets = 4096;

  struct Thread {
    std::uint32_t now = 0;
    order::LocksetId held = order::LocksetId::empty;  // taken since all was renewed
    model::PairTable<std::uint32_t> numbers;          // by set
  };
  void renew(Thread& thread);
  void hold(Thread& thread, order::LocksetId set);
  void give_up(Thread& thread, LockId l, order::Locksets::Mode mode);

  Numbers numbers_;
  order::Locksets sets_;
  std::vector<Thread> threads_;
  std::uint64_t forgotten_ = 0;
};

// Shared by threads: what was released, in its order, whoever did it. The paper's trie, each node a number; a
// node has a child for each lock that was released next. What else passes on has an identity of its own, and
// leads to a new node that nobody else comes to.
class SharedReleases {
 public:
  static constexpr std::uint64_t kWorth = 75;

  explicit SharedReleases(std::size_t most_nodes) : most_nodes_(most_nodes), root_(numbers_.next()) {}

  std::uint32_t now(std::uint32_t t) const { return now_[t]; }
  void reserve(std::uint32_t threads) {
    while (now_.size() < threads) now_.push_back(root_);
  }
  void event(std::uint32_t t, const Op& op, std::uint32_t object);
  // The threads are apart from here on, and so are those that are yet to come: what these had in common with
  // others is not known any more.
  void renew();
  bool numbers_left(std::uint64_t count) const { return numbers_.left(count); }
  void restart() {
    numbers_.restart();
    renew();
  }
  std::uint64_t bytes() const { return children_.bytes() + now_.capacity() * sizeof(now_[0]); }
  std::uint64_t forgotten() const { return forgotten_; }  // nodes

 private:
  std::size_t most_nodes_;
  Numbers numbers_;
  std::uint32_t root_;
  std::vector<std::uint32_t> now_;            // by thread
  model::PairTable<std::uint32_t> children_;  // by node, and lock with its mode
  std::uint64_t forgotten_ = 0;
};

}  // namespace deadheat::filter
