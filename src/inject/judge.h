// Looks over what was made, before anybody gets it: by itself, not by what made it.
#pragma once

#include <string>

#include "inject/injection.h"

namespace deadheat::inject {

// What is wrong; "" if nothing is: the trace is well formed, it is a correct reordering of the base and the
// injected accesses, and the schedule of each pair passes the judge of witnesses.
std::string wrong_with(const Draft& draft, const Injected& made);

}  // namespace deadheat::inject
