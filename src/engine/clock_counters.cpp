#include "engine/clock_counters.h"

namespace deadheat::engine {

std::vector<Counter> counters_of(const clock::ClockWork& work) {
  return {{"acquires", work.acquires},
          {"acquires skipped", work.acquires_skipped},
          {"releases", work.releases},
          {"releases behind the sample", work.flushes},
          {"clocks copied", work.copies},
          {"clocks of several releasers added up", work.sums},
          {"clocks copied from object to object", work.moved},
          {"clock entries walked", work.walked},
          {"clock entries saved", work.saved},
          {"clock operations", work.operations()}};
}

}  // namespace deadheat::engine
