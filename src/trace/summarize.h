// The summary that goes into the footer, kept up block by block.
#pragma once

#include <cstdint>
#include <vector>

#include "deadheat/trace.h"
#include "model/held_locks.h"
#include "trace/format.h"

namespace deadheat::trace {

class Summarizer {
 public:
  // `bounds`: of all ids up to and with this block.
  void add(const BlockView& block, const Bounds& bounds);
  const Summary& summary() const { return summary_; }

 private:
  void count_kinds(const BlockView& block);
  void count_threads(const BlockView& block);
  void follow_locks(const BlockView& block);

  Summary summary_;
  model::HeldLocks held_;
  std::vector<std::uint32_t> op_counts_;
  std::vector<std::uint8_t> is_lock_op_;
  std::vector<std::uint32_t> lock_events_;
};

}  // namespace deadheat::trace
