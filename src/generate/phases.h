// Phases between barriers. The shared variables are two halves: in a phase a thread writes its own part of
// one half and reads anything of the other, which all wrote in the phase before; then the halves change
// places.
#pragma once

#include "generate/machine.h"
#include "generate/sections.h"

namespace deadheat::generate {

class Phases {
 public:
  Phases(Machine& machine, Sections::Range shared, std::uint32_t accesses_a_phase);

  void start(ThreadState& t);
  Step step(ThreadState& t);
  bool runnable(const ThreadState& t) const { return !t.inside || m_.barrier_is_full(t); }

 private:
  Machine& m_;
  Sections::Range shared_;
  std::uint32_t half_;
  std::uint32_t accesses_;  // in a phase, on average
};

}  // namespace deadheat::generate
