// A race explained: what kept the two accesses apart in this run, and a schedule in which nothing does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/schedule.h"
#include "base/terminal.h"
#include "report/race.h"
#include "report/resolve.h"

namespace deadheat::report {

struct Explanation {
  std::string trace;
  bool is_incomplete = false;  // the trace ends before its end
  Race race;

  // What is known of the two accesses, and that as a sentence for people.
  enum class State : std::uint8_t {
    proved,
    predicted,
    same_thread,
    no_conflict,
    ordered,
    impossible,
    open
  } state{};
  std::string conclusion;

  // What made one thread wait for the other, step by step; by program order in between.
  bool ordered = false;
  struct Link {
    Sync signal, wait;
    std::string waiter;  // the thread
  };
  std::vector<Link> links;

  // Steps of the schedule, each of a thread.
  struct Step {
    std::size_t thread = 0;  // in `threads`
    std::uint64_t event = 0;
    std::string what;  // "acquires account"
    Place place;
    unsigned depth = 0;        // locks held while it is done; an acquire and its release have the same
    std::uint64_t folded = 0;  // steps before this one that are not told
  };
  std::vector<std::string> threads;  // with a step, in the order of the first; the two of the race last
  std::vector<Step> steps;
  std::uint64_t folded = 0;       // behind the last of them
  std::uint64_t as_in_trace = 0;  // events before the first step
  struct Stop {
    std::string thread;
    std::uint64_t events = 0;  // that it did in the trace before the later access, and does not here
    std::string next;          // the first of them
  };
  std::vector<Stop> stops;
};

Explanation explain(std::string trace, Race race, const analysis::Schedule& schedule,
                    symbol::Symbolizer* symbols);

std::string_view name_of(Explanation::State state);
// It is known that there is no race, neither in this run nor in another schedule.
bool is_no_race(const Explanation& explanation);
// The grade of a race; "no race: same thread" of what is none.
std::string standing(const Explanation& explanation);
std::string as_text(const Explanation& explanation, const base::Terminal& terminal);
std::string as_json(const Explanation& explanation, std::string_view tool_version);
std::string as_html(const Explanation& explanation);

}  // namespace deadheat::report
