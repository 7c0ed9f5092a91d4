// An engine sees blocks of events, never a file. One virtual call a block and step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/sorted_block.h"
#include "model/race.h"

namespace deadheat::engine {

// Allocs and frees of more cells than this are not looked at cell by cell. What is told does not depend on
// it.
inline constexpr std::uint64_t kManyCells = 4096;
// The same of accesses that meet more earlier ones than this, which are then kept and told in groups.
inline constexpr std::uint64_t kManyMet = 64;

struct Shape {
  Sharding sharding;        // how the variables are divided
  std::uint32_t slots = 1;  // blocks that are at work at one time
  std::uint64_t many_cells = kManyCells;
  std::uint64_t many_met = kManyMet;
};

class RaceSink {
 public:
  virtual ~RaceSink() = default;
  // Each pair that an engine tells, in trace order of the later access. One access may race with several.
  virtual void race(const model::RacePair& pair) = 0;
  // Several pairs of one access, none of which is told otherwise.
  virtual void races(const model::RaceRow& row) {
    for (std::size_t i = 0; i < row.events.size(); ++i) race(row.pair(i));
  }
};

// Something an engine counted: what it dropped, skipped, or could not keep.
struct Counter {
  std::string name;
  std::uint64_t value = 0;
};

// Blocks come in order and well formed, with re-entrant lock operations still in them. For each block first
// order() is called once, then check() once for each shard of the variables. order() may be some blocks ahead
// of check(), and checks of different shards run side by side: what order() leaves for check() is kept by
// block.slot, which another block gets only after all checks of this one.
class Engine {
 public:
  virtual ~Engine() = default;
  // What the block orders. Engines that cannot be divided by variables do all their work here.
  virtual void order(const SortedBlock& block, RaceSink& races) = 0;
  // What its accesses meet. Tells only of variables in the shard.
  virtual void check(const SortedBlock&, std::uint32_t /*shard*/, RaceSink&) {}
  // All checks of the block in this slot are done: what they needed need not be kept until the slot comes
  // again. Never while order() is at work. Engines that do not heed it lose nothing but room in the cache.
  virtual void checked(std::uint32_t /*slot*/) {}
  // Engines of several passes are shown the whole trace again after this.
  virtual void next_pass() {}
  // After the last block of the last pass.
  virtual void finish(RaceSink&) {}
  virtual std::vector<Counter> counters() const { return {}; }
  virtual std::uint64_t bytes() const { return 0; }  // of its tables
};

}  // namespace deadheat::engine
