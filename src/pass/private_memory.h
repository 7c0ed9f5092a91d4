// Memory that no other thread can race for, so that its accesses need no record. These are all accesses that
// the pass leaves out; each has its argument here, and a case in test/programs/racefree.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

namespace deadheat::pass {

class PrivateMemory {
 public:
  // No other thread has the address of what is accessed, or nothing ever writes it.
  bool holds(const llvm::Value* address);

 private:
  bool is_private_object(const llvm::Value* object);

  llvm::DenseMap<const llvm::Value*, bool> escapes_;
};

// The instruction loads or stores the pointer to an object's table of virtual functions.
bool is_vtable_access(const llvm::Instruction& instruction);

}  // namespace deadheat::pass
