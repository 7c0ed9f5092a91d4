// One event as a line of text for a person.
#pragma once

#include <string>

#include "deadheat/event.h"
#include "deadheat/names.h"

namespace deadheat::cli {

// As the text format writes it ("T1|acq(L0)|45"), but for any event, well formed or not, and safe to print.
std::string event_line(const Event& event, const Names& names);

}  // namespace deadheat::cli
