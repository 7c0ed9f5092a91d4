// Blocks for interceptors that allocate on behalf of the program.
#pragma once

#include "runtime/emit.h"

namespace deadheat::runtime {

// As malloc called at `pc`.
void* allocate(std::size_t bytes, Address pc);

}  // namespace deadheat::runtime
