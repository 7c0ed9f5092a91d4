// Time vectors for all threads there are, from memory that is given (freestanding: see test/freestanding).
#pragma once

#include <cstddef>
#include <cstdint>

#include "clock/time_vector.h"
#include "clock/times.h"

namespace deadheat::clock {

template <class Memory>
class TimeVectors {
 public:
  // So many threads there are from now on. True if that is more than there was room for.
  bool reserve(std::uint32_t threads) {
    if (threads <= width_) return false;
    width_ = static_cast<std::uint32_t>(whole_steps(threads > 2 * width_ ? threads : 2 * width_));
    return true;
  }
  void copy(TimeVector*& to, const TimeVector& from) {
    if (to == nullptr || to->width < width_) {
      drop(to);
      to = room();
    }
    to->copy(from, width_);
  }
  // The same with room for all threads; null is a new one.
  TimeVector* wide(TimeVector* vector) {
    if (vector != nullptr && vector->width == width_) return vector;
    TimeVector* const made = room();
    if (vector == nullptr) {
      made->start(width_);
    } else {
      made->copy(*vector, width_);
      drop(vector);
    }
    return made;
  }
  void drop(TimeVector* vector) {
    if (vector != nullptr) memory_.put(vector, TimeVector::bytes_of(vector->width));
  }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  TimeVector* room() { return static_cast<TimeVector*>(memory_.get(TimeVector::bytes_of(width_))); }

  Memory memory_;
  std::uint32_t width_ = kStep;
};

}  // namespace deadheat::clock
