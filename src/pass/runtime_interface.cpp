#include "pass/runtime_interface.h"

#include "pass/llvm_versions.h"

namespace deadheat::pass {

using namespace llvm;

RuntimeInterface::RuntimeInterface(Module& module)
    : module_(module), pointer_(pointer_type(module.getContext())) {}

FunctionCallee RuntimeInterface::function(const Twine& name, Type* result, ArrayRef<Type*> parameters) {
  const AttributeList attributes = AttributeList().addFnAttribute(module_.getContext(), Attribute::NoUnwind);
  return module_.getOrInsertFunction(name.str(), FunctionType::get(result, parameters, false), attributes);
}

CallInst* RuntimeInterface::call(IRBuilder<>& builder, const Twine& name, Type* result,
                                 ArrayRef<Value*> arguments) {
  SmallVector<Type*, 6> parameters;
  for (Value* const argument : arguments) parameters.push_back(argument->getType());
  CallInst* const call = builder.CreateCall(function(name, result, parameters), arguments);
  call->setDoesNotThrow();
  return call;
}

CallInst* RuntimeInterface::notify(IRBuilder<>& builder, const Twine& name, ArrayRef<Value*> arguments) {
  return call(builder, name, builder.getVoidTy(), arguments);
}

Value* RuntimeInterface::as_pointer(IRBuilder<>& builder, Value* address) {
  return builder.CreatePointerCast(address, pointer_);
}

Value* RuntimeInterface::as_size(IRBuilder<>& builder, Value* bytes) {
  return builder.CreateZExtOrTrunc(bytes, builder.getInt64Ty());
}

Value* RuntimeInterface::size(std::uint64_t bytes) {
  return ConstantInt::get(Type::getInt64Ty(module_.getContext()), bytes);
}

GlobalVariable* RuntimeInterface::call_mark() {
  constexpr const char* kName = "__deadheat_call_mark";
  if (GlobalVariable* const known = module_.getNamedGlobal(kName)) return known;
  // initial-exec: the runtime is there from the start of the program, also where a shared object is loaded.
  return new GlobalVariable(module_, pointer_, false, GlobalValue::ExternalLinkage, nullptr, kName, nullptr,
                            GlobalValue::InitialExecTLSModel);
}

}  // namespace deadheat::pass
