// What an operation alone can have wrong with it, wherever it stands in the trace.
#pragma once

#include <optional>

#include "deadheat/event.h"
#include "model/well_formed.h"

namespace deadheat::model {

// order, attribute, stray, or nothing.
std::optional<Rule> fault_of(const Op& op);

// The operation without what its kind does not have: mends a stray attribute.
Op without_stray(const Op& op);

}  // namespace deadheat::model
