// Races of a free with earlier frees of memory that was never accessed. They are told for each cell of it, as
// others are, but of very much memory only for some lines of cells: those that are the first of their kind,
// by the line's number modulo kKinds. So what is told does not depend on how the variables are divided.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/sorted_block.h"
#include "history/access.h"

namespace deadheat::engine {

class Unaccessed {
 public:
  static constexpr std::uint32_t kKinds = 1024;

  explicit Unaccessed(Sharding sharding) : kinds_(std::max(1u, kKinds >> sharding.bits)) {}

  // Parts must come in order.
  void add(model::Stretch part, const history::Met& met) {
    const auto known = std::ranges::find(earlier_, met.epoch, [](const Earlier& e) { return e.met.epoch; });
    parts_.push_back({part, static_cast<std::size_t>(known - earlier_.begin())});
    if (known == earlier_.end()) earlier_.push_back({met, kinds_, {}});
  }
  // f(place, met) for the places from where the last call ended to this one, none of which was accessed.
  template <class F>
  void tell_up_to(std::uint64_t place, F&& f) {
    if (parts_.empty()) return;
    while (next_ < place) {
      while (first_ < parts_.size() && done(parts_[first_])) ++first_;
      if (first_ == parts_.size()) break;
      next_ = std::max(next_, parts_[first_].bytes.begin / kCellBytes);
      if (next_ >= place) break;
      for (std::size_t i = first_; i < parts_.size() && parts_[i].bytes.begin < (next_ + 1) * kCellBytes;
           ++i) {
        if (parts_[i].bytes.end <= next_ * kCellBytes) continue;
        Earlier& e = earlier_[parts_[i].earlier];
        if (tells(e, next_ >> Sharding::kTogetherBits)) f(static_cast<std::uint32_t>(next_), e.met);
      }
      ++next_;
    }
    next_ = std::max(next_, place);
  }
  void pass(std::uint64_t place) { next_ = place + 1; }

 private:
  struct Earlier {
    history::Met met;
    std::uint32_t left;                // kinds of which no line was told
    std::vector<std::uint64_t> lines;  // by kind: the one that was, plus 1
  };
  struct Part {
    model::Stretch bytes;
    std::size_t earlier;
  };

  bool done(const Part& part) const {
    return part.bytes.end <= next_ * kCellBytes ||
           (earlier_[part.earlier].left == 0 && next_ % (1u << Sharding::kTogetherBits) == 0);
  }
  bool tells(Earlier& e, std::uint64_t line) const {
    if (e.lines.empty()) e.lines.resize(kinds_);
    std::uint64_t& told = e.lines[line % kinds_];
    if (told == 0) {
      told = line + 1;
      --e.left;
    }
    return told == line + 1;
  }

  std::uint32_t kinds_;  // of lines in the shard
  std::vector<Earlier> earlier_;
  std::vector<Part> parts_;
  std::size_t first_ = 0;   // parts before it are done with
  std::uint64_t next_ = 0;  // place
};

}  // namespace deadheat::engine
