// Leaves out accesses that cannot add a race: their thread did the same at the same place before, and could
// pass on nothing since.
// Huang & Rajagopalan, "What's the Optimal Performance of Precise Dynamic Race Detection? A Redundancy
// Perspective" (ECOOP 2017), algorithms 1 and 2. Time O(1) an access; memory as much as is given.
//
// Why that changes nothing: let e be left out for e', and f be an access of another thread. If f comes before
// e', and is not ordered before e, it is not ordered before e' either. If f comes behind e', then e' is
// before f only by a release of its thread behind e'; there is none up to e, so e is before f too. In
// between, it is not before f at all. So who races with e races with e', which has the same place and kind.
// Departs: the key has the variable and the bytes; contexts have forks, barriers and atomics; memory that is
// made new is another variable; what two other threads did in the same context is no reason (`cross-thread`
// makes it one): promises.md in the tests' corpus has the traces that are lost otherwise.
#pragma once

#include <memory>

#include "engine/options.h"
#include "filter/filter.h"
#include "filter/remembered.h"

namespace deadheat::filter {

// Leaving out has a price. Where there is too little to gain it is not paid all the time.
class Rest {
 public:
  // To leave out less than so many of a hundred events is not worth it.
  Rest(std::uint64_t window, std::uint64_t worth) : window_(window), worth_(worth), left_(window) {}

  bool resting() const { return resting_; }
  // How many of so many events are of the same mind.
  std::size_t stretch(std::size_t events) const {
    return window_ == 0 || left_ >= events ? events : static_cast<std::size_t>(left_);
  }
  // They are done with. True if it is time to wake up.
  bool pass(std::size_t events, std::uint64_t left_out);
  std::uint64_t rested() const { return rested_; }  // events

 private:
  static constexpr std::uint64_t kLongest = 32;  // windows

  std::uint64_t window_;  // events; 0: never rests
  std::uint64_t worth_;
  std::uint64_t left_;
  bool resting_ = false;
  std::uint64_t left_out_ = 0;
  std::uint64_t windows_ = 1;  // of the next rest
  std::uint64_t rested_ = 0;
};

// contexts.h has the contexts, remembered.h the entries.
template <class Contexts, class Entry>
class Rex final : public Filter {
 public:
  Rex(Contexts contexts, std::uint64_t bytes, std::uint64_t window)
      : contexts_(std::move(contexts)), memory_(bytes), rest_(window, Contexts::kWorth) {}

  void filter(const SortedBlock& block, EventSet& kept) override;
  std::vector<Counter> counters() const override;
  std::uint64_t bytes() const override { return contexts_.bytes() + memory_.bytes(); }

 private:
  // How many it leaves out.
  std::uint64_t look(const SortedBlock& block, std::size_t begin, std::size_t end, EventSet& kept);
  void renew(std::uint32_t first, std::uint64_t cells);
  bool repeats_with_care(const SortedBlock& block, std::size_t i);

  Contexts contexts_;
  Remembered<Entry> memory_;
  Rest rest_;
  std::vector<std::uint32_t> deeds_;  // by operation of the block; 0 for all but plain accesses of one cell
  std::uint64_t unknown_ = 0, renewed_ = 0;
};

Result<std::unique_ptr<Filter>> make_rex(const engine::Settings& settings);
Result<std::unique_ptr<Filter>> make_rex_lockset(const engine::Settings& settings);

}  // namespace deadheat::filter
