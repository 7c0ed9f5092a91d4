// Engines that find nothing, for comparison and for looking at traces.
#pragma once

#include <array>
#include <string>

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

// Writes each event to stdout as engines see it: by number, like a line of a text trace but with ids for
// names. An error of stdout is left there for the program to find.
class Print final : public Engine {
 public:
  void order(const SortedBlock& block, RaceSink&) override;
};
std::string line_of(std::uint64_t number, const Event& event);

}  // namespace deadheat::engine
