// What a thread seldom does: each place of the program is looked at often at first, then less and less.
// Marino, Musuvathi & Narayanasamy, "LiteRace: Effective Sampling for Lightweight Data-Race Detection" (PLDI
// 2009), thread-local adaptive bursty sampling. Time O(1) an access, memory O(1) a thread and site.
// Departs: by site where the paper goes by function, since a trace has no calls.
#pragma once

#include <memory>

#include "base/random.h"
#include "engine/options.h"
#include "filter/filter.h"
#include "model/pair_table.h"

namespace deadheat::filter {

class Cold final : public Filter {
 public:
  // Bursts of so many accesses; between two of them the rate falls to a tenth, but not below the least.
  Cold(std::uint32_t burst, double least_rate, std::uint64_t seed)
      : burst_(burst), least_(least_rate), random_(seed) {}
  void filter(const SortedBlock& block, EventSet& kept) override;
  std::uint64_t bytes() const override { return places_.bytes(); }

 private:
  struct Place {
    std::uint64_t skip = 0;   // accesses to leave out before the next burst
    std::uint32_t burst = 0;  // accesses left in this one
    std::uint32_t bursts = 0;
  };
  bool wants(Place& place);
  std::uint64_t gap_after(std::uint32_t bursts);

  std::uint32_t burst_;
  double least_;
  base::Random random_;
  model::PairTable<Place> places_;  // by thread and site
};

Result<std::unique_ptr<Filter>> make_cold(const engine::Settings& settings);

}  // namespace deadheat::filter
