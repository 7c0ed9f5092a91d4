// Proofs that a pair can be made to meet, from windows around it that grow until one suffices.
#pragma once

#include <chrono>
#include <cstdint>

#include "solve/decide.h"
#include "solve/window.h"

namespace deadheat::solve {

struct ProofLimits {
  std::chrono::milliseconds time{10'000};  // for all windows together
  std::uint64_t first_window = 32;         // events before the pair; each next window has four times as many
  std::uint64_t last_window = 1 << 17;     // not more than this
  // Events of a window times its threads: what is known of each event takes so many numbers, some times over.
  std::uint64_t most_numbers = 1 << 26;
};

struct Proof {
  // Why there was no larger window.
  enum class End : std::uint8_t { answered, all_of_it, largest, time, memory } end = End::answered;
  Answer answer;                                 // of the last window that was tried; no: for this window
  std::uint64_t first_event = 0, end_event = 0;  // this window
  std::uint32_t windows = 0;                     // that were tried
  std::uint64_t checks = 0;                      // of the solver, in all of them
};

// `around` is a part of the trace that holds the pair: all windows are within it. The answer "no" is exact if
// the end is all_of_it, and `around` is the trace.
Proof prove(const Window& around, const Question& question, const ProofLimits& limits = {});

// Whether all of a window may be looked at, by its events and threads.
bool fits(const Window& window, const ProofLimits& limits);

// The part of a window from event `first` up to `end`, with the locks that are held there.
Window part_of(const Window& window, std::uint64_t first, std::uint64_t end);

}  // namespace deadheat::solve
