// Calls that went through code which was not compiled for us, such as the C++ library's: the shadow stack
// does not have them, so a rare event whose place matters looks at the real stack.
#pragma once

#include "runtime/emit.h"

namespace deadheat::runtime {

// As emit(), with the frames between `pc` and the innermost known one. Microseconds.
void emit_with_callers(Kind kind, std::uint64_t object, Address pc);

}  // namespace deadheat::runtime
