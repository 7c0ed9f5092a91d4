// Stretches of the trace, and all accesses in these: a race of accesses near to each other is seen with the
// stretches' share, one of accesses far apart with its square.
#pragma once

#include <memory>

#include "base/random.h"
#include "engine/options.h"
#include "filter/filter.h"

namespace deadheat::filter {

// The trace is cut into periods of one length, and each is looked at or not, by chance: the sampling periods
// of PACER. (Its engine also holds accesses outside of them against what was sampled; a filter cannot.)
class Periods final : public Filter {
 public:
  Periods(double rate, std::uint64_t length, std::uint64_t seed)
      : rate_(rate), length_(length), seed_(seed) {}
  void filter(const SortedBlock& block, EventSet& kept) override;

 private:
  double rate_;
  std::uint64_t length_, seed_;
};

// Windows of one length at random places. Between two of them are so many events as chance says, on average
// what the rate asks for.
class Windows final : public Filter {
 public:
  Windows(double rate, std::uint64_t length, std::uint64_t seed);
  void filter(const SortedBlock& block, EventSet& kept) override;

 private:
  void next();

  double gap_;  // on average
  std::uint64_t length_;
  base::Random random_;
  std::uint64_t begin_ = 0, end_ = 0;  // of the window that is there or to come, by event
};

Result<std::unique_ptr<Filter>> make_periods(const engine::Settings& settings);
Result<std::unique_ptr<Filter>> make_windows(const engine::Settings& settings);

}  // namespace deadheat::filter
