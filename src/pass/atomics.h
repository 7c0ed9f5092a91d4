// Atomic operations become calls of the runtime, which performs and records them as one.
#pragma once

#include <llvm/IR/Instructions.h>

#include "pass/runtime_interface.h"

namespace deadheat::pass {

// Threads can order each other by it.
bool is_atomic(const llvm::Instruction& instruction);

// Replaces the operation, and removes it.
void instrument_atomic(llvm::Instruction& instruction, RuntimeInterface& runtime);

}  // namespace deadheat::pass
