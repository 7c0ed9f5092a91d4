// Engines on random traces, cut in a way that depends on the trace.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "oracle/many_traces.h"
#include "oracle/relations.h"
#include "support/run_engine.h"

namespace deadheat::test {

using oracle::Outcome;
using oracle::Pair;
using oracle::Pairs;
using oracle::Trace;

// So many traces in every run of the tests; DEADHEAT_TRACES=100000 for a long one.
inline constexpr std::uint64_t kTraces = 3000;

class Profile : public testing::TestWithParam<const char*> {
 public:
  static oracle::SmallTraceOptions options() { return oracle::ManyTraces::options_of(GetParam()); }
  // Too long to be searched: for what is defined by a closure.
  static oracle::SmallTraceOptions longer() {
    auto longer = options();
    longer.min_events = 60;
    longer.max_events = 150;
    longer.max_threads = 6;
    longer.max_locks = 6;
    return longer;
  }
};

// All detectors there are, as they can be tried on small traces.
inline std::vector<std::string> all_detectors() {
  std::vector<std::string> names;
  for (const engine::Row& row : engine::rows()) {
    // As it is, it samples none of the small traces.
    if (row.notion != engine::Notion::none)
      names.emplace_back(row.name == "pacer" ? "pacer:rate=1:period=7" : row.name);
  }
  return names;
}
// The name of an engine in that of a test.
inline std::string as_test_name(const testing::TestParamInfo<std::string>& engine) {
  std::string shown = engine.param.substr(0, engine.param.find(':'));
  std::ranges::replace(shown, '-', '_');
  return shown;
}

inline Cut any_cut(Trace trace) {
  std::uint64_t h = trace.size() * 0x9E3779B97F4A7C15u;
  for (const Event& e : trace)
    h = (h ^ e.object ^ static_cast<std::uint64_t>(e.op.kind) << 8) * 0xC2B2AE3D27D4EB4Fu;
  h ^= h >> 31;
  constexpr std::uint64_t kMany[] = {0, 1, engine::kManyCells};
  constexpr std::uint64_t kMet[] = {0, 2, engine::kManyMet};
  return {1 + h % 13, static_cast<std::uint32_t>(h >> 8) % 3, 1 + static_cast<std::uint32_t>(h >> 16) % 4,
          kMany[(h >> 24) % 3], kMet[(h >> 32) % 3]};
}

inline std::vector<std::uint64_t> flagged(const Pairs& pairs) {
  std::set<std::uint64_t> events;
  for (const auto& [a, b] : pairs) events.insert(b);
  return {events.begin(), events.end()};
}
inline Pairs pairs_of(const RaceList& races) {
  Pairs pairs;
  for (const auto& pair : races.pairs) pairs.insert({pair.earlier.event, pair.later.event});
  return pairs;
}
// Whether what is told of each side is true.
inline bool told_truly(const RaceList& races, Trace trace) {
  for (const auto& pair : races.pairs) {
    for (const model::Side* side : {&pair.earlier, &pair.later}) {
      const Event& event = trace[side->event];
      if (side->thread != event.thread || side->site != event.op.site || side->kind != event.op.kind)
        return false;
      const auto bytes = oracle::bytes_of(event);
      const std::uint64_t first = std::uint64_t{index(pair.variable)} * kCellBytes;
      if (!bytes.overlap({first, first + kCellBytes})) return false;
    }
  }
  return true;
}
inline bool told_once(const RaceList& races) { return pairs_of(races).size() == races.pairs.size(); }
inline bool exactly(const RaceList& races, const Pairs& pairs, Trace trace) {
  return pairs_of(races) == pairs && told_once(races) && told_truly(races, trace);
}
inline std::uint64_t counted(const RaceList& races, std::string_view name) {
  for (const auto& counter : races.counters) {
    if (counter.name == name) return counter.value;
  }
  ADD_FAILURE() << "not counted: " << name;
  return 0;
}
// Variables (cells) with a pair, and the first later event of each.
inline std::map<std::uint32_t, std::uint64_t> first_by_variable(const RaceList& races) {
  std::map<std::uint32_t, std::uint64_t> first;
  for (const auto& pair : races.pairs) {
    const auto [at, fresh] = first.try_emplace(index(pair.variable), pair.later.event);
    if (!fresh) at->second = std::min(at->second, pair.later.event);
  }
  return first;
}

}  // namespace deadheat::test
