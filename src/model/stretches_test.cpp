#include "model/stretches.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

namespace deadheat::model::stretches_tests {
namespace {

struct State {
  std::vector<int> visits;
  State clone() const { return *this; }
};

// Each byte on its own: what stretches must be like.
TEST(Stretches, SayOfEachByteWhatWasDoneToIt) {
  EXPECT_TRUE(rc::check([] {
    constexpr std::uint64_t kBytes = 20;
    Stretches<State> stretches;
    std::vector<std::vector<int>> plain(kBytes);
    std::vector<bool> known(kBytes);
    for (int step = 0; step < 15; ++step) {
      const auto begin = *rc::gen::inRange<std::uint64_t>(0, kBytes);
      const Stretch stretch{begin, *rc::gen::inRange<std::uint64_t>(begin, kBytes + 1)};
      const auto what = *rc::gen::inRange(0, 3);
      std::uint64_t next = stretch.begin;
      if (what == 0) {
        stretches.forget(stretch, [](State&) {});
        for (std::uint64_t i = stretch.begin; i < stretch.end; ++i) {
          plain[i].clear();
          known[i] = false;
        }
      } else if (what == 1) {
        stretches.visit(stretch, [&](State& s, Stretch part) {
          RC_ASSERT(part.begin == next && !part.empty());
          next = part.end;
          for (std::uint64_t i = part.begin; i < part.end; ++i) {
            RC_ASSERT(s.visits == plain[i]);
            plain[i].push_back(step);
            known[i] = true;
          }
          s.visits.push_back(step);
        });
        RC_ASSERT(next == stretch.end);
      } else {
        std::vector<bool> seen(kBytes);
        stretches.visit_known(stretch, [&](const State& s, Stretch part) {
          RC_ASSERT(part.begin >= next && !part.empty() && part.end <= stretch.end);
          next = part.end;
          for (std::uint64_t i = part.begin; i < part.end; ++i) {
            RC_ASSERT(s.visits == plain[i]);
            seen[i] = true;
          }
        });
        for (std::uint64_t i = stretch.begin; i < stretch.end; ++i) RC_ASSERT(seen[i] == known[i]);
      }
      bool any = false;
      for (const bool k : known) any = any || k;
      RC_ASSERT(stretches.empty() == !any);
    }
  }));
}

}  // namespace
}  // namespace deadheat::model::stretches_tests
