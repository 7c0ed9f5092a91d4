// What a contestant tells of a labelled trace.
#pragma once

#include <string>
#include <string_view>

#include "evaluate/evaluation.h"

namespace deadheat::evaluate {

// Runs it; the times are filled in by who measures them.
Run ask(const Contestant& contestant, const labels::LabelledTrace& trace, const std::vector<LookedAt>& pairs,
        const ReadOptions& read);

// From a child to its parent.
std::string as_message(const Run& run);
Run run_in(std::string_view message);

}  // namespace deadheat::evaluate
