// An engine that is shown no more events once its tables are too large, or the time is up. What it told until
// then stays told; how much it did not see is counted.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace deadheat::analysis {

class Limited final : public engine::Engine {
 public:
  using Clock = std::chrono::steady_clock;

  Limited(std::unique_ptr<Engine> engine, std::uint64_t most_bytes, Clock::time_point until,
          std::uint64_t cell_bytes = 64)
      : engine_(std::move(engine)), most_bytes_(most_bytes), cell_bytes_(cell_bytes), until_(until) {}

  void order(const engine::SortedBlock& block, engine::RaceSink& races) override {
    late_ = late_ || Clock::now() >= until_;
    const bool wide = !full_ && !late_ && is_too_wide(block);
    if (full_ || late_ || wide) {
      (full_ ? unseen_ : late_ ? unseen_late_ : unseen_wide_) += block.events.size();
      return;
    }
    engine_->order(block, races);
    if (++blocks_ >= next_look_) look();
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
    counters.push_back({"events not looked at, because the time was up (--budget)", unseen_late_});
    counters.push_back(
        {"events not looked at, because accesses among them are too wide (--memory)", unseen_wide_});
    return counters;
  }
  std::uint64_t bytes() const override { return engine_->bytes(); }

 private:
  // A few bytes of a trace may say that gigabytes are accessed. Engines keep something of every cell, and
  // touch it at every access: what would not fit, or take very long, is not begun.
  bool is_too_wide(const engine::SortedBlock& block) {
    constexpr std::uint64_t kWide = 512;                              // cells
    constexpr std::uint64_t kMostCells = std::uint64_t{1} << 28;      // of a block
    constexpr std::uint64_t kMostWideCells = std::uint64_t{1} << 31;  // of all blocks
    const BlockView& events = block.events;
    if (std::ranges::none_of(events.ops,
                             [](const Op& op) { return is_access(op.kind) && cells(op) > kWide; })) {
      return false;
    }
    std::uint64_t all = 0, widest = 0;
    for (const std::uint32_t op : events.op) {
      const std::uint64_t one = is_access(events.ops[op].kind) ? cells(events.ops[op]) : 0;
      all += one > kWide ? one : 0;
      widest = std::max(widest, one);
    }
    if (all > kMostCells || wide_cells_ + all > kMostWideCells) return true;
    if (widest * cell_bytes_ > most_bytes_) return true;
    wide_cells_ += all;
    next_look_ = 0;  // of its tables, when it has seen them
    return false;
  }
  // Engines go through all of their tables to tell how large they are, so they are asked more and more
  // seldom: in between tables may grow by an eighth of what they are, and more where there are more and more
  // threads.
  void look() {
    full_ = engine_->bytes() > most_bytes_;
    next_look_ = blocks_ + 1 + blocks_ / 8;
  }

  std::unique_ptr<Engine> engine_;
  std::uint64_t most_bytes_, cell_bytes_;  // of what it keeps of a cell
  Clock::time_point until_;
  std::atomic<std::uint64_t> end_ = 0;        // of the events that it has seen
  std::uint64_t blocks_ = 0, next_look_ = 0;  // seen
  bool full_ = false, late_ = false;
  std::uint64_t unseen_ = 0, unseen_late_ = 0, unseen_wide_ = 0;
  std::uint64_t wide_cells_ = 0;  // accessed
};

}  // namespace deadheat::analysis
