// An engine that is shown no more events once its tables are too large. What it told until then stays told;
// how much it did not see is counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace deadheat::analysis {

class Limited final : public engine::Engine {
 public:
  Limited(std::unique_ptr<Engine> engine, std::uint64_t most_bytes)
      : engine_(std::move(engine)), most_bytes_(most_bytes) {}

  void order(const engine::SortedBlock& block, engine::RaceSink& races) override {
    if (full_) {
      unseen_ += block.events.size();
      return;
    }
    engine_->order(block, races);
    full_ = engine_->bytes() > most_bytes_;
    end_ = block.events.first + block.events.size();
  }
  // Blocks that it has not seen have nothing to be checked against.
  void check(const engine::SortedBlock& block, std::uint32_t shard, engine::RaceSink& races) override {
    if (block.events.first < end_) engine_->check(block, shard, races);
  }
  void next_pass() override {
    full_ = false;
    engine_->next_pass();
  }
  void finish(engine::RaceSink& races) override { engine_->finish(races); }
  std::vector<engine::Counter> counters() const override {
    auto counters = engine_->counters();
    counters.push_back({"events not looked at, because its tables were full", unseen_});
    return counters;
  }
  std::uint64_t bytes() const override { return engine_->bytes(); }

 private:
  std::unique_ptr<Engine> engine_;
  std::uint64_t most_bytes_;
  std::atomic<std::uint64_t> end_ = 0;  // of the events that it has seen
  bool full_ = false;
  std::uint64_t unseen_ = 0;
};

}  // namespace deadheat::analysis
