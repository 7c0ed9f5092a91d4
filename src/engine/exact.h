// The pairs that can be made to meet at all, by a decision procedure, in windows of the trace.
// After Said, Wang, Yang & Sakallah, "Generating Data Race Witnesses by an SMT-Based Analysis" (NFM 2011),
// and Huang, Meredith & Rosu, "Maximal Sound Predictive Race Detection with Control Flow Abstraction" (PLDI
// 2014), for the reorderings in which each read sees the write that it saw. Departs: which events are done is
// left open too; most pairs are decided without a solver. A trace that fits in one window is decided exactly.
// Else a pair is told only if a window shows it, and what is not decided so is counted. Every pair that is
// told has a schedule that passed the judge of witnesses.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "engine/engine.h"
#include "engine/registry.h"
#include "model/held_locks.h"
#include "solve/decide.h"
#include "witness/checker.h"

namespace deadheat::engine {

class Exact final : public Engine {
 public:
  struct Options {
    std::uint64_t window = 4096;  // events
    std::chrono::milliseconds time{1000};
    solve::Notion notion = solve::Notion::co_enabled;
    std::uint64_t limit = 100;
    unsigned jobs = 1;
  };
  explicit Exact(const Options& options) : options_(options) {}

  void order(const SortedBlock& block, RaceSink& races) override;
  void finish(RaceSink& races) override;
  std::vector<Counter> counters() const override;
  std::uint64_t bytes() const override;

 private:
  struct Asked {
    model::RacePair pair;
    solve::Answer answer;
    bool checked = false;  // its schedule, and found right
  };
  // Who has been at a variable before the window.
  struct Beyond {
    ThreadId thread;
    bool others = false;
  };

  void look_at(solve::Index end, RaceSink& races);
  std::vector<Asked> choose(const solve::Window& window, const solve::Rules& rules, solve::Index end);
  void ask(const solve::Window& window, const solve::Rules& rules, std::vector<Asked>& asked) const;
  bool passes(const solve::Window& window, const Asked& asked) const;
  void count(const solve::Answer& answer);
  void slide(std::size_t count);
  void note_beyond(const Event& event);
  void count_beyond(const Event& event);
  solve::Window window() const;

  Options options_;
  // The window: events from first_ on.
  std::uint64_t first_ = 0;
  std::vector<Event> events_;
  std::vector<bool> is_looked_at_;
  solve::Index asked_until_ = 0;  // in the window: later accesses that were asked about
  bool whole_ = false;            // the window is the trace

  // What was before it.
  model::HeldLocks locks_;
  std::uint32_t threads_ = 0;
  witness::Before before_;
  std::unordered_map<std::uint32_t, Beyond> beyond_;  // by variable

  std::map<std::tuple<SiteId, SiteId, VarId>, std::uint64_t> times_asked_;

  struct Counts {
    std::uint64_t questions = 0, by_trace = 0, by_cases = 0, by_solver = 0;
    std::uint64_t no_by_needs = 0, no_by_saturation = 0, no_by_cases = 0, no_by_solver = 0;
    std::uint64_t no_in_window = 0;
    std::uint64_t time_is_up = 0, gave_up = 0, rejected = 0;
    std::uint64_t solver_calls = 0, solver_checks = 0;
    std::uint64_t not_asked = 0, beyond = 0;
  } counts_;
};

inline constexpr Option kExactOptions[] = {
    {"window", "N", "events that are looked at together; they overlap by three quarters", "4096"},
    {"timeout", "MS", "milliseconds for a question; what takes longer is counted as unknown", "1000"},
    {"notion", "co-enabled|adjacent", "what it means to meet", "co-enabled"},
    {"limit", "N|unlimited", "questions about two places and a variable", "100"},
    {"jobs", "N", "threads that answer questions", "1"},
};
Result<std::unique_ptr<Engine>> make_exact(const Settings& settings, Shape shape);

}  // namespace deadheat::engine
