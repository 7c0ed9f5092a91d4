#include "filter/cold.h"

#include <algorithm>
#include <cmath>

namespace deadheat::filter {

// At a rate r a burst of b accesses is one in b / r of them. Half of the gap is left to chance, so that what
// happens at regular times is not missed each time.
std::uint64_t Cold::gap_after(std::uint32_t bursts) {
  const double rate = std::max(least_, std::pow(0.1, bursts));
  const double gap = burst_ * (1 / rate - 1);
  return static_cast<std::uint64_t>(gap * (0.5 + random_.unit()));
}

bool Cold::wants(Place& place) {
  if (place.skip > 0) {
    --place.skip;
    return false;
  }
  if (place.burst == 0) place.burst = burst_;
  if (--place.burst == 0) place.skip = gap_after(++place.bursts);
  return true;
}

void Cold::filter(const SortedBlock& block, EventSet& kept) {
  const BlockView& events = block.events;
  keep_if(block, kept, [&](std::size_t i) {
    const Op& op = events.ops[events.op[i]];
    // Seldom, and the end of much else.
    if (op.kind == EventKind::free) return true;
    return wants(places_(events.thread[i], index(op.site)));
  });
}

Result<std::unique_ptr<Filter>> make_cold(const engine::Settings& settings) {
  const auto burst = settings.number("burst", 1, 1 << 30);
  if (!burst) return fail(burst.error());
  const auto least = settings.real("least", 1e-9, 1);
  if (!least) return fail(least.error());
  const auto seed = settings.number("seed", 0, UINT64_MAX);
  if (!seed) return fail(seed.error());
  return std::make_unique<Cold>(static_cast<std::uint32_t>(*burst), *least, *seed);
}

}  // namespace deadheat::filter
