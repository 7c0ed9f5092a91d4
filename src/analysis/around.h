// Parts of a trace around pairs of accesses, for who wants to look at them event by event.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "deadheat/trace.h"
#include "model/race.h"
#include "solve/window.h"

namespace deadheat::analysis {

struct Part {
  std::uint64_t first = 0, end = 0;  // events
  std::vector<Event> events;         // fewer if the trace ends before
  std::vector<solve::Window::Held> held;
  bool whole = false;  // it is the trace

  solve::Window window() const { return {first, events, held}; }
};

struct Reach {
  std::uint64_t before = std::uint64_t{1} << 17, after = std::uint64_t{1} << 16;  // events
};

// The parts around pairs, read in one pass. None, if the time is up before that is done.
Result<std::vector<Part>> parts_around(
    const std::string& path, const ReadOptions& read, std::span<const model::RacePair> pairs,
    const Reach& reach = {},
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());

}  // namespace deadheat::analysis
