// What is in a trace, in one pass: how much of everything, which locks and variables threads meet at.
//
// Memory: 32 bytes a variable touched (in pages of 64 variables), about 64 a lock, 8 a site; and some 40
// bytes for each pair of a variable (or lock) and a thread numbered 64 or higher that touched it, because
// threads are told apart exactly. It does not grow with the length of the trace.
#pragma once

#include <cstdint>
#include <vector>

#include "deadheat/trace.h"
#include "model/held_locks.h"
#include "model/pair_table.h"
#include "model/table.h"

namespace deadheat::analysis {

struct LockUse {
  LockId lock{};
  std::uint64_t acquires = 0;   // outermost ones, both modes
  std::uint64_t shared = 0;     // of them, as a reader
  std::uint64_t reentries = 0;  // besides
  std::uint64_t contended = 0;  // of the acquires: by another thread than the one before
  std::uint32_t threads = 0;
};

// An access that covers more than one variable counts for the first.
struct VariableUse {
  VarId variable{};
  std::uint64_t accesses = 0;
  std::uint64_t writes = 0;  // of them; stores and read-modify-writes too
  std::uint32_t threads = 0;
};

struct SiteUse {
  SiteId site{};
  std::uint64_t events = 0;
};

class Statistics {
 public:
  void feed(const BlockView& block);

  // As the footer of a .dht has it.
  const Summary& summary() const { return summary_; }
  std::uint64_t runs() const { return runs_; }  // of events of one thread in a row
  std::uint64_t longest_run() const { return longest_run_; }
  std::uint32_t sites_used() const;
  std::uint64_t variables_used() const { return count_variables(1); }
  std::uint64_t variables_shared() const { return count_variables(2); }

  // The first n of all that were used, most first: locks by contended acquires, then acquires; variables by
  // threads, then accesses; sites by events.
  std::vector<LockUse> top_locks(std::size_t n) const;
  std::vector<VariableUse> top_variables(std::size_t n) const;
  std::vector<SiteUse> top_sites(std::size_t n) const;

  std::size_t bytes() const;  // of memory

 private:
  // Sixty-four threads at a time: those of one window are bits here, other windows' bits are put away in a
  // table of (object, window). Threads that live at the same time mostly have numbers close to each other.
  struct Threads {
    std::uint64_t bits = 0;
    std::uint32_t window = 0;
    std::uint32_t others = 0;  // threads in other windows
    std::uint32_t count() const;
  };
  struct Variable {
    std::uint64_t accesses = 0, writes = 0;
    Threads threads;
  };
  static_assert(sizeof(Variable) == 32);
  struct Lock {
    std::uint64_t acquires = 0, shared = 0, reentries = 0, contended = 0;
    std::uint32_t holder = 0;  // the last one, plus one
    Threads threads;
  };
  using Windows = model::PairTable<std::uint64_t>;

  void sort_out(const BlockView& block);
  void count_ops(const BlockView& block);
  void count_runs(const BlockView& block);
  void count_accesses(const BlockView& block);
  void count_locks(const BlockView& block);
  static void meet(Threads& threads, Windows& windows, std::uint32_t object, std::uint32_t t) {
    if (t / 64 != threads.window) change_window(threads, windows, object, t / 64);
    threads.bits |= std::uint64_t{1} << (t % 64);
  }
  static void change_window(Threads& threads, Windows& windows, std::uint32_t object, std::uint32_t window);
  std::uint64_t count_variables(std::uint32_t least_threads) const;

  Summary summary_;
  std::uint64_t runs_ = 0, longest_run_ = 0;
  std::uint64_t run_ = 0;  // the one in hand goes on in the next block
  std::uint32_t run_thread_ = UINT32_MAX;
  model::Table<Variable> variables_;
  model::Table<Lock> locks_;
  Windows variable_windows_, lock_windows_;
  model::Table<std::uint64_t> site_events_;  // ids may be sparse in a hostile file
  model::HeldLocks held_;

  // Of the block in hand: how its operations are used, and where its events of each sort are.
  enum class Sort : std::uint8_t { other, access, lock };
  std::vector<Sort> sort_;
  std::vector<std::uint8_t> writes_;
  std::vector<std::uint32_t> op_counts_, op_most_;
  std::vector<std::uint32_t> access_at_, lock_at_, run_at_;
  std::size_t accesses_ = 0, lock_events_ = 0, block_runs_ = 0;
};

}  // namespace deadheat::analysis
