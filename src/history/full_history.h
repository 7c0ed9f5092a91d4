// Everything that can still race, so that an access is flagged if and only if some earlier one races with it.
// DJIT+ (Pozniansky & Schuster 2007). Departs: one clock for "the last write" is not enough once a race has
// happened: a write that the next one is not ordered after is kept. And accesses that a later one is ordered
// after are not kept (see access_history.h), where the paper keeps two vectors of times a variable.
#pragma once

#include "history/access_history.h"

namespace deadheat::history {

struct KeepReplaced {
  template <class State>
  static void replaced(State& s) {
    s.share();
    s.put(s.last_write());
  }
};
using FullHistory = AccessHistory<KeepReplaced>;

}  // namespace deadheat::history
