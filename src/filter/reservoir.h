// Windows drawn from a trace whose length is not known before its end. Each of `count` slots holds one
// window, which begins, by itself and whatever the others do, at any place of [0, n - k] with the same
// probability, whenever the trace may end: as algorithm 3 draws them that knows n. A window is adopted at its
// begin, with probability 1 / (i + 1) at event i, and takes the place of the one before it once it is whole.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "base/random.h"
#include "filter/windows.h"

namespace deadheat::filter {

class Reservoir {
 public:
  Reservoir(std::uint64_t count, std::uint64_t seed);

  // Where the next window begins, of any slot.
  std::uint64_t next() const { return next_.top().begin; }
  // It begins, and all others that begin there.
  void take();

  // How the windows of all slots lie if the trace ends after n events, at least k. May be asked for each n
  // that is not before the last.
  std::vector<std::uint64_t> begins(std::uint64_t n, std::uint64_t length) const;
  // Windows that begin before this and are whole are not asked for any more but the last of each slot.
  void forget(std::uint64_t n, std::uint64_t length);

 private:
  struct Next {
    std::uint64_t begin;
    std::uint32_t slot;
    friend auto operator<=>(const Next&, const Next&) = default;
  };

  base::Random random_;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next_;
  std::vector<std::vector<std::uint64_t>> begun_;  // by slot, rising
};

}  // namespace deadheat::filter
