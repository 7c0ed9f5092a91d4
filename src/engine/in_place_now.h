// What a thread knows now, of clocks that change in place.
#pragma once

#include "clock/time.h"

namespace deadheat::engine {

template <class Order>
struct InPlaceNow {
  const typename Order::Own& own;
  bool covers(ThreadId t, clock::Epoch e) const {
    return e.thread() == t || e.time() <= Order::get(own, e.thread());
  }
};

}  // namespace deadheat::engine
