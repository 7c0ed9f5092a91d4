// Schedules for pairs of accesses that keep, of each lock, the order of the acquires: the cheapest ones there
// are. Of what has to come before the two accesses the closure is made (order/critical_sections.h); if it
// has neither of them, its events in the order of the trace are a schedule.
// Two closures are tried: with all that came before the earlier access in the trace, which differs little
// from the trace, and with nothing but what is needed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "clock/flat_clocks.h"
#include "engine/sorted_block.h"
#include "model/race.h"
#include "order/critical_sections.h"
#include "order/ideal.h"
#include "order/reads_from.h"
#include "witness/witness.h"

namespace deadheat::analysis {

class SyncPreserving {
 public:
  // `writes_read`: where it is not known whether the trace is complete, plain writes are reads too.
  // Pairs of one group are for one race: one schedule will do. What is kept of pairs whose later access is to
  // come takes no more than so many bytes; pairs beyond are left out.
  SyncPreserving(std::span<const model::RacePair> pairs, bool writes_read,
                 std::span<const std::size_t> groups = {}, std::size_t most_bytes = SIZE_MAX);

  // To be shown all blocks of the trace, in order, until no more is wanted.
  void see(const engine::SortedBlock& block);
  bool wants_more() const { return next_ < wanted_.size(); }
  // For each pair, if there is one.
  std::vector<std::optional<witness::Witness>> take() { return std::move(found_); }
  bool was_left_out(std::size_t pair) const { return left_out_[pair]; }

 private:
  using Order = order::Knowing<order::ReadsFrom<order::Synchronisation<clock::FlatClocks>>>;
  using Message = Order::Message;
  using Sections = order::CriticalSections<Message>;

  struct Wanted {
    std::uint64_t event;
    std::size_t pair;
    bool is_later;
  };
  // Of the earlier access of a pair.
  struct Earlier {
    order::Ideal all;     // done before it in the trace
    order::Ideal needed;  // by it

    std::size_t bytes() const { return (all.capacity() + needed.capacity()) * sizeof(all[0]); }
  };

  void access(std::uint64_t event, ThreadId t);
  std::optional<witness::Witness> schedule(std::size_t pair);
  bool close(order::Ideal& set, const model::RacePair& pair) const;
  order::Ideal needed_by(ThreadId t);

  bool writes_read_;
  std::span<const model::RacePair> pairs_;
  std::vector<Wanted> wanted_;  // by event
  std::size_t next_ = 0;
  std::vector<Earlier> earlier_;  // by pair
  std::vector<std::optional<witness::Witness>> found_;
  std::size_t group_of(std::size_t pair) const { return groups_.empty() ? pair : groups_[pair]; }
  std::span<const std::size_t> groups_;   // by pair
  std::unordered_set<std::size_t> done_;  // groups
  std::vector<bool> left_out_;            // by pair
  std::size_t most_bytes_, bytes_ = 0;    // of earlier_ and found_
  Order order_{1};
  Sections sections_;
  order::Ideal last_;  // of each thread, what it has done
};

}  // namespace deadheat::analysis
