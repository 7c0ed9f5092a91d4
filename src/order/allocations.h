// Which allocs and frees each byte of memory has seen, by ranges: as many as the program's, whatever their
// size.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

#include "clock/time.h"
#include "deadheat/event.h"

namespace deadheat::order {

template <class Clocks>
class Allocations {
 public:
  using Own = typename Clocks::Own;
  using Message = typename Clocks::Message;
  using Time = clock::Time;

  explicit Allocations(Clocks& clocks) : clocks_(clocks) {}

  bool empty() const { return ranges_.empty(); }

  // Comes after all earlier allocs and frees of its bytes, and so may stand for them. learnt() is called when
  // the thread knows of these, before others are told.
  template <class Learnt>
  void alloc(Own& own, ThreadId t, Time time, std::uint64_t begin, std::uint64_t end, Learnt&& learnt) {
    cut(begin);
    cut(end);
    const auto first = ranges_.lower_bound(begin);
    auto at = first;
    for (; at != ranges_.end() && at->first < end; ++at) {
      clocks_.join(own, t, time, at->second.all);
      clocks_.clear(at->second.all);
      clocks_.clear(at->second.last);
    }
    ranges_.erase(first, at);
    learnt();
    note(ranges_[begin] = Range{end, {}, {}}, own, t, time);
  }
  void free(const Own& own, ThreadId t, Time time, std::uint64_t begin, std::uint64_t end) {
    cut(begin);
    cut(end);
    while (begin < end) {
      const auto at = ranges_.lower_bound(begin);
      if (at == ranges_.end() || at->first != begin) {
        // Nothing is known of these.
        const std::uint64_t to = at == ranges_.end() || at->first > end ? end : at->first;
        note(ranges_[begin] = Range{to, {}, {}}, own, t, time);
        begin = to;
      } else {
        note(at->second, own, t, time);
        begin = at->second.end;
      }
    }
  }
  // The thread reads what the last of them left at this byte.
  void read(Own& own, ThreadId t, Time time, std::uint64_t byte) {
    const auto behind = ranges_.upper_bound(byte);
    if (behind == ranges_.begin()) return;
    const Range& range = std::prev(behind)->second;
    if (byte < range.end) clocks_.join(own, t, time, range.last);
  }

 private:
  struct Range {
    std::uint64_t end = 0;
    Message all, last;  // what all of them knew, and the last one
  };

  void note(Range& range, const Own& own, ThreadId t, Time time) {
    clocks_.add(range.all, own, t, time);
    clocks_.assign(range.last, own, t, time);
  }
  // No range goes across this byte any more.
  void cut(std::uint64_t at) {
    const auto behind = ranges_.lower_bound(at);
    if (behind == ranges_.begin()) return;
    Range& range = std::prev(behind)->second;
    if (range.end <= at) return;
    ranges_.emplace_hint(behind, at, Range{range.end, range.all.share(), range.last.share()});
    range.end = at;
  }

  Clocks& clocks_;
  std::map<std::uint64_t, Range> ranges_;  // by first byte
};

}  // namespace deadheat::order
