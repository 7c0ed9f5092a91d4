// Each access by itself, with the same probability: how far to skip is drawn, not each access.
#pragma once

#include <memory>

#include "base/random.h"
#include "engine/options.h"
#include "filter/filter.h"

namespace deadheat::filter {

class Events final : public Filter {
 public:
  Events(double rate, std::uint64_t seed);
  void filter(const SortedBlock& block, EventSet& kept) override;
  bool pick(std::size_t accesses, std::vector<std::uint32_t>& kept) override;

 private:
  std::uint64_t draw();  // how many to leave out before the next

  double rate_, by_log_;
  base::Random random_;
  std::uint64_t skip_;
};

Result<std::unique_ptr<Filter>> make_events(const engine::Settings& settings);

}  // namespace deadheat::filter
