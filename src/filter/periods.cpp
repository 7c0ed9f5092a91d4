#include "filter/periods.h"

#include <cmath>

namespace deadheat::filter {

void Periods::filter(const SortedBlock& block, EventSet& kept) {
  const std::uint64_t first = block.events.first;
  std::uint64_t now = UINT64_MAX;
  bool on = false;
  keep_if(block, kept, [&](std::size_t i) {
    const std::uint64_t period = (first + i) / length_;
    if (period != now) {
      now = period;
      on = base::Random(seed_ + period * 0x9FB21C651E98DF25u).unit() < rate_;
    }
    return on;
  });
}

Windows::Windows(double rate, std::uint64_t length, std::uint64_t seed)
    : gap_(static_cast<double>(length) * (1 - rate) / rate), length_(length), random_(seed) {
  next();
}

// Exponential gaps have no memory: the first window is as likely anywhere as the others.
void Windows::next() {
  const double gap = -std::log1p(-random_.unit()) * gap_;
  begin_ = gap < 0x1p62 - static_cast<double>(end_) ? end_ + static_cast<std::uint64_t>(gap)
                                                    : std::uint64_t{1} << 62;
  end_ = begin_ + length_;
}

void Windows::filter(const SortedBlock& block, EventSet& kept) {
  const std::uint64_t first = block.events.first;
  keep_if(block, kept, [&](std::size_t i) {
    while (first + i >= end_) next();
    return first + i >= begin_;
  });
}

namespace {

template <class Sampler>
Result<std::unique_ptr<Filter>> make(const engine::Settings& settings, double least) {
  const auto rate = settings.real("rate", least, 1);
  if (!rate) return fail(rate.error());
  const auto length = settings.number("length", 1, std::uint64_t{1} << 40);
  if (!length) return fail(length.error());
  const auto seed = settings.number("seed", 0, UINT64_MAX);
  if (!seed) return fail(seed.error());
  return std::make_unique<Sampler>(*rate, *length, *seed);
}

}  // namespace

Result<std::unique_ptr<Filter>> make_periods(const engine::Settings& settings) {
  return make<Periods>(settings, 0);
}

// A gap must have a length.
Result<std::unique_ptr<Filter>> make_windows(const engine::Settings& settings) {
  return make<Windows>(settings, 1e-9);
}

}  // namespace deadheat::filter
