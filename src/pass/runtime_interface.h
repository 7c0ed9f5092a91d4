// The functions of the runtime that instrumented code calls.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace deadheat::pass {

// In __deadheat_module: grows with what the runtime must know of an instrumented module.
inline constexpr unsigned kInterfaceVersion = 1;

class RuntimeInterface {
 public:
  explicit RuntimeInterface(llvm::Module& module);

  llvm::FunctionCallee function(const llvm::Twine& name, llvm::Type* result,
                                llvm::ArrayRef<llvm::Type*> parameters);
  llvm::CallInst* call(llvm::IRBuilder<>& builder, const llvm::Twine& name, llvm::Type* result,
                       llvm::ArrayRef<llvm::Value*> arguments);
  // As call(), of a function without a result.
  llvm::CallInst* notify(llvm::IRBuilder<>& builder, const llvm::Twine& name,
                         llvm::ArrayRef<llvm::Value*> arguments);
  llvm::Value* as_pointer(llvm::IRBuilder<>& builder, llvm::Value* address);
  llvm::Value* as_size(llvm::IRBuilder<>& builder, llvm::Value* bytes);
  llvm::Value* size(std::uint64_t bytes);

  // Of each thread, the function that instrumented code calls, from before the call until it is known to be
  // instrumented: see src/runtime/abi/opaque_calls.cpp.
  llvm::GlobalVariable* call_mark();

  llvm::Module& module() { return module_; }
  llvm::PointerType* pointer() { return pointer_; }

 private:
  llvm::Module& module_;
  llvm::PointerType* pointer_;
};

}  // namespace deadheat::pass
