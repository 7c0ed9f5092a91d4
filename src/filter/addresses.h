// A random class of variables, and all accesses to these: a race is seen with the class's share, however far
// apart its accesses are. Arithmetic alone, no memory. Cells of one cache line are in or out together.
#pragma once

#include <memory>

#include "engine/options.h"
#include "filter/filter.h"

namespace deadheat::filter {

class Addresses final : public Filter {
 public:
  // Another class every `period` events; 0: the same for all of the trace.
  Addresses(double rate, std::uint64_t period, std::uint64_t seed);
  void filter(const SortedBlock& block, EventSet& kept) override;

 private:
  static constexpr std::uint64_t kTogether = 8;  // cells
  bool chosen(std::uint64_t line) const;

  bool all_;
  std::uint64_t threshold_;  // of 2^64
  std::uint64_t period_, seed_;
  std::uint64_t salt_ = 0;  // of the class of now
};

Result<std::unique_ptr<Filter>> make_addresses(const engine::Settings& settings);

}  // namespace deadheat::filter
