// Filters over events in memory, cut into blocks of any size, and engines behind them.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "filter/chain.h"
#include "support/run_engine.h"

namespace deadheat::test {

// Where a filter goes by names, which traces here do not have, it is every other site.
inline filter::Choice choose_filter(std::string_view name) {
  auto choice = filter::choose(name, filter::Role::redundancy);
  if (!choice) choice = filter::choose(name, filter::Role::sample);
  if (!choice) throw std::runtime_error(choice.error().message);
  if (choice->is_of_sites()) {
    std::vector<bool> wanted;
    for (std::size_t site = 0; site < 100; ++site) wanted.push_back(site % 2 == 0);
    choice->sites = std::make_shared<filter::SiteSet>(std::move(wanted));
  }
  return *choice;
}

// f(block) for each block of the trace, sorted, with what is re-entrant left out.
template <class F>
void for_each_block(std::span<const Event> trace, std::size_t block_events, std::uint32_t shard_bits, F&& f) {
  model::WellFormed rules;
  for (std::size_t at = 0; at < trace.size();) {
    model::BlockBuilder builder(block_events);
    const std::size_t first = at;
    while (at < trace.size() && !builder.full()) builder.append(trace[at++]);
    engine::SortedBlock block(0, {shard_bits});
    block.sort(builder.view(first));
    rules.feed(block.events, block.order());
    block.leave_out(rules.inner());
    f(block);
  }
}

// Which events are left by a filter, by event number.
inline std::vector<bool> kept_by(filter::Filter& filter, std::span<const Event> trace,
                                 std::size_t block = 5) {
  std::vector<bool> kept;
  for_each_block(trace, block, 0, [&](const engine::SortedBlock& sorted) {
    engine::EventSet set;
    set.fill(sorted.events.size());
    filter.filter(sorted, set);
    for (std::size_t i = 0; i < set.size(); ++i) kept.push_back(set.has(i));
  });
  return kept;
}
inline std::vector<bool> kept_by(std::string_view name, std::span<const Event> trace, std::size_t block = 5) {
  auto filter = choose_filter(name).make();
  if (!filter) throw std::runtime_error(filter.error().message);
  return kept_by(**filter, trace, block);
}

inline RaceList run_filtered(std::string_view engine, const std::vector<bool>& kept,
                             std::span<const Event> trace, Cut cut = {}) {
  cut.kept = [&kept](std::uint64_t event) { return kept[event]; };
  return run_engine(engine, trace, cut);
}

}  // namespace deadheat::test
