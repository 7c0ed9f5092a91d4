// One state for a stretch of memory, as long as nothing tells its bytes apart. Adjacent ones are not put
// together. Time O(log n) a stretch touched, memory O(1) each, however long they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace deadheat::model {

// Bytes, counted from the first byte of the first place.
struct Stretch {
  std::uint64_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

// State: as for Cells.
template <class State>
class Stretches {
 public:
  bool empty() const { return all_.empty(); }

  // f(state, part) for parts that together are the stretch; where there was no state, with a new one.
  template <class F>
  void visit(Stretch stretch, F&& f) {
    cut(stretch.begin);
    cut(stretch.end);
    for (std::uint64_t begin = stretch.begin; begin < stretch.end;) {
      auto at = all_.lower_bound(begin);
      if (at == all_.end() || at->first != begin) {
        const std::uint64_t end = at == all_.end() ? stretch.end : std::min(stretch.end, at->first);
        at = all_.emplace_hint(at, begin, Long{end, State{}});
      }
      f(at->second.state, Stretch{begin, at->second.end});
      begin = at->second.end;
    }
  }
  // f(state, part) for what there is of the stretch.
  template <class F>
  void visit_known(Stretch stretch, F&& f) const {
    if (stretch.empty()) return;
    auto at = all_.upper_bound(stretch.begin);
    if (at != all_.begin() && std::prev(at)->second.end > stretch.begin) --at;
    for (; at != all_.end() && at->first < stretch.end; ++at) {
      f(at->second.state, Stretch{std::max(stretch.begin, at->first), std::min(stretch.end, at->second.end)});
    }
  }
  // forget(state) is called before a state is lost.
  template <class F>
  void forget(Stretch stretch, F&& forget) {
    if (all_.empty() || stretch.empty()) return;
    cut(stretch.begin);
    cut(stretch.end);
    const auto first = all_.lower_bound(stretch.begin);
    auto at = first;
    for (; at != all_.end() && at->first < stretch.end; ++at) forget(at->second.state);
    all_.erase(first, at);
  }
  template <class F>
  void for_each(F&& f) {
    for (auto& [begin, stretch] : all_) f(stretch.state);
  }
  template <class F>
  void for_each(F&& f) const {
    for (const auto& [begin, stretch] : all_) f(stretch.state);
  }
  // About: of a tree, each node of which has three pointers and a colour besides.
  std::size_t bytes() const { return all_.size() * (sizeof(Long) + 5 * sizeof(void*)); }

 private:
  struct Long {
    std::uint64_t end;
    State state;
  };

  // No stretch goes across this byte any more.
  void cut(std::uint64_t at) {
    const auto behind = all_.lower_bound(at);
    if (behind == all_.begin()) return;
    Long& before = std::prev(behind)->second;
    if (before.end <= at) return;
    all_.emplace_hint(behind, at, Long{before.end, before.state.clone()});
    before.end = at;
  }

  std::map<std::uint64_t, Long> all_;  // by first byte
};

}  // namespace deadheat::model
