// Engines that find nothing, for comparison and for looking at traces.
#pragma once

#include <array>

#include "engine/engine.h"

namespace deadheat::engine {

// What reading alone costs.
class Null final : public Engine {
 public:
  void order(const SortedBlock&, RaceSink&) override {}
};

class Count final : public Engine {
 public:
  void order(const SortedBlock& block, RaceSink&) override;
  std::vector<Counter> counters() const override;

 private:
  std::array<std::uint64_t, kEventKinds> counts_{};
};

}  // namespace deadheat::engine
