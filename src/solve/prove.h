// Proofs that a pair can be made to meet, from windows around it that grow until one suffices.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "solve/decide.h"
#include "solve/window.h"

namespace deadheat::solve {

struct ProofLimits {
  std::chrono::milliseconds time{10'000};  // for all windows together
  std::uint64_t first_window = 32;         // events before the pair; each next window has four times as many
  std::uint64_t last_window = 1 << 17;     // not more than this
};

struct Proof {
  Answer answer;                     // of the last window that was tried; no: for this window
  std::uint64_t first = 0, end = 0;  // this window
  std::uint32_t windows = 0;         // that were tried
  std::uint64_t checks = 0;          // of the solver, in all of them
};

// `around` is a part of the trace that holds the pair: all windows are within it. A "no" of the whole trace
// is exact.
Proof prove(const Window& around, const Question& question, const ProofLimits& limits = {});

// The part of a window from event `first` up to `end`, with the locks that are held there.
Window part_of(const Window& window, std::uint64_t first, std::uint64_t end);

}  // namespace deadheat::solve
