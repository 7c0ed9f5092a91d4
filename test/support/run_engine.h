// Engines over events in memory, as the driver runs them: any size of blocks, any number of shards and slots.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/registry.h"
#include "model/block_builder.h"
#include "model/well_formed.h"

namespace deadheat::test {

struct Cut {
  std::size_t block = 5;  // events a block
  std::uint32_t shard_bits = 0;
  std::uint32_t slots = 1;  // so many blocks are ordered before the first of them is checked
  std::uint64_t many_cells = engine::kManyCells;
  std::uint64_t many_met = engine::kManyMet;
  // Which accesses, allocs and frees are looked at, by event number; all, if there is none.
  std::function<bool(std::uint64_t)> kept = nullptr;
};

class RaceList final : public engine::RaceSink {
 public:
  void race(const model::RacePair& pair) override { pairs.push_back(pair); }
  std::vector<model::RacePair> pairs;
  std::vector<engine::Counter> counters;  // of the engine, at the end

  // The later events, each once, in order.
  std::vector<std::uint64_t> flagged() const {
    std::vector<std::uint64_t> events;
    for (const auto& pair : pairs) events.push_back(pair.later.event);
    std::ranges::sort(events);
    events.erase(std::unique(events.begin(), events.end()), events.end());
    return events;
  }
};

// Sorted by the later event, then the earlier one, then the variable.
inline void sort_pairs(std::vector<model::RacePair>& pairs) {
  std::ranges::sort(pairs, {}, [](const model::RacePair& p) {
    return std::tuple(p.later.event, p.earlier.event, index(p.variable), p.earlier.kind);
  });
}

inline RaceList run_engine(engine::Engine& engine, unsigned passes, std::span<const Event> trace,
                           const Cut& cut = {}) {
  const engine::Sharding sharding{cut.shard_bits};
  RaceList races;
  for (unsigned pass = 0; pass < passes; ++pass) {
    if (pass > 0) engine.next_pass();
    struct Work {
      model::BlockBuilder builder;
      engine::SortedBlock block;
    };
    std::deque<Work> waiting;
    model::WellFormed rules;
    std::size_t at = 0;
    std::uint32_t number = 0;
    const auto check_first = [&] {
      for (std::uint32_t shard = 0; shard < sharding.shards(); ++shard) {
        engine.check(waiting.front().block, shard, races);
      }
      waiting.pop_front();
    };
    while (at < trace.size()) {
      if (waiting.size() == cut.slots) check_first();
      Work& work = waiting.emplace_back(
          Work{model::BlockBuilder(cut.block), engine::SortedBlock(number++ % cut.slots, sharding)});
      const std::size_t first = at;
      while (at < trace.size() && !work.builder.full()) work.builder.append(trace[at++]);
      work.block.sort(work.builder.view(first));
      rules.feed(work.block.events, work.block.order());
      work.block.leave_out(rules.inner());
      if (cut.kept) {
        engine::EventSet kept;
        kept.clear(work.block.events.size());
        for (std::size_t i = 0; i < kept.size(); ++i) {
          if (cut.kept(first + i)) kept.add(i);
        }
        work.block.check_only(kept);
      }
      engine.order(work.block, races);
    }
    while (!waiting.empty()) check_first();
  }
  engine.finish(races);
  races.counters = engine.counters();
  sort_pairs(races.pairs);
  return races;
}
inline RaceList run_engine(std::string_view name, std::span<const Event> trace, const Cut& cut = {}) {
  const auto choice = engine::choose(name);
  if (!choice) throw std::runtime_error(choice.error().message);
  auto engine = choice->make({engine::Sharding{cut.shard_bits}, cut.slots, cut.many_cells, cut.many_met});
  return run_engine(**engine, choice->row->passes, trace, cut);
}

}  // namespace deadheat::test
