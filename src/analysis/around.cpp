#include "analysis/around.h"

#include <algorithm>
#include <functional>

#include "solve/holders.h"

namespace deadheat::analysis {

namespace {

std::uint64_t less(std::uint64_t event, std::uint64_t by) { return event - std::min(event, by); }

// Fills in the regions, and of each part which one it is in.
void lay_out(Surroundings& out, std::span<const model::RacePair> pairs, const Reach& reach) {
  std::vector<std::size_t> order(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return pairs[i].earlier.event; });
  out.parts.resize(pairs.size());
  for (const std::size_t i : order) {
    const std::uint64_t first = less(pairs[i].earlier.event, reach.before);
    const std::uint64_t end = pairs[i].later.event + 1 + reach.after;
    if (out.regions.empty() || out.regions.back().end < first) out.regions.push_back({first, end, {}, {}});
    out.regions.back().end = std::max(out.regions.back().end, end);
    out.parts[i] = {out.regions.size() - 1,
                    less(pairs[i].earlier.event, reach.near_before),
                    pairs[i].later.event + 1 + reach.near_after,
                    {}};
  }
}

}  // namespace

solve::Window Surroundings::near(std::size_t pair) const {
  const Part& part = parts[pair];
  const Region& region = regions[part.region];
  const std::uint64_t end = std::min(part.end, region.first + region.events.size());
  return {part.first, std::span(region.events).subspan(part.first - region.first, end - part.first),
          part.held};
}

Result<Surroundings> regions_around(const std::string& path, const ReadOptions& read,
                                    std::span<const model::RacePair> pairs, const Reach& reach,
                                    std::chrono::steady_clock::time_point until) {
  Surroundings out;
  if (pairs.empty()) return out;
  lay_out(out, pairs, reach);
  auto source = open_source(path, read);
  if (!source) return fail(source.error());
  solve::Holders holders;
  std::vector<Part*> waiting;
  for (Part& part : out.parts) waiting.push_back(&part);
  std::ranges::sort(waiting, std::greater{}, &Part::first);
  std::size_t region = 0;
  const std::uint64_t end = out.regions.back().end;
  std::uint64_t number = 0;
  bool at_end = false;
  while (number < end) {
    if (std::chrono::steady_clock::now() >= until) return Surroundings{};
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    at_end = *block == nullptr;
    if (at_end) break;
    for (std::size_t i = 0; i < (*block)->size() && number < end; ++i, ++number) {
      const Event e = (**block)[i];
      while (out.regions[region].end <= number) ++region;
      if (out.regions[region].first == number) out.regions[region].held = holders.all();
      for (; !waiting.empty() && waiting.back()->first == number; waiting.pop_back()) {
        waiting.back()->held = holders.all();
      }
      if (out.regions[region].first <= number) out.regions[region].events.push_back(e);
      holders.see(e);
    }
  }
  out.regions.front().whole = at_end && out.regions.size() == 1 && out.regions.front().first == 0;
  return out;
}

}  // namespace deadheat::analysis
