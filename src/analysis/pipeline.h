// Several threads at one trace. Each kind of work on the blocks is a lane, which takes the blocks one after
// the other: decoding (a lane for each slot), checking the rules, filters, ordering (a lane for each engine),
// checking accesses (a lane for each engine and shard). A thread takes the work that is nearest to being done
// with, but ordering first: it is not divided, so nothing may keep it waiting. (With checks first, both of
// two threads would be drawn into these while the order stands still.)
#pragma once

#include <atomic>
#include <climits>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "analysis/feed.h"
#include "analysis/race_log.h"
#include "base/progress.h"
#include "engine/engine.h"
#include "filter/chain.h"
#include "model/well_formed.h"

namespace deadheat::analysis {

class Pipeline {
 public:
  struct Stage {
    engine::Engine* engine;
    std::vector<RaceLog>* logs;  // [0] is of the order, the others of the shards
  };

  Pipeline(Feed& feed, filter::Chain& filters, std::vector<Stage> stages, engine::Sharding sharding,
           std::uint32_t slots);

  // Runs until the end of the trace, or the first error: first in the trace, whoever is quicker to find one.
  // `rules` must have been fed nothing.
  // A trace of more is an error.
  void limit_threads(std::uint64_t most) { most_threads_ = most; }
  Status run(unsigned jobs, model::WellFormed& rules, base::ProgressLine* line);
  std::uint64_t events() const { return events_; }
  // What is wrong with a trace in which this event breaks this rule.
  static std::string broken_rule(std::uint64_t event, model::Rule rule);
  // Whether engines can keep what the block asks for.
  static Status check_sizes(const engine::SortedBlock& block);

 private:
  static constexpr unsigned kNobody = UINT_MAX;
  struct Lane {
    enum Kind : std::uint8_t { decode, rules, filter, order, check } kind;
    std::uint32_t step = 1;  // from one of its blocks to the next
    std::uint32_t stage = 0, shard = 0;
    std::uint64_t next = 0;               // block
    std::uint64_t checked = 0, told = 0;  // of an order: blocks whose checks are done, and its engine told
    bool busy = false;
    unsigned worker = kNobody;  // who did the last one, and has its tables at hand
  };

  bool ready(const Lane& lane) const;
  bool finished() const;
  std::uint64_t checked_blocks(std::uint32_t stage) const;
  Lane* pick(unsigned worker);
  void wait(std::unique_lock<std::mutex>& lock);
  void work(unsigned worker, model::WellFormed& rules, base::ProgressLine* line);
  Status do_block(Lane& lane, model::WellFormed& rules);
  Status try_block(Lane& lane, model::WellFormed& rules);
  Status decode(std::uint64_t number);
  void order(Lane& lane);
  static Status check_rules(engine::SortedBlock& block, model::WellFormed& rules);

  Feed& feed_;
  filter::Chain& filters_;
  std::vector<Stage> stages_;
  std::vector<engine::SortedBlock> slots_;
  std::atomic<std::uint64_t> events_ = 0;
  std::uint64_t most_threads_ = UINT64_MAX;

  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::atomic<std::uint64_t> turns_ = 0;  // of lanes; changes only under the lock
  bool watched_ = false;                  // by somebody who waits
  std::vector<Lane> lanes_;               // in the order in which they are taken
  std::size_t first_decode_ = 0, rules_lane_ = 0;
  std::size_t ready_lane_ = 0;           // whose blocks are ready for the engines
  std::vector<std::size_t> order_lane_;  // by stage
  std::uint64_t end_ = UINT64_MAX;       // number of blocks, once known; of those before an error
  std::optional<Error> error_;           // in block end_
};

}  // namespace deadheat::analysis
