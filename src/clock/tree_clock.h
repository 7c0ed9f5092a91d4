// A clock that remembers how its owner came to know of each thread, so that joining and copying look only at
// what is new. Mathur, Pavlogiannis, Tunc & Viswanathan, "A Tree Clock Data Structure for Causal Orderings in
// Concurrent Executions" (ASPLOS 2022), algorithm 2.
// The owner is the root. A node's children are the threads it learnt of directly, the latest first; `learnt`
// is the parent's time when it did (the paper's aclk). Who knows the parent at that time knows the child's
// subtree. Departs: times are event numbers (clock/time.h), and the root's is set where it joins and where it
// is copied, instead of being ticked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "clock/time.h"

namespace deadheat::clock {

class TreeClock {
 public:
  // Room for the work of one call, to be used again by the next.
  struct Scratch {
    struct Step {
      std::uint32_t u, v;
    };
    std::vector<std::uint32_t> news;
    std::vector<Step> path;
  };

  bool empty() const { return root_ == kNone; }
  std::uint32_t root() const { return root_; }
  Time get(std::uint32_t t) const { return t < nodes_.size() ? nodes_[t].time : 0; }
  std::size_t bytes() const { return nodes_.capacity() * sizeof(Node); }

  void start(std::uint32_t root) {
    root_ = root;
    grow(root + std::size_t{1});
  }
  // Whether nothing was learnt yet.
  bool alone() const { return root_ != kNone && nodes_[root_].child == kNone; }
  // The owner is at this time now.
  void set(Time now) { nodes_[root_].time = now; }
  void clear() {
    nodes_.clear();
    root_ = kNone;
  }

  // this := this |_| other. This root's time must be later than whatever the other knows of it.
  void join(const TreeClock& other, Scratch& scratch) {
    const std::uint32_t from = other.root_;
    if (other.nodes_[from].time <= get(from)) return;
    grow(other.nodes_.size());
    gather(other, kNone, scratch);
    for (const std::uint32_t v : scratch.news) detach(v);
    attach(other, scratch.news);
    push_child(root_, from, nodes_[root_].time);
  }
  // this := other, where this knows nothing that the other does not.
  void copy_monotone(const TreeClock& other, Scratch& scratch) {
    grow(other.nodes_.size());
    gather(other, root_, scratch);
    for (const std::uint32_t v : scratch.news) {
      if (v != root_) detach(v);
    }
    attach(other, scratch.news);
    root_ = other.root_;
    Node& root = nodes_[root_];
    root.parent = root.next = root.previous = kNone;
  }
  // Learns of one thread alone. The root's time must be set to now.
  void learn(std::uint32_t v, Time time) {
    grow(v + std::size_t{1});
    if (v == root_ || nodes_[v].time >= time) return;
    detach(v);
    nodes_[v].time = time;
    push_child(root_, v, nodes_[root_].time);
  }
  template <class F>
  void for_each(F&& f) const {
    for (std::uint32_t t = 0; t < nodes_.size(); ++t) {
      if (nodes_[t].time != 0) f(t, nodes_[t].time);
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Node {
    Time time = 0;  // 0: not in the tree, unless it is the root
    Time learnt = 0;
    std::uint32_t parent = kNone, child = kNone, next = kNone, previous = kNone;
  };

  void grow(std::size_t threads) {
    if (threads > nodes_.size()) nodes_.resize(threads);
  }

  // The threads of which the other knows more, parents behind their children (getUpdatedNodesJoin and
  // ...Copy). With `moved`, that thread too where it is come upon: its place in the tree changes.
  void gather(const TreeClock& other, std::uint32_t moved, Scratch& scratch) {
    auto& [news, path] = scratch;
    news.clear();
    path.clear();
    path.push_back({other.root_, other.nodes_[other.root_].child});
    while (!path.empty()) {
      auto& [u, v] = path.back();
      if (v == kNone) {
        news.push_back(u);
        path.pop_back();
        continue;
      }
      const std::uint32_t here = v;
      const Node& node = other.nodes_[here];
      v = node.next;
      if (nodes_[here].time < node.time) {
        path.push_back({here, node.child});  // u and v are void now
        continue;
      }
      if (here == moved) news.push_back(here);
      // The rest was learnt before, when this knew of it.
      if (node.learnt <= nodes_[u].time) v = kNone;
    }
  }
  void detach(std::uint32_t v) {
    Node& node = nodes_[v];
    if (node.parent == kNone) return;
    if (node.previous == kNone) {
      nodes_[node.parent].child = node.next;
    } else {
      nodes_[node.previous].next = node.next;
    }
    if (node.next != kNone) nodes_[node.next].previous = node.previous;
    node.parent = node.next = node.previous = kNone;
  }
  void push_child(std::uint32_t parent, std::uint32_t v, Time learnt) {
    Node& node = nodes_[v];
    node.learnt = learnt;
    node.parent = parent;
    node.previous = kNone;
    node.next = nodes_[parent].child;
    if (node.next != kNone) nodes_[node.next].previous = v;
    nodes_[parent].child = v;
  }
  // Puts what was gathered where the other has it; its root is left to the caller.
  void attach(const TreeClock& other, const std::vector<std::uint32_t>& news) {
    for (std::size_t i = news.size(); i-- > 0;) {
      const std::uint32_t v = news[i];
      const Node& node = other.nodes_[v];
      nodes_[v].time = node.time;
      if (v != other.root_) push_child(node.parent, v, node.learnt);
    }
  }

  std::uint32_t root_ = kNone;
  std::vector<Node> nodes_;  // by thread
};

}  // namespace deadheat::clock
