// What must be done, and in which order, so that a pair can meet: forced step by step from the rules. If it
// comes to a contradiction, the pair cannot meet; if not, it may or may not.
//
//   - Nothing is set between a read and its source: a set before the read is before its source, a set after
//     the source is after the read.
//   - Sections of a lock do not overlap: if one begins before another ends, it ends before that one begins.
//   - A section that cannot end (its release is not to be done) comes after all others of the lock.
#pragma once

#include <span>
#include <vector>

#include "solve/rules.h"

namespace deadheat::solve {

// What an order of events is searched for.
using Order = std::vector<Index>;  // events of the window

struct Goal {
  Cut must;                          // to be done
  Cut may;                           // the most that may be done
  std::vector<Rules::Value> finals;  // who must have set parts of memory last, at the end
};

class Saturation {
 public:
  enum class Depth : std::uint8_t {
    needs,
    all
  };  // what is followed: the rules' needs, or all that is forced
  Saturation(const Rules& rules, const Goal& goal, Depth depth = Depth::all);

  // Takes these orders for given, and all that they force.
  void assume(std::span<const Rules::Need> orders);

  // False: there is no such order.
  bool possible() const { return possible_; }

  const Cut& must() const { return must_; }                         // with all that was found to be needed
  const std::vector<Rules::Need>& found() const { return found_; }  // orders besides the rules' needs
  // By thread: how many of its events are before event i, which must be done, itself included.
  std::span<const Index> before(Index i) const { return {&rows_[row(i)], rules_->threads()}; }
  bool before(Index a, Index b) const { return rows_[row(b) + rules_->thread(a)] > rules_->rank(a); }

 private:
  std::size_t row(Index i) const { return std::size_t{i} * rules_->threads(); }
  void require(const Cut& more);
  void require(Index i);
  void order(Index a, Index b);
  bool join(Index into, Index from);
  void spread(Index i);

  void saturate();
  void reads();
  void read(const Part& part, const Part::Read& read);
  void finals();
  void locks();
  void section(const Lock& lock, const Section& section);
  void others(const std::vector<Section>& theirs, const Section& section);

  const Rules* rules_;
  const Goal* goal_;
  Cut must_;
  std::vector<Index> rows_;
  std::vector<Rules::Need> found_;
  std::vector<std::vector<Index>> after_;  // found, by the earlier event
  std::vector<Index> changed_;
  bool possible_ = true, progress_ = false;
};

}  // namespace deadheat::solve
