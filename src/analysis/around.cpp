#include "analysis/around.h"

#include <algorithm>
#include <functional>

#include "solve/holders.h"

namespace deadheat::analysis {

Result<std::vector<Part>> parts_around(const std::string& path, const ReadOptions& read,
                                       std::span<const model::RacePair> pairs, const Reach& reach,
                                       std::chrono::steady_clock::time_point until) {
  std::vector<Part> parts(pairs.size());
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    parts[i].first = pairs[i].earlier.event - std::min(pairs[i].earlier.event, reach.before);
    parts[i].end = pairs[i].later.event + 1 + reach.after;
    end = std::max(end, parts[i].end);
  }
  auto source = open_source(path, read);
  if (!source) return fail(source.error());
  solve::Holders holders;
  std::vector<Part*> waiting, running;
  for (Part& part : parts) waiting.push_back(&part);
  std::ranges::sort(waiting, std::greater{}, &Part::first);
  std::uint64_t number = 0;
  bool at_end = false;
  while (number < end) {
    if (std::chrono::steady_clock::now() >= until) return std::vector<Part>{};
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    at_end = *block == nullptr;
    if (at_end) break;
    for (std::size_t i = 0; i < (*block)->size() && number < end; ++i, ++number) {
      const Event e = (**block)[i];
      for (; !waiting.empty() && waiting.back()->first == number; waiting.pop_back()) {
        waiting.back()->held = holders.all();
        running.push_back(waiting.back());
      }
      for (Part* const part : running) {
        if (number < part->end) part->events.push_back(e);
      }
      holders.see(e);
    }
    std::erase_if(running, [&](const Part* part) { return part->end <= number; });
  }
  for (Part& part : parts) part.whole = at_end && part.first == 0;
  return parts;
}

}  // namespace deadheat::analysis
