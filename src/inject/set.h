// A folder of traces with known races, made attempt by attempt. It can be stopped and taken up again at any
// time: attempts.tsv tells what has become of each attempt, and set.json says that the set is whole only when
// it is. The same options make the same set, with any number of threads at work.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "inject/injection.h"

namespace deadheat::inject {

enum class Format : std::uint8_t { dht, std, text };

struct SetOptions {
  std::string folder;
  std::uint64_t traces = 100;  // to be made
  std::uint64_t seed = 1;
  Wishes wishes;
  std::string hard;  // as asked for: "", "hb", "wcp,syncp"
  Format format = Format::dht;
  unsigned jobs = 1;
  std::optional<std::chrono::milliseconds> time;  // then it stops; none: when it is done
  std::function<void(std::uint64_t made)> progress = [](std::uint64_t) {};
};

struct SetReport {
  std::uint64_t made = 0, twins = 0;  // in the folder
  std::uint64_t found = 0;            // of them, were there before
  std::uint64_t attempts = 0;
  std::uint64_t again = 0;  // attempts that made a trace that was made before
  std::array<std::uint64_t, kFailures> failures{};
  std::string refusal;  // of the judge, the first one
  Effort effort;        // of this run
  std::uint64_t least_distance = 0, most_distance = 0, all_distances = 0;
  bool out_of_time = false;
  bool whole = false;  // as many as asked for
};

// An error: the folder is of something else, or cannot be written.
Result<SetReport> make_set(const BaseTrace& base, const SetOptions& options);

}  // namespace deadheat::inject
