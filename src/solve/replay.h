// The state of locks and memory while events of a window are done one by one.
#pragma once

#include <vector>

#include "solve/rules.h"

namespace deadheat::solve {

class Replay {
 public:
  explicit Replay(const Rules& rules);

  // Who holds lock l in a way that keeps event i, an acquire, from being done; empty: nobody.
  std::vector<Section> in_the_way(Index i) const;
  bool may_acquire(Index i) const;
  Index last(Index part) const { return last_[part]; }  // who set it
  void do_event(Index i);

 private:
  bool excludes(const Section& held, Index i) const;

  const Rules& rules_;
  std::vector<std::vector<Section>> held_;  // by lock
  std::vector<Index> last_;                 // by part
};

}  // namespace deadheat::solve
