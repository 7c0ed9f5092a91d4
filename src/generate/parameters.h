// What can be asked of a synthetic workload. docs/generate.md says more about each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "deadheat/event.h"
#include "deadheat/result.h"

namespace deadheat::generate {

enum class Pattern : std::uint8_t { mutex, rwlock, producer_consumer, barrier, atomics, many_threads, mixed };
inline constexpr std::size_t kPatterns = 7;
std::string_view name_of(Pattern pattern);  // "producer-consumer"
std::string_view meaning_of(Pattern pattern);
std::optional<Pattern> pattern_named(std::string_view name);

enum class ForkTree : std::uint8_t {
  flat,    // T0 forks and joins all others
  binary,  // Ti forks and joins T(2i+1) and T(2i+2)
  none,    // nobody is forked: all threads are there from the start
};

struct Parameters {
  Pattern pattern = Pattern::mutex;
  std::uint64_t seed = 1;
  std::uint64_t events = 1'000'000;
  std::uint32_t threads = 8;
  std::uint32_t live = 50;        // many-threads: alive at the same time, besides T0
  std::uint32_t locks = 32;       // mutex, rwlock, many-threads, mixed
  std::uint32_t shared = 2000;    // variables that threads share
  std::uint32_t local = 200;      // variables of each thread's own
  std::uint32_t sites = 1000;     // places in the program that read and write
  double access_share = 0.79;     // of reads and writes among all events
  double read_share = 0.7;        // of reads among them
  std::uint32_t nesting = 2;      // most locks a thread holds
  std::uint32_t run_length = 32;  // events of one thread in a row, on average
  ForkTree fork_tree = ForkTree::flat;
  bool sized = false;               // accesses have sizes and offsets; else they are of whole variables
  std::uint64_t races = 0;          // planted
  std::uint64_t race_distance = 1;  // events between the two accesses of one, where the schedule allows it
  std::size_t block_events = kBlockEvents;
};

// What a pattern uses where nothing else is asked for.
Parameters defaults_of(Pattern pattern);

// The fewest events that hold the forks, joins and planted races.
std::uint64_t least_events(const Parameters& parameters);

// A usage error where a parameter makes no sense.
Status validate(const Parameters& parameters);

inline constexpr std::uint64_t kMaxEvents = 1'000'000'000'000'000;
inline constexpr std::uint32_t kMaxThreads = 1u << 20;
inline constexpr std::uint32_t kMaxRoots = 1u << 16;  // threads that nobody forks
inline constexpr std::uint32_t kMaxLocks = 1u << 16;
inline constexpr std::uint32_t kMaxSites = 1u << 16;
inline constexpr std::uint32_t kMaxRunLength = 1u << 30;
inline constexpr std::uint32_t kMaxNesting = 16;
inline constexpr std::uint32_t kMaxVariables = 1u << 30;

}  // namespace deadheat::generate
