// All pairs of schedulable happens-before, by edge constraints: SHB^E+E.
// Sulzmann & Stadtmueller, "Predicting All Data Race Pairs for a Specific Schedule" (MPLR 2019), as told in
// their "Efficient, Near Complete and Often Sound Hybrid Dynamic Data Race Prediction" (2020), section 4.
// Tells the conflicting pairs (e, f) of which e need not be done when f is next: those of which shb flags f.
// With a limit, some of them: what the limit drops is counted.
// Departs: whether accesses are concurrent is asked before the read's edge from its write is added, as shb
// does; after it (the paper; an option) pairs are missed. And edges are followed at once, in the same pass.
#pragma once

#include <memory>
#include <vector>

#include "clock/flat_clocks.h"
#include "engine/engine.h"
#include "engine/registry.h"
#include "history/edge_history.h"
#include "order/happens_before.h"
#include "order/reads_from.h"

namespace deadheat::engine {

class ShbEe final : public Engine {
 public:
  struct Options {
    std::uint64_t limit = 25;  // of edges, a variable
    bool paper = false;        // pairs not ordered, and each read with its write, alone
  };
  ShbEe(Options options, Shape shape)
      : options_(options), many_cells_(shape.many_cells), history_(options.limit) {}

  void order(const SortedBlock& block, RaceSink& races) override;
  std::vector<Counter> counters() const override;
  std::uint64_t bytes() const override { return order_.bytes() + history_.bytes(); }

 private:
  struct Found {
    history::Kept access;
    std::uint32_t cell;
  };

  void access(const SortedBlock& block, std::uint32_t i, RaceSink& races);
  void tell(const history::Access& access, RaceSink& races);

  Options options_;
  std::uint64_t many_cells_;
  order::ReadsFrom<order::HappensBefore<clock::FlatClocks>> order_{1};
  history::EdgeHistory history_;
  std::vector<Found> found_;    // of one access
  std::uint64_t may_miss_ = 0;  // accesses
};

inline constexpr Option kShbEeOptions[] = {
    {"limit", "N|unlimited", "edges kept for each variable; 0: only what shb keeps", "25"},
    {"paper", "", "only pairs that are not ordered, and of a read only its write besides", "no"},
};
Result<std::unique_ptr<Engine>> make_shb_ee(const Settings& settings, Shape shape);

}  // namespace deadheat::engine
