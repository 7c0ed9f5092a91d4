// A property tried on many small traces. One that fails is made small and told as text, to be kept in
// test/corpus/.
//
//   DEADHEAT_TRACES=100000 DEADHEAT_SEED=7000000 build/dev/test/deadheat_oracle_test
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "oracle/shrink.h"
#include "oracle/small_trace.h"

namespace deadheat::oracle {

inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

enum class Outcome : std::uint8_t { holds, says_nothing, fails };
// A promise that says nothing where there is nothing to promise about.
inline Outcome promised(bool something, bool holds) {
  if (!holds) return Outcome::fails;
  return something ? Outcome::holds : Outcome::says_nothing;
}

// What property(trace) gives for so many traces, or as many as the environment says.
template <class Property>
void for_many_traces(const SmallTraceOptions& options, std::uint64_t traces, Property property) {
  const std::uint64_t first = from_environment("DEADHEAT_SEED", 0);
  const std::uint64_t count = from_environment("DEADHEAT_TRACES", traces);
  std::uint64_t telling = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const auto trace = small_trace(seed, options);
    const Outcome outcome = property(Trace(trace));
    telling += outcome == Outcome::holds ? 1 : 0;
    if (outcome != Outcome::fails) continue;
    const auto small = shrink(trace, [&](Trace t) { return property(t) == Outcome::fails; });
    FAIL() << "seed " << seed << ", made small:\n" << as_text(small);
  }
  EXPECT_GT(telling, count / 50) << "of " << count << " traces";
  testing::Test::RecordProperty("telling", std::to_string(telling));
  if (count != traces) std::printf("%llu traces, %llu of them telling\n", 1ULL * count, 1ULL * telling);
}

}  // namespace deadheat::oracle
