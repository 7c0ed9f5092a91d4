// True negatives: traces like those with a race, in which the pair is proved not to be one.
#pragma once

#include <optional>

#include "base/random.h"
#include "inject/injection.h"

namespace deadheat::inject {

// The draft with the accesses of its last pair put elsewhere in their threads: into sections of one lock, or
// to where one of them must be done before the other, or anywhere near. That they cannot meet is decided for
// the whole trace; nothing, if it could not be after some tries.
std::optional<Twin> twin_of(const Draft& draft, base::Random& random);

}  // namespace deadheat::inject
