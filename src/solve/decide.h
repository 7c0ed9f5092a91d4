// Whether a pair of a window can be made to meet: exact, as far as the window and the time go.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "solve/rules.h"

namespace deadheat::solve {

struct Limits {
  std::chrono::milliseconds time{10'000};  // for a question
  // Which means may be used: all, or one of the exact ones alone, to be compared with.
  enum class Use : std::uint8_t { all, cases, solver } use = Use::all;
  std::uint64_t cases = 1000;      // that are tried before the solver is asked
  std::uint64_t clauses = 20'000;  // that the solver is told at once; of the others, what it breaks
  unsigned steps = 0;              // of the solver, in its own measure; 0: any number
};

enum class Verdict : std::uint8_t { yes, no, unknown };

// What decided it, the cheapest first.
enum class Means : std::uint8_t {
  needs,       // no: one of the two, or what only comes after it, is needed before
  trace,       // yes: the order of the trace does, of some events
  saturation,  // no: what the rules force contradicts itself
  cases,       // yes or no, by trying all cases that matter
  solver,      // yes or no
  time,        // unknown: the time was up
  gave_up,     // unknown: the solver gave up
};

struct Answer {
  Verdict verdict = Verdict::unknown;
  Means means = Means::time;
  // If yes: numbers of events of the window, in an order after which the pair meets. The pair itself is not
  // among them.
  std::vector<std::uint64_t> order;
  std::uint64_t cases = 0;                // that were tried
  std::uint64_t checks = 0, clauses = 0;  // of the solver
};

Answer decide(const Rules& rules, const Question& question, const Limits& limits = {});

}  // namespace deadheat::solve
