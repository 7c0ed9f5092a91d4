// Tree clocks as orders use them. See flat_clocks.h for what the operations mean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "clock/tree_clock.h"

namespace deadheat::clock {

class TreeClocks {
 public:
  struct Own {
    TreeClock tree;
  };
  // The sender's tree; or, of several senders, just times: no tree tells how a sum came to know of something.
  struct Message {
    TreeClock tree;
    std::vector<Time> sum;
    Epoch last;  // the sender and its time; none of a sum
  };

  explicit TreeClocks(std::uint32_t /*slots*/) {}

  void begin(std::uint32_t /*slot*/) {}
  static bool reserve(std::uint32_t /*threads*/) { return false; }
  static void start(Own& own, ThreadId t) { own.tree.start(index(t)); }
  static void widen(Own&) {}
  static void bury(Own& own) { own.tree.clear(); }
  static Time get(const Own& own, ThreadId t) { return own.tree.get(index(t)); }

  void join(Own& own, ThreadId t, Time now, const Message& message) {
    if (!message.last.none()) {
      const ThreadId u = message.last.thread();
      if (u == t || get(own, u) >= message.last.time()) return;
      own.tree.set(now);
      if (own.tree.alone() && message.tree.get(index(t)) != 0) {
        // The slot was another's, of which the message knows, and by it of others: its part of the tree is
        // not this one's.
        message.tree.for_each([&](std::uint32_t v, Time time) { own.tree.learn(v, time); });
      } else {
        own.tree.join(message.tree, scratch_);
      }
    } else if (!message.sum.empty()) {
      own.tree.set(now);
      for (std::uint32_t u = 0; u < message.sum.size(); ++u) own.tree.learn(u, message.sum[u]);
    }
  }
  void assign(Message& message, Own& own, ThreadId t, Time time) {
    own.tree.set(time);
    message.sum.clear();
    const ThreadId u = message.last.thread();
    // Who knows the sender at its time knows all that the message says.
    if (!message.last.none() && (u == t || get(own, u) >= message.last.time())) {
      message.tree.copy_monotone(own.tree, scratch_);
    } else {
      message.tree = own.tree;
    }
    message.last = Epoch(t, time);
  }
  void add(Message& message, Own& own, ThreadId t, Time time) {
    const ThreadId u = message.last.thread();
    const bool nothing = message.last.none() && message.sum.empty();
    if (nothing || (!message.last.none() && (u == t || get(own, u) >= message.last.time()))) {
      return assign(message, own, t, time);
    }
    own.tree.set(time);
    as_sum(message);
    add_tree(message.sum, own.tree);
  }
  void add(Message& message, const Message& other) {
    if (other.last.none() && other.sum.empty()) return;
    if (message.last.none() && message.sum.empty()) {
      message = other;
      return;
    }
    as_sum(message);
    if (!other.last.none()) {
      add_tree(message.sum, other.tree);
    } else {
      for (std::uint32_t u = 0; u < other.sum.size(); ++u) raise(message.sum, u, other.sum[u]);
    }
  }
  void assign(Message& message, const Message& other) { message = other; }
  void clear(Message& message) {
    message.tree.clear();
    message.sum.clear();
    message.last = {};
  }
  static std::size_t bytes() { return 0; }

 private:
  static void raise(std::vector<Time>& sum, std::uint32_t u, Time time) {
    if (u >= sum.size()) sum.resize(u + std::size_t{1});
    sum[u] = std::max(sum[u], time);
  }
  static void add_tree(std::vector<Time>& sum, const TreeClock& tree) {
    tree.for_each([&](std::uint32_t u, Time time) { raise(sum, u, time); });
  }
  static void as_sum(Message& message) {
    if (message.last.none()) return;
    add_tree(message.sum, message.tree);
    message.tree.clear();
    message.last = {};
  }

  TreeClock::Scratch scratch_;
};

}  // namespace deadheat::clock
