// The pairs of a window that `exact` asks about: those that cannot be excluded at a glance.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "solve/intervals.h"
#include "solve/rules.h"
#include "solve/window.h"

namespace deadheat::engine {

// Conflicting pairs, none of which is needed for the other, without a lock that keeps them apart: all that
// can meet are among them. Why not those of pwr-ee: docs/decisions/0007-deciding-pairs.md.
class ExactCandidates {
 public:
  struct Candidate {
    solve::Index earlier, later;  // events of the window
    VarId variable;               // where they meet
  };

  ExactCandidates(const solve::Window& window, const solve::Rules& rules);

  // Event i of the window is next in the trace, and not left out by a filter: the pairs of which it is the
  // later one, in the order of the others. Valid until the next call.
  std::span<const Candidate> of(solve::Index i);
  // The same, if it is not to be the later one of any.
  void pass(solve::Index i);

 private:
  struct Accesses {
    solve::Index thread;
    std::vector<solve::Index> events;
  };
  // Locks with their modes, sorted.
  using Lockset = std::vector<std::pair<std::uint32_t, model::HeldLocks::Mode>>;

  void find_locksets();
  bool kept_apart(solve::Index a, solve::Index b) const;

  const solve::Window& window_;
  const solve::Rules& rules_;
  solve::Intervals intervals_;
  std::vector<std::vector<Accesses>> accesses_;  // by interval, since it was allocated
  std::map<Lockset, std::uint32_t> locksets_;
  std::vector<const Lockset*> held_;  // by event
  std::vector<Candidate> found_;
};

}  // namespace deadheat::engine
