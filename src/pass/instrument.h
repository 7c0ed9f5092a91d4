// Instruments a module: every access to memory that other threads may share calls the runtime.
#pragma once

#include <llvm/IR/Module.h>

namespace deadheat::pass {

// False: nothing in it is to be instrumented.
bool instrument(llvm::Module& module);

}  // namespace deadheat::pass
