// What differs between the versions of LLVM that the pass is built for, 14 to 19.
#pragma once

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>

namespace deadheat::pass {

// A pointer as the runtime's functions take it. LLVM 14 has types of what is pointed to, 17 has none.
inline llvm::PointerType* pointer_type(llvm::LLVMContext& context) {
#if LLVM_VERSION_MAJOR >= 15
  return llvm::PointerType::getUnqual(context);
#else
  return llvm::Type::getInt8PtrTy(context);
#endif
}

inline bool starts_with(llvm::StringRef text, llvm::StringRef prefix) {
#if LLVM_VERSION_MAJOR >= 16
  return text.starts_with(prefix);
#else
  return text.startswith(prefix);
#endif
}

// A function or call that calls the runtime does access memory, whatever was true of it before.
template <class FunctionOrCall>
void forget_memory_effects(FunctionOrCall& it) {
#if LLVM_VERSION_MAJOR >= 16
  it.removeFnAttr(llvm::Attribute::Memory);
#else
  for (const auto kind : {llvm::Attribute::ReadNone, llvm::Attribute::ReadOnly, llvm::Attribute::WriteOnly,
                          llvm::Attribute::ArgMemOnly, llvm::Attribute::InaccessibleMemOnly,
                          llvm::Attribute::InaccessibleMemOrArgMemOnly}) {
    it.removeFnAttr(kind);
  }
#endif
}

// What the memory operand of inline assembly is; null: not said.
inline llvm::Type* operand_type(const llvm::CallBase& call, unsigned argument) {
#if LLVM_VERSION_MAJOR >= 15
  return call.getParamElementType(argument);
#else
  auto* const type = llvm::dyn_cast<llvm::PointerType>(call.getArgOperand(argument)->getType());
  return type == nullptr || type->isOpaque() ? nullptr : type->getNonOpaquePointerElementType();
#endif
}

}  // namespace deadheat::pass
