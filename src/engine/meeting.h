// What a search of pairs is asked, and answers: pair_detector.h asks.
#pragma once

#include <cstdint>

#include "clock/time.h"
#include "deadheat/event.h"
#include "order/moment.h"

namespace deadheat::engine {

enum class Verdict : std::uint8_t {
  meets,
  not_now,  // a later access of the thread may meet it
  never,    // nor will any access that the thread does from now on
};

// The access that is looked at: it is its thread's next event, and not done.
struct Later {
  ThreadId thread;
  clock::Time time;
  std::uint32_t cell;
  EventKind kind;
  SiteId site;
  order::Moment before;
  bool closed = false;  // whether the search has looked at what comes before it
};

}  // namespace deadheat::engine
