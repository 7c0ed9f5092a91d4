// Why nothing orders the two accesses of a race, in a few sentences for somebody who never heard of clocks.
// Only what was computed is claimed.
#pragma once

#include <optional>
#include <string>

#include "report/race.h"

namespace deadheat::report {

// What the sentences need besides the race itself.
struct Signs {
  std::optional<Sync> next_signal;  // of the earlier access's thread: the first one between the two accesses
  std::optional<Sync> last_wait;    // of the later access's thread: the last one before its access
};

std::string why(const Race& race, const Signs& signs);

// What the grade of evidence means: one sentence.
std::string_view meaning_of(engine::Grade grade);

}  // namespace deadheat::report
