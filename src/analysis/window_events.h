// The events of a window, with ids numbered anew, so that what engines keep is of the size of the window and
// not of the trace: threads, locks, channels and barriers in order of appearance; variables so that
// neighbours stay neighbours, since an access may go over several.
#pragma once

#include <cstdint>
#include <vector>

#include "deadheat/event.h"
#include "model/race.h"

namespace deadheat::analysis {

// A part of a block.
BlockView clipped(const BlockView& block, std::uint64_t begin, std::uint64_t end);

// From ids to small numbers in order of appearance. Emptied in no time.
class DenseIds {
 public:
  DenseIds();
  std::uint32_t operator()(std::uint32_t id);  // the number; a new one if there is none
  std::uint32_t of(std::uint32_t id) const;    // that has one
  std::uint32_t id(std::uint32_t number) const { return ids_[number]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(ids_.size()); }
  std::uint32_t add() { return ids_.push_back(0), size() - 1; }  // a number that is of no id
  // Another number for an id that has one.
  void renumber(std::uint32_t id, std::uint32_t number) { slots_[find(id)].number = number; }
  void clear();

 private:
  struct Slot {
    std::uint32_t id, number;
    std::uint32_t era;  // used if it is the present one
  };
  std::size_t find(std::uint32_t id) const;
  void grow();

  std::vector<Slot> slots_;  // a power of two of them
  std::vector<std::uint32_t> ids_;
  std::uint32_t era_ = 1;
};

class WindowEvents {
 public:
  // Nothing is here, and no id has a number.
  void clear();
  // Forgets the events, and keeps the numbers.
  void drop_events();
  void add(const BlockView& events);
  // Numbers the ids of what was added since drop_events(). Variables keep their ids if not all of the window
  // is here: that they stay neighbours could not be told.
  enum class Extent : std::uint8_t { whole, part };
  void number(Extent extent);

  std::size_t size() const { return op_.size(); }
  std::size_t blocks() const { return pieces_.size(); }
  BlockView block(std::size_t i) const;  // with the new numbers
  // For every exit of a barrier in block i an enter of that generation, by a thread that does nothing else.
  // Whoever entered before the window may leave in it, so that engines, which count, would think that all had
  // left, and forget those who did enter in the window.
  BlockView unseen_enters(std::size_t i);

  // What numbers stand for.
  model::RacePair original(model::RacePair pair) const;

 private:
  struct Piece {
    std::uint64_t first;
    std::size_t begin, size;     // of events
    std::size_t ops_begin, ops;  // of operations
  };
  enum class Role : std::uint8_t { none, narrow, wide, lock, thread, channel, barrier };
  // Lines of eight variables that follow each other, as they are numbered.
  struct Run {
    std::uint64_t begin, end;  // lines
    std::uint64_t to;          // the number of the first
  };
  static constexpr unsigned kLineBits = 3;  // as shards do not part
  static Role role_of(const Op& op);
  template <class F>
  void each_variable(F f);
  void number_variables();
  void number_by_lines();
  std::uint32_t number_of_line(std::uint64_t line) const;

  std::vector<std::uint32_t> thread_, object_;
  std::vector<std::uint16_t> op_;
  std::vector<Op> ops_;
  std::vector<Role> roles_;  // by operation
  std::vector<Piece> pieces_;

  DenseIds threads_, locks_, channels_, barriers_, lines_;
  std::vector<Run> runs_;
  std::uint32_t base_ = 0;  // if there are no runs: taken off every variable

  std::uint32_t nobody_ = UINT32_MAX;  // the thread that enters
  std::vector<std::uint32_t> enter_thread_, enter_object_;
  std::vector<std::uint16_t> enter_op_;
  std::vector<Op> enter_ops_;
};

}  // namespace deadheat::analysis
