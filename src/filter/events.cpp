#include "filter/events.h"

#include <cmath>

namespace deadheat::filter {

Events::Events(double rate, std::uint64_t seed)
    : rate_(rate), by_log_(rate < 1 ? 1 / std::log1p(-rate) : 0), random_(seed), skip_(draw()) {}

// The number of failures before a success: geometric.
std::uint64_t Events::draw() {
  if (rate_ >= 1) return 0;
  const double skip = std::log1p(-random_.unit()) * by_log_;
  return skip < 0x1p63 ? static_cast<std::uint64_t>(skip) : std::uint64_t{1} << 63;
}

void Events::filter(const SortedBlock& block, EventSet& kept) {
  keep_if(block, kept, [this](std::size_t) {
    if (skip_-- > 0) return false;
    skip_ = draw();
    return true;
  });
}

bool Events::pick(std::size_t accesses, std::vector<std::uint32_t>& kept) {
  kept.clear();
  std::uint64_t at = skip_;
  for (; at < accesses; at += 1 + draw()) kept.push_back(static_cast<std::uint32_t>(at));
  skip_ = at - accesses;
  return true;
}

Result<std::unique_ptr<Filter>> make_events(const engine::Settings& settings) {
  const auto rate = settings.real("rate", 0, 1);
  if (!rate) return fail(rate.error());
  const auto seed = settings.number("seed", 0, UINT64_MAX);
  if (!seed) return fail(seed.error());
  return std::make_unique<Events>(*rate, *seed);
}

}  // namespace deadheat::filter
