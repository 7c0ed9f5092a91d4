// What an engine says when it finds a race: the two accesses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "deadheat/event.h"

namespace deadheat::model {

// One of the two accesses.
struct Side {
  std::uint64_t event = 0;  // number in the trace
  ThreadId thread{};
  SiteId site = SiteId::none;
  EventKind kind = EventKind::read;  // an access, or free

  friend bool operator==(const Side&, const Side&) = default;
};

struct RacePair {
  VarId variable{};     // the cell in which they meet: of wide accesses, any one of those they share
  Side earlier, later;  // in the order of the trace

  friend bool operator==(const RacePair&, const RacePair&) = default;
};

// Pairs of one access with several earlier ones, which differ in nothing but the event.
struct RaceRow {
  VarId variable{};
  Side earlier;                           // the first of them
  std::span<const std::uint64_t> events;  // all of them, in order
  Side later;

  RacePair pair(std::size_t i) const {
    RacePair one{variable, earlier, later};
    one.earlier.event = events[i];
    return one;
  }
};

}  // namespace deadheat::model
