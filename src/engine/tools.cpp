#include "engine/tools.h"

#include <fmt/format.h>

#include <cstdio>

#include "deadheat/names.h"

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

std::string line_of(std::uint64_t number, const Event& event) {
  static const Names kNone;
  const Op& op = event.op;
  const ObjectKind kind = object_kind(op.kind);
  std::string line =
      fmt::format("{} {}|{}({})|", number, kNone.display(ObjectKind::thread, index(event.thread)),
                  name_of(op.kind), kind == ObjectKind::none ? "" : kNone.display(kind, event.object));
  if (op.site != SiteId::none) line += fmt::format("{}", index(op.site));
  if (has_order(op.kind)) line += fmt::format("|{}", name_of(op.order));
  if (op.value != 0) line += fmt::format("|{}={}", is_barrier(op.kind) ? "gen" : "size", op.value);
  if (op.offset != 0) line += fmt::format("|offset={}", op.offset);
  return line;
}

void Print::order(const SortedBlock& block, RaceSink&) {
  std::string text;
  for (std::size_t i = 0; i < block.events.size() && std::ferror(stdout) == 0; ++i) {
    text += line_of(block.events.first + i, block.events[i]) + "\n";
    if (text.size() < 65536 && i + 1 < block.events.size()) continue;
    std::fwrite(text.data(), 1, text.size(), stdout);
    text.clear();
  }
}

}  // namespace deadheat::engine
