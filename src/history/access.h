// An access as a history sees it: within one cell.
#pragma once

#include <cstdint>

#include "clock/time.h"
#include "deadheat/event.h"
#include "model/bytes.h"

namespace deadheat::history {

using model::ByteMask;

// One cell of an access, or of a free. A wide access is several of these.
struct Access {
  ThreadId thread;
  clock::Time time;
  std::uint32_t place;  // of the variable, among those of the shard
  ByteMask bytes;
  EventKind kind;
  SiteId site;

  clock::Epoch epoch() const { return {thread, time}; }
};

// What is told of an earlier access that meets it.
struct Met {
  clock::Epoch epoch;
  SiteId site;
  EventKind kind;
};

}  // namespace deadheat::history
