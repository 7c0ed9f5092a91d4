// What a recording does not have, or has otherwise than it happened: counted, and told at the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "deadheat/trace.h"

namespace deadheat::record {

enum class Loss : std::uint8_t {
  release_by_other,   // of a lock that another thread holds
  release_unheld,     // of a lock that nobody was seen to take
  release_unseen,     // an acquire of a lock whose holder was not seen to release it
  held_at_end,        // a thread ended and held a lock
  recv_unsent,        // of a channel that nobody sent to
  barrier_unmatched,  // an enter by a thread that is inside, an exit by one that is not
  barrier_crowded,    // more threads at a barrier than meet there
  free_unknown,       // of memory that nobody was seen to allocate
  after_end,          // events of a thread behind its end or its join
  begin_late,         // a second begin, a fork of a thread that was there, a join or fork of itself
  no_cells,           // accesses: numbers of variables ran out
  large_blocks,       // allocations too large to be one event: only the memory in use is covered
  benign,             // accesses that may race, as the program says
  unknown_kind,       // records that make no sense
  out_of_scope,       // accesses of code that was not asked for
};
inline constexpr std::size_t kLosses = static_cast<std::size_t>(Loss::out_of_scope) + 1;

class Losses {
 public:
  void add(Loss loss) { ++counts_[static_cast<std::size_t>(loss)]; }
  std::uint64_t count(Loss loss) const { return counts_[static_cast<std::size_t>(loss)]; }
  // One for every kind that is not 0.
  std::vector<Warning> warnings() const;

 private:
  std::array<std::uint64_t, kLosses> counts_{};
};

}  // namespace deadheat::record
