#include "engine/tools.h"

namespace deadheat::engine {

void Count::order(const SortedBlock& block, RaceSink&) {
  std::vector<std::uint64_t> by_op(block.events.ops.size());
  for (const std::uint16_t op : block.events.op) ++by_op[op];
  for (std::size_t op = 0; op < by_op.size(); ++op) {
    counts_[static_cast<std::size_t>(block.events.ops[op].kind)] += by_op[op];
  }
}

std::vector<Counter> Count::counters() const {
  std::vector<Counter> counters;
  for (std::size_t kind = 0; kind < counts_.size(); ++kind) {
    counters.push_back({std::string(name_of(static_cast<EventKind>(kind))), counts_[kind]});
  }
  return counters;
}

}  // namespace deadheat::engine
