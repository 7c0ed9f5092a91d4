// Happens-before as far as it orders accesses of a sample S before others: a thread tells others of a new
// time only at the first release behind an access of S. Fork, join (of the child), messages, barriers,
// atomics and fences that release are such releases, too. "Efficient Timestamping for Sampling-Based Race
// Detection" (2025), definition 1; the clocks decide how much of the work is left out.
#pragma once

#include "clock/sampled_time.h"
#include "order/happens_before.h"

namespace deadheat::order {

template <class Clocks>
class Sampled : public HappensBefore<Clocks> {
 public:
  using typename HappensBefore<Clocks>::Time;
  using HappensBefore<Clocks>::HappensBefore;

  // An access of S, before all that it orders itself.
  void sampled(ThreadId t, Time time) { living(t).clock.time.sampled = time; }

  const clock::ClockWork& work() const { return clocks_.work(); }

 protected:
  using HappensBefore<Clocks>::clocks_;
  using HappensBefore<Clocks>::living;
};

}  // namespace deadheat::order
