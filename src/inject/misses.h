// Which engines see an injected race.
#pragma once

#include <cstdint>
#include <vector>

#include "inject/injection.h"

namespace deadheat::inject {

// Whether happens-before orders two events, the first of which comes first.
bool ordered(const std::vector<Event>& events, std::uint64_t first, std::uint64_t second);
// Whether the engine tells one of the pairs.
bool tells_any(const engine::Choice& choice, const Injected& made);

}  // namespace deadheat::inject
