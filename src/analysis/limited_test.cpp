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

void show(Limited& limited, std::uint64_t first) {
  Nothing races;
  model::BlockBuilder builder(5);
  for (int i = 0; i < 5; ++i) builder.append(Event{});
  engine::SortedBlock block;
  block.sort(builder.view(first));
  limited.order(block, races);
  limited.check(block, 0, races);
}
std::uint64_t counted(const Limited& limited, std::string_view name) {
  for (const engine::Counter& counter : limited.counters()) {
    if (counter.name == name) return counter.value;
  }
  return UINT64_MAX;
}
constexpr std::string_view kFull = "events not looked at, because its tables were full";
constexpr std::string_view kLate = "events not looked at, because the time was up (--budget)";

TEST(Limited, IsShownNoMoreOnceItsTablesAreTooLarge) {
  std::uint64_t checked = 0;
  Limited limited(std::make_unique<Growing>(checked), 9, Limited::Clock::time_point::max());
  for (std::uint64_t first = 0; first < 25; first += 5) show(limited, first);
  EXPECT_EQ(limited.bytes(), 10u);
  EXPECT_EQ(checked, 10u);
  EXPECT_EQ(counted(limited, kFull), 15u);
  EXPECT_EQ(counted(limited, kLate), 0u);
}

TEST(Limited, IsShownNoMoreOnceTheTimeIsUp) {
  std::uint64_t checked = 0;
  Limited limited(std::make_unique<Growing>(checked), 1000, Limited::Clock::now());
  for (std::uint64_t first = 0; first < 25; first += 5) show(limited, first);
  EXPECT_EQ(checked, 0u);
  EXPECT_EQ(counted(limited, kFull), 0u);
  EXPECT_EQ(counted(limited, kLate), 25u);
}

// How large it is costs as much as its tables are large.
TEST(Limited, LooksAtTheSizeMoreAndMoreSeldom) {
  constexpr std::uint64_t kBlocks = 1000;
  std::uint64_t checked = 0;
  Limited limited(std::make_unique<Growing>(checked), 4 * kBlocks, Limited::Clock::time_point::max());
  for (std::uint64_t block = 0; block < kBlocks; ++block) show(limited, 5 * block);
  EXPECT_GE(limited.bytes(), 4 * kBlocks);
  EXPECT_LE(limited.bytes(), 4 * kBlocks * 9 / 8 + 10);
}

}  // namespace
}  // namespace deadheat::analysis
