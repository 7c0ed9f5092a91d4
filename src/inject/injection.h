// One trace with known races, made from a base trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "engine/registry.h"
#include "inject/draft.h"
#include "inject/spread.h"

namespace deadheat::inject {

struct Wishes {
  std::uint64_t distance = 100;  // at least so many events between the two accesses
  std::size_t window = 100;      // events of a window
  std::vector<std::string> kinds = {"ww"};
  std::uint32_t races = 1;                     // in a trace
  bool hard = false;                           // happens-before must order the two
  std::vector<engine::Choice> missed_by = {};  // engines that must not tell the pair
  bool twins = false;
  std::uint64_t cases = 200;  // that are tried in a window before the solver is asked; 0: it always is
};

// Why nothing came of an attempt.
enum class Failure : std::uint8_t {
  none,
  too_close,   // they could not be moved so far apart
  not_turned,  // no two sections of a lock could be turned round
  told,        // an engine that must miss it tells it
  refused,     // by the judge
};
inline constexpr std::size_t kFailures = 5;
std::string_view name_of(Failure failure);

struct LabelledPair {
  witness::Witness witness;  // of a race; else only its two accesses mean something
  bool race = true;
};

struct Twin {
  std::vector<Event> events;
  LabelledPair pair;
  std::string_view means;  // what decided that they cannot meet
};

struct Injected {
  Failure failure = Failure::none;
  std::string why;  // if the judge refused it
  Effort effort;
  std::uint64_t point = 0;  // in the base trace

  std::vector<Event> events;
  std::vector<Id> ids;  // of the events, as in Draft
  std::vector<LabelledPair> pairs;
  // The same with the two accesses of the last race elsewhere in their threads, where they cannot meet;
  // nothing if no such place was found.
  std::optional<Twin> twin;
};

// Attempt `number`: the same number and seed make the same trace.
Injected inject(const BaseTrace& base, const Wishes& wishes, std::uint64_t seed, std::uint64_t number);

}  // namespace deadheat::inject
