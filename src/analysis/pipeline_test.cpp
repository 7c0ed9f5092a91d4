#include "analysis/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <latch>
#include <new>
#include <vector>

#include "clock/time.h"
#include "engine/tools.h"
#include "model/block_builder.h"

namespace deadheat::analysis {
namespace {

// One event a block. A block whose event is a release that nobody acquired is not well formed.
class Blocks final : public Feed {
 public:
  explicit Blocks(std::vector<Event> events, std::uint64_t first = 0) : first_(first) {
    for (const Event& event : events) blocks_.emplace_back(1).append(event);
    for (std::size_t i = 0; i < blocks_.size(); ++i) views_.push_back(blocks_[i].view(first_ + i));
  }

  Result<const BlockView*> load(std::uint64_t number, std::uint32_t /*slot*/) override {
    if (number == late_) broken_was_asked_for_.wait();
    if (number == broken_) {
      broken_was_asked_for_.count_down();
      return input_error("broken");
    }
    return number < views_.size() ? &views_[number] : nullptr;
  }
  bool side_by_side() const override { return true; }
  Progress progress() const override { return {}; }
  std::vector<Warning> warnings() const override { return {}; }
  Completeness completeness() const override { return {}; }

  // A block that is there only after one behind it turned out to be broken.
  void break_block(std::uint64_t broken, std::uint64_t late) {
    broken_ = broken;
    late_ = late;
  }

 private:
  std::uint64_t first_;
  std::vector<model::BlockBuilder> blocks_;
  std::vector<BlockView> views_;
  std::uint64_t broken_ = UINT64_MAX, late_ = UINT64_MAX;
  std::latch broken_was_asked_for_{1};
};

class Greedy final : public engine::Engine {
 public:
  void order(const engine::SortedBlock&, engine::RaceSink&) override {}
  void check(const engine::SortedBlock& block, std::uint32_t, engine::RaceSink&) override {
    if (block.events.first == 2) throw std::bad_alloc();
  }
};

// Faulty if it is told that a block is checked before that is so, twice, or later than its slot is used
// again.
class Watchful final : public engine::Engine {
 public:
  static constexpr std::uint32_t kShards = 2, kSlots = 6;
  static constexpr std::uint64_t kBlocks = 200;

  // With several jobs, so that the order gets ahead of the checks: one of these waits for the next order.
  explicit Watchful(bool waits) : waits_(waits) {}

  void order(const engine::SortedBlock& block, engine::RaceSink&) override {
    State& state = states_[block.slot];
    faulty_ |= state.kept;
    state.kept = true;
    state.checks = 0;
    ++ordered_;
    ordered_.notify_all();
  }
  void check(const engine::SortedBlock& block, std::uint32_t shard, engine::RaceSink&) override {
    const std::uint64_t wanted = std::min(block.events.first + 2, kBlocks);
    for (std::uint64_t n = ordered_; waits_ && shard == 0 && n < wanted; n = ordered_) ordered_.wait(n);
    ++states_[block.slot].checks;
  }
  void checked(std::uint32_t slot) override {
    State& state = states_[slot];
    faulty_ |= !state.kept || state.checks != kShards;
    state.kept = false;
    ++told_;
  }

  bool faulty() const { return faulty_; }
  std::uint64_t told() const { return told_; }

 private:
  struct State {
    bool kept = false;
    std::atomic<std::uint32_t> checks = 0;
  };
  bool waits_;
  std::array<State, kSlots> states_;
  std::atomic<std::uint64_t> ordered_ = 0;
  bool faulty_ = false;
  std::uint64_t told_ = 0;
};

template <class E = engine::Null>
std::string error_of(Blocks& blocks, unsigned jobs) {
  const engine::Sharding sharding{jobs > 1 ? 1u : 0u};
  E engine;
  std::vector<RaceLog> logs(1 + sharding.shards());
  filter::Chain filters;
  Pipeline pipeline(blocks, filters, {{&engine, &logs}}, sharding, jobs > 1 ? 6 : 1);
  model::WellFormed rules;
  const Status ran = pipeline.run(jobs, rules, nullptr);
  return ran ? "" : ran.error().message;
}

std::vector<Event> writes(std::size_t n) {
  return std::vector<Event>(n, Event{ThreadId{0}, {.kind = EventKind::write}, 0});
}

TEST(Pipeline, MoreThreadsThanAnEpochHoldsAreAnError) {
  auto events = writes(3);
  events[1].thread = ThreadId{clock::Epoch::kMaxThreads - 1};
  Blocks most(events);
  EXPECT_EQ(error_of(most, 1), "");
  events[1].thread = ThreadId{clock::Epoch::kMaxThreads};
  Blocks more(events);
  EXPECT_NE(error_of(more, 1).find("more than 16,777,216 threads"), std::string::npos);
  events = writes(3);
  events[2] = {ThreadId{0}, {.kind = EventKind::fork}, clock::Epoch::kMaxThreads};
  Blocks forked(events);
  EXPECT_NE(error_of(forked, 1).find("events from 2 on: more than"), std::string::npos);
}

TEST(Pipeline, MoreEventsThanAnEpochHoldsAreAnError) {
  Blocks most(writes(2), clock::Epoch::kMaxTime - 2);
  EXPECT_EQ(error_of(most, 1), "");
  Blocks more(writes(2), clock::Epoch::kMaxTime - 1);
  EXPECT_NE(error_of(more, 1).find("more than 1,099,511,627,775 events"), std::string::npos);
}

TEST(Pipeline, OfSeveralErrorsTheFirstInTheTraceIsTold) {
  auto events = writes(8);
  events[3].op.kind = EventKind::release;
  for (const unsigned jobs : {2u, 3u}) {
    Blocks blocks(events);
    blocks.break_block(5, 3);
    EXPECT_NE(error_of(blocks, jobs).find("event 3"), std::string::npos) << jobs;
  }
}

TEST(Pipeline, AnEngineThatFindsNoMemoryIsAnErrorWhateverTheNumberOfJobs) {
  for (const unsigned jobs : {1u, 3u}) {
    Blocks blocks(writes(20));
    EXPECT_NE(error_of<Greedy>(blocks, jobs).find("out of memory"), std::string::npos);
  }
}

TEST(Pipeline, AnEngineIsToldOfEveryBlockThatIsCheckedBeforeItsSlotIsUsedAgain) {
  for (const unsigned jobs : {1u, 2u, 5u}) {
    Blocks blocks(writes(Watchful::kBlocks));
    Watchful engine(jobs > 1);
    const engine::Sharding sharding{1};
    std::vector<RaceLog> logs(1 + sharding.shards());
    filter::Chain filters;
    Pipeline pipeline(blocks, filters, {{&engine, &logs}}, sharding, Watchful::kSlots);
    model::WellFormed rules;
    ASSERT_TRUE(pipeline.run(jobs, rules, nullptr));
    EXPECT_FALSE(engine.faulty()) << jobs;
    EXPECT_GE(engine.told() + Watchful::kSlots, Watchful::kBlocks) << jobs;
  }
}

}  // namespace
}  // namespace deadheat::analysis
