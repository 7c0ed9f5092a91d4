#include "analysis/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <thread>

#include "base/format.h"
#include "clock/time.h"

namespace deadheat::analysis {

namespace {

constexpr const char* kNoMemory = "out of memory";
constexpr unsigned kWatches = 10'000;  // some 0.2 ms

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

template <class Work>
bool start(std::vector<std::thread>& threads, const Work& work) {
  try {
    threads.emplace_back(work);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

Pipeline::Pipeline(Feed& feed, filter::Chain& filters, std::vector<Stage> stages, engine::Sharding sharding,
                   std::uint32_t slots)
    : feed_(feed), filters_(filters), stages_(std::move(stages)) {
  for (std::uint32_t i = 0; i < slots; ++i) slots_.emplace_back(i, sharding);
  for (std::uint32_t i = 0; i < stages_.size(); ++i) {
    order_lane_.push_back(lanes_.size());
    lanes_.push_back({.kind = Lane::order, .stage = i});
  }
  for (std::uint32_t i = 0; i < stages_.size(); ++i) {
    for (std::uint32_t s = 0; s < sharding.shards(); ++s)
      lanes_.push_back({.kind = Lane::check, .stage = i, .shard = s});
  }
  ready_lane_ = lanes_.size();
  if (!filters_.empty()) lanes_.push_back({.kind = Lane::filter});
  rules_lane_ = lanes_.size();
  lanes_.push_back({.kind = Lane::rules});
  first_decode_ = lanes_.size();
  if (feed.side_by_side()) {
    for (std::uint32_t i = 0; i < slots; ++i)
      lanes_.push_back({.kind = Lane::decode, .step = slots, .next = i});
  } else {
    lanes_.push_back({.kind = Lane::decode});
  }
}

bool Pipeline::ready(const Lane& lane) const {
  const std::uint64_t b = lane.next;
  if (lane.busy || b >= end_) return false;
  switch (lane.kind) {
    case Lane::decode:
      // The block that had the slot before must be done with.
      return b < slots_.size() || std::ranges::all_of(
                                      lanes_,
                                      [&](const Lane& other) {
                                        return other.kind != Lane::check || other.next > b - slots_.size();
                                      });
    case Lane::rules: {
      const std::size_t lanes = lanes_.size() - first_decode_;
      return lanes_[first_decode_ + b % lanes].next > b;
    }
    case Lane::filter:
      return lanes_[rules_lane_].next > b;
    case Lane::order:
      return lanes_[ready_lane_].next > b;
    case Lane::check:
      return lanes_[order_lane_[lane.stage]].next > b;
  }
  return false;
}

std::uint64_t Pipeline::checked_blocks(std::uint32_t stage) const {
  std::uint64_t blocks = UINT64_MAX;
  for (const Lane& lane : lanes_) {
    if (lane.kind == Lane::check && lane.stage == stage) blocks = std::min(blocks, lane.next);
  }
  return blocks;
}

bool Pipeline::finished() const {
  return std::ranges::all_of(lanes_, [&](const Lane& lane) { return lane.next >= end_; });
}

Pipeline::Lane* Pipeline::pick(unsigned worker) {
  Lane* of_another = nullptr;
  for (Lane& lane : lanes_) {
    if (!ready(lane)) continue;
    // What is decoded is new to everybody.
    if (lane.kind == Lane::decode || lane.worker == worker || lane.worker == kNobody) return &lane;
    if (of_another == nullptr) of_another = &lane;
  }
  return of_another;
}

Status Pipeline::run(unsigned jobs, model::WellFormed& rules, base::ProgressLine* line) {
  std::vector<std::thread> others;
  // Where no more threads are to be had, those there are do the work.
  while (others.size() + 1 < jobs) {
    const auto number = static_cast<unsigned>(others.size() + 1);
    if (!start(others, [&rules, number, this] { work(number, rules, nullptr); })) break;
  }
  work(0, rules, line);
  for (std::thread& other : others) other.join();
  if (!error_) return {};
  if (error_->message == kNoMemory) {
    return io_error(fmt::format(
        "{}; fewer --jobs need less, and 'deadheat engines' tells how the memory of each engine grows",
        kNoMemory));
  }
  return fail(*error_);
}

void Pipeline::work(unsigned worker, model::WellFormed& rules, base::ProgressLine* line) {
  std::unique_lock lock(mutex_);
  while (!finished()) {
    Lane* const lane = pick(worker);
    if (lane == nullptr) {
      wait(lock);
      continue;
    }
    lane->busy = true;
    lane->worker = worker;
    if (lane->kind == Lane::order) lane->checked = checked_blocks(lane->stage);
    lock.unlock();
    auto done = try_block(*lane, rules);
    if (line != nullptr) {
      const Progress progress = feed_.progress();
      line->update(events_, progress.done_bytes, progress.total_bytes);
    }
    lock.lock();
    lane->busy = false;
    // What comes before an error is still done: there may be an earlier one.
    if (!done && lane->next < end_) {
      end_ = lane->next;
      error_ = std::move(done).error();
    }
    lane->next += lane->step;
    ++turns_;
    changed_.notify_all();
  }
}

// To be woken may take as long as some work on a block, the more so on virtual machines. So one of those who
// wait watches for a while.
void Pipeline::wait(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t turns = turns_;
  if (!watched_) {
    watched_ = true;
    lock.unlock();
    for (unsigned i = 0; i < kWatches && turns_.load(std::memory_order_relaxed) == turns; ++i) pause();
    lock.lock();
    watched_ = false;
  }
  if (turns_ == turns) changed_.wait(lock);
}

// An exception would not get out of a thread. The message is so short that it needs no memory.
Status Pipeline::try_block(Lane& lane, model::WellFormed& rules) {
  try {
    return do_block(lane, rules);
  } catch (const std::bad_alloc&) {
    return io_error(kNoMemory);
  }
}

Status Pipeline::do_block(Lane& lane, model::WellFormed& rules) {
  if (lane.kind == Lane::decode) return decode(lane.next);
  engine::SortedBlock& block = slots_[lane.next % slots_.size()];
  switch (lane.kind) {
    case Lane::rules:
      return check_rules(block, rules);
    case Lane::filter:
      filters_.filter(block);
      break;
    case Lane::order:
      order(lane);
      break;
    default:
      stages_[lane.stage].engine->check(block, lane.shard, (*stages_[lane.stage].logs)[1 + lane.shard]);
  }
  return {};
}

void Pipeline::order(Lane& lane) {
  const Stage& stage = stages_[lane.stage];
  for (; lane.told < lane.checked; ++lane.told)
    stage.engine->checked(static_cast<std::uint32_t>(lane.told % slots_.size()));
  stage.engine->order(slots_[lane.next % slots_.size()], (*stage.logs)[0]);
}

Status Pipeline::decode(std::uint64_t number) {
  const std::uint32_t slot = static_cast<std::uint32_t>(number % slots_.size());
  const auto block = feed_.load(number, slot);
  if (!block) return fail(block.error());
  if (*block == nullptr) {
    const std::lock_guard lock(mutex_);
    end_ = std::min(end_, number);
    return {};
  }
  slots_[slot].sort(**block);
  if (auto fits = check_sizes(slots_[slot]); !fits) return fits;
  if (slots_[slot].threads > most_threads_) {
    return input_error(
        fmt::format("events from {} on: more than {} threads, for which there is no memory; "
                    "--memory gives more",
                    base::grouped((*block)->first), base::grouped(most_threads_)));
  }
  events_ += (*block)->size();
  return {};
}

// Engines keep something for every cell that is read or written, so there are sizes that are too much.
Status Pipeline::check_sizes(const engine::SortedBlock& block) {
  if (block.threads > clock::Epoch::kMaxThreads) {
    return input_error(
        fmt::format("events from {} on: more than {} threads, which is as many as engines know",
                    base::grouped(block.events.first), base::grouped(clock::Epoch::kMaxThreads)));
  }
  if (block.events.first + block.events.size() > clock::Epoch::kMaxTime) {
    return input_error(fmt::format("more than {} events, which is as many as engines know",
                                   base::grouped(clock::Epoch::kMaxTime)));
  }
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
  constexpr std::uint64_t kIds = std::uint64_t{1} << 32;
  const BlockView& events = block.events;
  const bool any = block.variables > kIds || std::ranges::any_of(events.ops, [](const Op& op) {
                     return is_access(op.kind) && op.value > kMostBytes;
                   });
  if (!any) return {};
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Op& op = events.ops[events.op[i]];
    if (!is_of_memory(op.kind)) continue;
    const auto wrong = [&](const char* what) {
      return input_error(fmt::format("event {}: {}", base::grouped(events.first + i), what));
    };
    if (events.object[i] + cells(op) > kIds) return wrong("goes beyond the last variable that there can be");
    if (is_access(op.kind) && op.value > kMostBytes) {
      return wrong("an access of more than 1 GiB; engines keep a record for every 8 bytes of it");
    }
  }
  return {};
}

std::string Pipeline::broken_rule(std::uint64_t event, model::Rule rule) {
  return fmt::format(
      "event {}: {} [{}]; the trace is not well formed: 'deadheat check' shows all, "
      "'deadheat check --repair' may mend it",
      base::grouped(event), meaning_of(rule), name_of(rule));
}

// The same fork once more changes nothing for any engine; real traces have it.
Status Pipeline::check_rules(engine::SortedBlock& block, model::WellFormed& rules) {
  rules.feed(block.events, block.order());
  block.leave_out(rules.inner());
  if (rules.ok()) return {};
  for (const model::WellFormed::Fault& fault : rules.faults()) {
    if (fault.rule == model::Rule::fork_repeated) continue;
    return input_error(broken_rule(block.events.first + fault.place, fault.rule));
  }
  return {};
}

}  // namespace deadheat::analysis
