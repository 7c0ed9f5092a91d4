// A schedule that shows a race: some of the events of a trace, in an order in which the program could have
// done them, after which two conflicting accesses are both next in their threads.
#pragma once

#include <cstdint>
#include <vector>

#include "deadheat/event.h"

namespace deadheat::witness {

// Most of a schedule is the trace itself, and is not written out: first all events before `from`; then, in
// the order of the trace, what each thread did before its end; then the events listed, one by one.
struct Witness {
  std::uint64_t earlier = 0, later = 0;  // the two accesses, by event number
  std::uint64_t from = 0;
  std::vector<std::uint64_t> ends = {};  // by thread, the rest: `from`. No event of it from here on is done
  std::vector<std::uint64_t> then = {};

  std::uint64_t end_of(ThreadId t) const {
    return index(t) < ends.size() && ends[index(t)] > from ? ends[index(t)] : from;
  }
  // The events that matter to it are before this.
  std::uint64_t last() const {
    std::uint64_t last = later > earlier ? later : earlier;
    for (const std::uint64_t end : ends) last = end > last + 1 ? end - 1 : last;
    for (const std::uint64_t event : then) last = event > last ? event : last;
    return last + 1;
  }

  friend bool operator==(const Witness&, const Witness&) = default;
};

}  // namespace deadheat::witness
