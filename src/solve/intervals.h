// Bytes of memory, divided where accesses begin and end: what is between two bounds is touched alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "deadheat/event.h"

namespace deadheat::solve {

class Intervals {
 public:
  explicit Intervals(std::span<const Event> events) {
    for (const Event& e : events) {
      if (object_kind(e.op.kind) != ObjectKind::variable) continue;
      bounds_.push_back(first_byte(e));
      bounds_.push_back(end_byte(e));
    }
    std::ranges::sort(bounds_);
    bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
  }

  std::size_t size() const { return bounds_.size(); }
  std::uint64_t begin(std::size_t interval) const { return bounds_[interval]; }
  // Behind the last one there is nothing.
  std::uint64_t end(std::size_t interval) const {
    return interval + 1 < bounds_.size() ? bounds_[interval + 1] : bounds_[interval];
  }
  VarId variable(std::size_t interval) const {
    return VarId{static_cast<std::uint32_t>(bounds_[interval] / kCellBytes)};
  }
  // f(interval) for each that an event touches, which must be one of those.
  template <class F>
  void each(const Event& e, F&& f) const {
    auto at = static_cast<std::size_t>(std::ranges::lower_bound(bounds_, first_byte(e)) - bounds_.begin());
    for (const std::uint64_t end = end_byte(e); bounds_[at] < end; ++at) f(at);
  }

 private:
  static std::uint64_t first_byte(const Event& e) {
    return std::uint64_t{e.object} * kCellBytes + (e.op.value == 0 ? 0 : e.op.offset);
  }
  static std::uint64_t end_byte(const Event& e) {
    return first_byte(e) + (e.op.value == 0 ? kCellBytes : e.op.value);
  }

  std::vector<std::uint64_t> bounds_;
};

}  // namespace deadheat::solve
