// PACER: races in proportion to what is sampled. Time is divided into periods; in those that are sampled
// every access is kept, in the others accesses are checked against what is kept, and none is. Bond, Coons &
// McKinley, "PACER: Proportional Detection of Data Races" (PLDI 2010), as told in Thokair, Zhang, Mathur &
// Viswanathan, "Dynamic Race Detection with O(1) Samples" (POPL 2023), section 4. Tells a pair only if the
// two race. A pair whose earlier access no other stands for (one ordered behind it, before the later access
// comes: a write for all kinds, a read for reads) is told if and only if the earlier one was in a sampled
// period: with the probability `rate`. Departs: periods are so many events, where PACER's end at garbage
// collections. An access that is not kept forgets only what it stands for, where PACER's writes forget what
// raced with them, too; so a pair's chance does not depend on other races.
#pragma once

#include <memory>
#include <vector>

#include "clock/heap.h"
#include "clock/time_vector.h"
#include "clock/versioned_clocks.h"
#include "engine/engine.h"
#include "engine/registry.h"
#include "history/full_history.h"
#include "order/sampled.h"

namespace deadheat::engine {

class Pacer final : public Engine {
 public:
  struct Options {
    double rate = 0;
    std::uint64_t period = 1;  // events
    std::uint64_t seed = 0;
  };
  Pacer(Options options, Shape shape) : options_(options), many_cells_(shape.many_cells) {}

  void order(const SortedBlock& block, RaceSink& races) override;
  std::vector<Counter> counters() const override;
  std::uint64_t bytes() const override { return order_.bytes() + history_.bytes(); }

 private:
  using Order = order::Sampled<clock::VersionedClocks<clock::TimeVector, clock::Heap>>;

  void begin_period(std::uint64_t number);
  void check_event(const SortedBlock& block, std::uint32_t i, RaceSink& races);

  Options options_;
  std::uint64_t many_cells_;
  Order order_{1};
  history::FullHistory history_;
  std::uint64_t period_end_ = 0;  // event
  bool sampling_ = false;
  std::uint64_t periods_ = 0, sampled_periods_ = 0;
  std::uint64_t kept_ = 0, met_ = 0, passed_ = 0;  // accesses
};

inline constexpr Option kPacerOptions[] = {
    {"rate", "P", "the share of periods that is sampled", "0.03"},
    {"period", "N", "events in a period", "10000"},
    {"seed", "N", "of chance", "1"},
};
Result<std::unique_ptr<Engine>> make_pacer(const Settings& settings, Shape shape);

}  // namespace deadheat::engine
