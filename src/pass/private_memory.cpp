#include "pass/private_memory.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Operator.h>

#include "pass/llvm_versions.h"

namespace deadheat::pass {

namespace {

using namespace llvm;

enum class AddressUse : std::uint8_t { harmless, derives, escapes };

// What an intrinsic does with a pointer that it is given. Those that access the memory do nothing else with
// the address; of the rest only some are known.
AddressUse use_by_intrinsic(const IntrinsicInst& call) {
  if (isa<MemIntrinsic>(call) || isa<DbgInfoIntrinsic>(call) || call.isLifetimeStartOrEnd()) {
    return AddressUse::harmless;
  }
  switch (call.getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::invariant_start:
    case Intrinsic::invariant_end:
    case Intrinsic::prefetch:
    case Intrinsic::assume:
    case Intrinsic::objectsize:
    case Intrinsic::vastart:
    case Intrinsic::vaend:
      return AddressUse::harmless;
    case Intrinsic::launder_invariant_group:
    case Intrinsic::strip_invariant_group:
      return AddressUse::derives;
    default:
      return AddressUse::escapes;
  }
}

// What is done with the address of an object. A call escapes, whatever is said of its parameter: "nocapture"
// lets the callee share it with threads that end before it returns.
AddressUse use_of(const Use& use) {
  const auto* const user = cast<Instruction>(use.getUser());
  if (const auto* const intrinsic = dyn_cast<IntrinsicInst>(user)) return use_by_intrinsic(*intrinsic);
  if (const auto* const call = dyn_cast<CallBase>(user)) {
    // The callee has a copy.
    const bool is_copied = call->isDataOperand(&use) && call->isArgOperand(&use) &&
                           call->isByValArgument(call->getArgOperandNo(&use));
    return is_copied ? AddressUse::harmless : AddressUse::escapes;
  }
  switch (user->getOpcode()) {
    case Instruction::Load:
    case Instruction::ICmp:
      return AddressUse::harmless;
    case Instruction::Store:
      return use.getOperandNo() == StoreInst::getPointerOperandIndex() ? AddressUse::harmless
                                                                       : AddressUse::escapes;
    case Instruction::AtomicRMW:
      return use.getOperandNo() == AtomicRMWInst::getPointerOperandIndex() ? AddressUse::harmless
                                                                           : AddressUse::escapes;
    case Instruction::AtomicCmpXchg:
      return use.getOperandNo() == AtomicCmpXchgInst::getPointerOperandIndex() ? AddressUse::harmless
                                                                               : AddressUse::escapes;
    case Instruction::GetElementPtr:
    case Instruction::BitCast:
    case Instruction::AddrSpaceCast:
    case Instruction::PHI:
    case Instruction::Select:
      return AddressUse::derives;
    default:
      return AddressUse::escapes;
  }
}

bool escapes(const Value& object) {
  SmallVector<const Value*, 16> derived = {&object};
  SmallPtrSet<const Value*, 16> seen = {&object};
  while (!derived.empty()) {
    for (const Use& use : derived.pop_back_val()->uses()) {
      switch (use_of(use)) {
        case AddressUse::escapes:
          return true;
        case AddressUse::derives:
          if (seen.insert(use.getUser()).second) derived.push_back(use.getUser());
          break;
        case AddressUse::harmless:
          break;
      }
    }
  }
  return false;
}

// Counters that the compiler adds to measure coverage: the program itself never reads them, so what they hold
// decides nothing.
bool is_coverage_counter(const GlobalVariable& variable) {
  return variable.hasSection() &&
         (starts_with(variable.getSection(), "__llvm_prf") || starts_with(variable.getSection(), "__sancov"));
}

// Set once, by the linker or the loader. A declaration is not enough: what is constant here may be computed
// when the program starts, where it is defined.
bool is_constant(const GlobalVariable& variable) {
  return variable.isConstant() && variable.hasDefinitiveInitializer();
}

// What a pointer to a table of virtual functions points to is written by the compiler and constant.
bool is_within_vtable(const Value& address) {
  const auto* const load = dyn_cast<LoadInst>(address.stripInBoundsOffsets());
  return load != nullptr && is_vtable_access(*load);
}

}  // namespace

bool is_vtable_access(const Instruction& instruction) {
  const MDNode* const tag = instruction.getMetadata(LLVMContext::MD_tbaa);
  return tag != nullptr && tag->isTBAAVtableAccess();
}

// A stack object, or the callee's own copy of an argument, is private unless its address leaves the function.
// That is asked of the object, not of the part that is accessed: the address of one field gives all others.
bool PrivateMemory::is_private_object(const Value* object) {
  if (const auto* const variable = dyn_cast<GlobalVariable>(object)) {
    return is_constant(*variable) || is_coverage_counter(*variable);
  }
  const auto* const argument = dyn_cast<Argument>(object);
  if (!isa<AllocaInst>(object) && (argument == nullptr || !argument->hasByValAttr())) return false;
  const auto [entry, is_new] = escapes_.try_emplace(object, true);
  if (is_new) escapes_[object] = escapes(*object);
  return !escapes_[object];
}

bool PrivateMemory::holds(const Value* address) {
  if (is_within_vtable(*address)) return true;
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(address, objects);
  return all_of(objects, [&](const Value* object) { return is_private_object(object); });
}

}  // namespace deadheat::pass
