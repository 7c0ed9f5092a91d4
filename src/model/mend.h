// Mends a trace that is not well formed, where there is only one sensible way to.
//
// Two passes: the first is a WellFormed over the whole trace, which finds out whether everything can be
// mended and which `end`s come too early; the second sends every block through here. What is mended, and why
// nothing else can have been meant:
//
//   release-free   dropped. Nobody holds the lock: the section began before the trace did, and its acquire
//                  cannot be put anywhere without inventing what it covered. (An order that this release
//                  would have made is lost with it.)
//   fork-repeated  dropped. Nothing happened between the two, so either of them says the same.
//   recv-unsent    dropped. A receive is ordered after earlier sends and before nothing: without any it says
//                  nothing.
//   begin-twice, begin-late
//                  dropped. A begin marks where a thread starts, and it started before.
//   after-end      the early `end` is dropped. Events are there; a mark that says otherwise is wrong.
//   stray          the attribute is cleared. Its kind of event has none, so it never meant anything.
//
// Everything else is refused: a conflict of two holders or two forks can be mended by dropping either side,
// by adding what is missing between them, or by renaming; each gives other races.
#pragma once

#include <array>
#include <cstdint>

#include "deadheat/event.h"
#include "model/block_builder.h"
#include "model/well_formed.h"

namespace deadheat::model {

constexpr bool can_mend(Rule rule) {
  return rule == Rule::release_free || rule == Rule::fork_repeated || rule == Rule::recv_unsent ||
         rule == Rule::begin_twice || rule == Rule::begin_late || rule == Rule::after_end ||
         rule == Rule::stray;
}

// True if all that the survey found can be mended.
bool can_mend(const WellFormed& survey);

class Mender {
 public:
  // `survey` has seen the whole trace, and can_mend(survey).
  explicit Mender(const WellFormed& survey);

  // What is left of the block; may be empty. Valid until the next call. Blocks in order, as in the survey.
  BlockView mend(const BlockView& block);

  // What was done: events dropped or, for Rule::stray, changed.
  std::uint64_t mended(Rule rule) const { return mended_[static_cast<std::size_t>(rule)]; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  const WellFormed& survey_;
  WellFormed state_{0};
  BlockBuilder kept_{kMaxBlockEvents};
  std::uint64_t next_ = 0;  // number of the next event that is kept
  std::uint64_t dropped_ = 0;
  std::array<std::uint64_t, kRules> mended_{};
};

}  // namespace deadheat::model
