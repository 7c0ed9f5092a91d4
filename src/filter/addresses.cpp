#include "filter/addresses.h"

#include "base/random.h"

namespace deadheat::filter {

Addresses::Addresses(double rate, std::uint64_t period, std::uint64_t seed)
    : all_(rate >= 1),
      threshold_(all_ ? UINT64_MAX : static_cast<std::uint64_t>(rate * 0x1p64)),
      period_(period),
      seed_(seed) {}

bool Addresses::chosen(std::uint64_t line) const {
  return all_ || base::Random(salt_ ^ (line * 0xD6E8FEB86659FD93u))() < threshold_;
}

void Addresses::filter(const SortedBlock& block, EventSet& kept) {
  const BlockView& events = block.events;
  std::uint64_t now = UINT64_MAX;
  keep_if(block, kept, [&](std::size_t i) {
    // By the event's number: how the trace is cut does not matter.
    const std::uint64_t number = period_ == 0 ? 0 : (events.first + i) / period_;
    if (number != now) {
      now = number;
      salt_ = base::Random(seed_ + number * 0x9FB21C651E98DF25u)();
    }
    const std::uint64_t first = events.object[i], last = first + cells(events.ops[events.op[i]]) - 1;
    // One cell of the class is enough, or the class would have races with holes.
    for (std::uint64_t line = first / kTogether; line <= last / kTogether; ++line) {
      if (chosen(line)) return true;
    }
    return false;
  });
}

Result<std::unique_ptr<Filter>> make_addresses(const engine::Settings& settings) {
  const auto rate = settings.real("rate", 0, 1);
  if (!rate) return fail(rate.error());
  const auto period = settings.number("period", 0, UINT64_MAX);
  if (!period) return fail(period.error());
  const auto seed = settings.number("seed", 0, UINT64_MAX);
  if (!seed) return fail(seed.error());
  return std::make_unique<Addresses>(*rate, *period, *seed);
}

}  // namespace deadheat::filter
