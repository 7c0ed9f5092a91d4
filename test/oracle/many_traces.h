// A property tried on many small traces. One that fails is made small and told as text, to be kept in
// test/corpus/.
//
//   DEADHEAT_TRACES=100000 DEADHEAT_SEED=7000000 build/dev/test/deadheat_oracle_test
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "oracle/shrink.h"
#include "oracle/small_trace.h"

namespace deadheat::oracle {

// Sanitizers are slow, and look for other faults than these tests: fewer traces will do there.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DEADHEAT_SANITIZED
#endif
#endif
#ifdef DEADHEAT_SANITIZED
inline constexpr std::uint64_t kFewer = 5;
#else
inline constexpr std::uint64_t kFewer = 1;
#endif

inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// A suite whose tests are tried on traces of every profile: TEST_P(Suite, ...) with options().
class ManyTraces : public testing::TestWithParam<const char*> {
 public:
  static SmallTraceOptions options() { return options_of(GetParam()); }
  static SmallTraceOptions options_of(const std::string& profile) {
    if (profile == "readers") return SmallTraceOptions::readers();
    if (profile == "atomics") return SmallTraceOptions::atomics();
    if (profile == "memory") return SmallTraceOptions::memory();
    if (profile == "generations") return SmallTraceOptions::generations();
    if (profile == "generations_in_sections") return SmallTraceOptions::generations_in_sections();
    if (profile == "generations_of_all") return SmallTraceOptions::generations_of_all();
    if (profile == "gaps") return SmallTraceOptions::gaps();
    if (profile == "meetings") return SmallTraceOptions::meetings();
    return profile == "basic" ? SmallTraceOptions::basic() : SmallTraceOptions::all();
  }
};
#define DEADHEAT_MANY_TRACES(Suite)                                                           \
  class Suite : public ManyTraces {};                                                         \
  INSTANTIATE_TEST_SUITE_P(Profiles, Suite,                                                   \
                           testing::Values("basic", "all", "readers", "atomics", "meetings"), \
                           [](const auto& profile) { return std::string(profile.param); })

enum class Outcome : std::uint8_t { holds, says_nothing, fails };
// A promise that says nothing where there is nothing to promise about.
inline Outcome promised(bool something, bool holds) {
  if (!holds) return Outcome::fails;
  return something ? Outcome::holds : Outcome::says_nothing;
}

// How many traces to try: so many, a part of them (DEADHEAT_FEWER=5: a fifth) or as many as DEADHEAT_TRACES
// says.
inline std::uint64_t traces_to_try(std::uint64_t traces) {
  const std::uint64_t fewer = std::max<std::uint64_t>(from_environment("DEADHEAT_FEWER", 1), kFewer);
  return from_environment("DEADHEAT_TRACES", std::max<std::uint64_t>(traces / fewer, 1));
}

// The seeds to try.
struct Seeds {
  explicit Seeds(std::uint64_t traces)
      : first(from_environment("DEADHEAT_SEED", 0)), count(traces_to_try(traces)) {}
  std::uint64_t first, count;
};

// Counts in how many traces a promise said something. None in fifty: the traces do not try it.
class Tally {
 public:
  explicit Tally(const char* promise = "the promise") : promise_(promise) {}
  void add(Outcome outcome) { telling_ += outcome == Outcome::holds ? 1 : 0; }
  void conclude(std::uint64_t traces) const {
    EXPECT_GT(telling_, traces / 50) << promise_ << ": tried too seldom in " << traces << " traces";
    if (std::getenv("DEADHEAT_TRACES") == nullptr) return;
    std::printf("%llu traces, %llu telling: %s\n", 1ULL * traces, 1ULL * telling_, promise_);
    std::fflush(stdout);
  }

 private:
  const char* promise_;
  std::uint64_t telling_ = 0;
};

// What property(trace) gives for many traces.
template <class Property>
void for_many_traces(const SmallTraceOptions& options, std::uint64_t traces, Property property) {
  const Seeds seeds(traces);
  Tally tally;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    const auto trace = small_trace(seed, options);
    const Outcome outcome = property(Trace(trace));
    tally.add(outcome);
    if (outcome != Outcome::fails) continue;
    const auto small = shrink(trace, [&](Trace t) { return property(t) == Outcome::fails; });
    FAIL() << "seed " << seed << ", made small:\n" << as_text(small);
  }
  tally.conclude(seeds.count);
}

}  // namespace deadheat::oracle
