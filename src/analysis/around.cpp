#include "analysis/around.h"

#include <algorithm>

#include "solve/holders.h"

namespace deadheat::analysis {

Result<std::vector<Part>> parts_around(const std::string& path, const ReadOptions& read,
                                       std::span<const model::RacePair> pairs, const Reach& reach) {
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
  std::uint64_t number = 0;
  bool at_end = false;
  while (number < end) {
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    at_end = *block == nullptr;
    if (at_end) break;
    for (std::size_t i = 0; i < (*block)->size() && number < end; ++i, ++number) {
      const Event e = (**block)[i];
      for (Part& part : parts) {
        if (number < part.first || number >= part.end) continue;
        if (number == part.first) part.held = holders.all();
        part.events.push_back(e);
      }
      holders.see(e);
    }
  }
  for (Part& part : parts) part.whole = at_end && part.first == 0;
  return parts;
}

}  // namespace deadheat::analysis
