// A look at a labelled trace before engines are run: whether it is the one that is labelled, what its pairs
// are, and what keeps their accesses apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evaluate/evaluation.h"

namespace deadheat::evaluate {

struct Look {
  std::string error;  // why it is not the trace that is labelled
  std::uint64_t events = 0, threads = 0;
  std::vector<LookedAt> pairs;
};

Look look_at(const labels::LabelledTrace& trace, const ReadOptions& read);

// From a child to its parent.
std::string as_message(const Look& look);
Look look_in(std::string_view message);

}  // namespace deadheat::evaluate
