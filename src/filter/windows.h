// Which parts of a trace are looked at by a property tester, which sees a constant number of events.
// Al Thokair, Zhang, Mathur & Viswanathan, "Dynamic Race Detection with O(1) Samples" (POPL 2023),
// algorithm 3.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "deadheat/result.h"
#include "engine/options.h"
#include "engine/registry.h"

namespace deadheat::filter {

inline constexpr engine::Option kWindowOptions[] = {
    {.name = "eps",
     .value = "E",
     .help = "traces are to be told from race-free ones if a share E of their events is wrong",
     .initial = "0.01"},
    {.name = "delta", .value = "D", .help = "how likely it is at most to miss in them", .initial = "0.1"},
    {.name = "seed", .value = "N", .help = "of chance", .initial = "1"},
    {.name = "m",
     .value = "N",
     .help = "in place of 4 threads + 2 locks held at once, as the trace has them; 0: as it has them",
     .initial = "0"},
    {.name = "until",
     .value = "P",
     .help = "halve eps from 0.5 on, with delta = 1 - P, until there is a race or time is up; 0: do not",
     .initial = "0"},
    {.name = "budget", .value = "SECONDS", .help = "how much time `until` has", .initial = "10"},
};

// As a user asks for it.
struct WindowOptions {
  double eps = 0.01;       // the share of events that would have to be changed to get rid of all races
  double delta = 0.1;      // how likely it is at most that such a trace shows none
  std::uint64_t seed = 1;  // of chance
  std::uint64_t m = 0;     // 0: 4 threads + 2 locks held, of the trace
  // Seconds; 0: eps as it is. Else eps is halved, from a half on, until there is a race or time is up.
  double budget_s = 0;
};
Result<WindowOptions> window_options(const engine::Settings& settings);

// Why windows cannot be shown to an engine; "" if they can.
std::string_view windows_refuse(const engine::Row& row);

// Events from `begin` on, up to before `end`.
struct Window {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t size() const { return end - begin; }
  friend bool operator==(const Window&, const Window&) = default;
};

// Line 2: how many windows of which length.
struct WindowPlan {
  std::uint64_t m = 0, length = 0, count = 0;
  std::uint64_t shortest = 0;  // a shorter trace is looked at as a whole
  double eps = 0, delta = 0;
};
WindowPlan plan_windows(const WindowOptions& options, std::uint64_t threads, std::uint64_t locks_held);

// Lines 6 and 7: drawn from a trace of so many events, in order, those that overlap made one. The trace is
// not shorter than plan.shortest.
std::vector<Window> draw_windows(const WindowPlan& plan, std::uint64_t events, std::uint64_t seed);
// The same from where windows begin.
std::vector<Window> merge_windows(std::vector<std::uint64_t> begins, std::uint64_t length);

}  // namespace deadheat::filter
