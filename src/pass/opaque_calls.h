// Calls of code that may not be instrumented. The caller leaves a mark, the address it calls; an instrumented
// callee that finds its own address there removes it. A mark that is still there after the call means that
// other code ran: a gap. src/runtime/abi/opaque_calls.cpp says why no gap is lost.
#pragma once

#include <llvm/ADT/DenseSet.h>

#include "pass/runtime_interface.h"

namespace deadheat::pass {

class OpaqueCalls {
 public:
  explicit OpaqueCalls(RuntimeInterface& runtime);

  // The function gets entry and exit of ours.
  bool is_instrumented(const llvm::Function& function) const { return instrumented_.contains(&function); }
  // No call of it is known not to need a mark: others can reach it, or it ends as another function.
  bool may_be_marked(const llvm::Function& function) const;
  bool may_be_opaque(const llvm::CallBase& call) const;

  // Sets the mark before the call and looks at it after, also where it is left by an exception.
  void mark(llvm::CallBase& call);
  // The same where nothing of this function runs after the call: `saved` is what the function found.
  void mark_last(llvm::CallInst& call, llvm::Value* saved);
  // Looks at the mark where exceptions arrive.
  void check_landing_pad(llvm::LandingPadInst& pad);
  // For functions so small that they have no entry: removes the mark if it is theirs.
  void clear_own_mark(llvm::Function& function);

 private:
  llvm::Value* load_mark(llvm::IRBuilder<>& builder);
  void store_mark(llvm::IRBuilder<>& builder, llvm::Value* mark);
  void check_before(llvm::Instruction& instruction, const llvm::DebugLoc& location);

  RuntimeInterface& runtime_;
  llvm::DenseSet<const llvm::Function*> instrumented_;
  llvm::DenseSet<const llvm::Function*> ends_as_another_;
};

// Where the function goes on after a call that returns.
llvm::Instruction& after(llvm::CallBase& call);

// Inline assembly that accesses memory, according to its operands and clobbers.
bool accesses_memory(const llvm::CallBase& assembly);
// Leaves a gap for it.
void instrument_assembly(llvm::CallBase& assembly, RuntimeInterface& runtime);

}  // namespace deadheat::pass
