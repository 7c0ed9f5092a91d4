#include "analysis/limited.h"

#include <gtest/gtest.h>

#include "model/block_builder.h"

namespace deadheat::analysis {
namespace {

// Needs a byte an event.
class Growing final : public engine::Engine {
 public:
  explicit Growing(std::uint64_t& checked) : checked_(checked) {}
  void order(const engine::SortedBlock& block, engine::RaceSink&) override { seen_ += block.events.size(); }
  void check(const engine::SortedBlock& block, std::uint32_t, engine::RaceSink&) override {
    checked_ += block.events.size();
  }
  std::uint64_t bytes() const override { return seen_; }

 private:
  std::uint64_t seen_ = 0;
  std::uint64_t& checked_;
};

class Nothing final : public engine::RaceSink {
 public:
  void race(const model::RacePair&) override {}
};

TEST(Limited, IsShownNoMoreOnceItsTablesAreTooLarge) {
  std::uint64_t checked = 0;
  Limited limited(std::make_unique<Growing>(checked), 9);
  Nothing races;
  for (std::uint64_t first = 0; first < 25; first += 5) {
    model::BlockBuilder builder(5);
    for (int i = 0; i < 5; ++i) builder.append(Event{});
    engine::SortedBlock block;
    block.sort(builder.view(first));
    limited.order(block, races);
    limited.check(block, 0, races);
  }
  EXPECT_EQ(limited.bytes(), 10u);
  EXPECT_EQ(checked, 10u);
  ASSERT_EQ(limited.counters().size(), 1u);
  EXPECT_EQ(limited.counters()[0].value, 15u);
}

}  // namespace
}  // namespace deadheat::analysis
