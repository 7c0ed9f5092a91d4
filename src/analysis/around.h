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

// Events around one pair or several: parts that overlap are kept once.
struct Region {
  std::uint64_t first = 0, end = 0;  // events
  std::vector<Event> events;         // fewer if the trace ends before
  std::vector<solve::Window::Held> held;
  bool whole = false;  // it is the trace

  solve::Window window() const { return {first, events, held}; }
};

// What is near a pair, within its region.
struct Part {
  std::size_t region = 0;
  std::uint64_t first = 0, end = 0;       // events
  std::vector<solve::Window::Held> held;  // at its start
};

struct Surroundings {
  std::vector<Region> regions;
  std::vector<Part> parts;  // by pair

  solve::Window near(std::size_t pair) const;
};

struct Reach {
  std::uint64_t before = std::uint64_t{1} << 17, after = std::uint64_t{1} << 16;  // events of a region
  std::uint64_t near_before = std::uint64_t{1} << 11, near_after = std::uint64_t{1} << 10;
};

// Read in one pass. Nothing, if the time is up before that is done.
Result<Surroundings> regions_around(
    const std::string& path, const ReadOptions& read, std::span<const model::RacePair> pairs,
    const Reach& reach = {},
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());

}  // namespace deadheat::analysis
