#include "pass/instrument.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <optional>

#include "pass/atomics.h"
#include "pass/llvm_versions.h"
#include "pass/opaque_calls.h"
#include "pass/private_memory.h"
#include "pass/runtime_interface.h"
#include "runtime/known_functions.h"

namespace deadheat::pass {

namespace {

using namespace llvm;

// The instructions of a function by what is to be done with them, found before anything is changed.
struct Work {
  SmallVector<Instruction*, 16> accesses;  // plain loads and stores
  SmallVector<Instruction*, 8> atomics;
  SmallVector<IntrinsicInst*, 8> masked;  // vectors of which some elements are accessed
  SmallVector<MemIntrinsic*, 8> blocks;   // the memcpy family
  SmallVector<CallBase*, 8> copied;       // calls with arguments that are copied from memory
  SmallVector<CallBase*, 8> known;        // calls of functions whose accesses the caller records
  SmallVector<CallBase*, 8> assembly;
  SmallVector<CallBase*, 16> opaque;
  SmallVector<Instruction*, 4> unknown;  // access memory in ways that are not known here
  SmallVector<LandingPadInst*, 4> pads;
  bool has_calls = false;

  bool is_empty() const {
    return accesses.empty() && atomics.empty() && masked.empty() && blocks.empty() && copied.empty() &&
           assembly.empty() && unknown.empty() && !has_calls;
  }
};

bool is_masked(const IntrinsicInst& intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_store:
    case Intrinsic::masked_gather:
    case Intrinsic::masked_scatter:
      return true;
    default:
      return false;
  }
}

// Intrinsics that LLVM takes to access memory, in order to keep them in place, and that access none of the
// program's.
bool is_placeholder(const IntrinsicInst& intrinsic) {
  if (isa<DbgInfoIntrinsic>(intrinsic) || intrinsic.isLifetimeStartOrEnd() ||
      intrinsic.isAssumeLikeIntrinsic()) {
    return true;
  }
  switch (intrinsic.getIntrinsicID()) {
    case Intrinsic::stacksave:
    case Intrinsic::stackrestore:
    case Intrinsic::prefetch:
    case Intrinsic::trap:
    case Intrinsic::debugtrap:
    case Intrinsic::ubsantrap:
    case Intrinsic::returnaddress:
    case Intrinsic::frameaddress:
    case Intrinsic::eh_typeid_for:
    case Intrinsic::experimental_noalias_scope_decl:
    case Intrinsic::donothing:
    case Intrinsic::x86_sse2_pause:
    case Intrinsic::x86_sse2_mfence:
    case Intrinsic::x86_sse2_lfence:
    case Intrinsic::x86_sse_sfence:
    case Intrinsic::x86_rdtsc:
    case Intrinsic::x86_rdtscp:
    case Intrinsic::readcyclecounter:
      return true;
    default:
      return false;
  }
}

class FunctionInstrumenter {
 public:
  FunctionInstrumenter(Function& function, RuntimeInterface& runtime, OpaqueCalls& calls)
      : function_(function),
        runtime_(runtime),
        calls_(calls),
        library_(Triple(function.getParent()->getTargetTriple())) {}

  void run() {
    Work work;
    for (Instruction& instruction : instructions(function_)) sort(instruction, work);
    for (Instruction* const access : work.accesses) instrument_access(*access);
    for (IntrinsicInst* const masked : work.masked) instrument_masked(*masked);
    for (CallBase* const call : work.copied) instrument_copied(*call);
    for (CallBase* const call : work.known) instrument_known(*call);
    for (MemIntrinsic* const block : work.blocks) instrument_block(*block);
    for (Instruction* const unknown : work.unknown) leave_gap(*unknown);
    for (CallBase* const assembly : work.assembly) instrument_assembly(*assembly, runtime_);
    for (Instruction* const atomic : work.atomics) instrument_atomic(*atomic, runtime_);
    for (LandingPadInst* const pad : work.pads) calls_.check_landing_pad(*pad);
    for (CallBase* const call : work.opaque) {
      if (!call->isMustTailCall()) calls_.mark(*call);
    }
    if (!work.is_empty()) {
      instrument_entry_and_exits();
    } else if (calls_.may_be_marked(function_)) {
      calls_.clear_own_mark(function_);
    }
  }

  // A function whose accesses the program wants left out. Its atomics order threads all the same.
  void run_without_accesses() {
    Work work;
    for (Instruction& instruction : instructions(function_)) sort(instruction, work);
    for (Instruction* const atomic : work.atomics) instrument_atomic(*atomic, runtime_);
    if (!work.has_calls) return;
    IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
    runtime_.notify(builder, "__tsan_func_entry", {return_address(builder)});
    EscapeEnumerator exits(function_, "deadheat_cleanup");
    while (IRBuilder<>* const exit = exits.Next()) runtime_.notify(*exit, "__tsan_func_exit", {});
  }

 private:
  void sort(Instruction& instruction, Work& work) {
    if (is_atomic(instruction)) {
      work.atomics.push_back(&instruction);
    } else if (isa<LoadInst, StoreInst>(instruction)) {
      const Value* const address = getLoadStorePointerOperand(&instruction);
      if (address->getType()->getPointerAddressSpace() != 0) {
        work.unknown.push_back(&instruction);  // relative to a segment: the runtime does not know where
      } else if (!address->isSwiftError() && !private_.holds(address)) {
        work.accesses.push_back(&instruction);
      }
    } else if (auto* const intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
      sort_intrinsic(*intrinsic, work);
    } else if (auto* const call = dyn_cast<CallBase>(&instruction)) {
      sort_call(*call, work);
    } else if (auto* const pad = dyn_cast<LandingPadInst>(&instruction)) {
      work.pads.push_back(pad);
    } else if (instruction.mayReadOrWriteMemory()) {
      work.unknown.push_back(&instruction);
    }
  }

  void sort_intrinsic(IntrinsicInst& intrinsic, Work& work) {
    if (auto* const block = dyn_cast<MemIntrinsic>(&intrinsic)) {
      const auto* const transfer = dyn_cast<MemTransferInst>(block);
      const bool is_private = private_.holds(block->getRawDest()) &&
                              (transfer == nullptr || private_.holds(transfer->getRawSource()));
      if (!is_private) work.blocks.push_back(block);
    } else if (is_masked(intrinsic)) {
      work.masked.push_back(&intrinsic);
    } else if (intrinsic.mayReadOrWriteMemory() && !intrinsic.onlyAccessesInaccessibleMemory() &&
               !is_placeholder(intrinsic) && !accesses_private_memory_only(intrinsic)) {
      work.unknown.push_back(&intrinsic);
    }
  }

  bool accesses_private_memory_only(const IntrinsicInst& intrinsic) {
    return intrinsic.onlyAccessesArgMemory() && all_of(intrinsic.args(), [&](const Use& argument) {
             return !argument->getType()->isPtrOrPtrVectorTy() || private_.holds(argument);
           });
  }

  void sort_call(CallBase& call, Work& work) {
    if (call.isInlineAsm()) {
      if (accesses_memory(call)) work.assembly.push_back(&call);
      return;
    }
    // The C library's functions must be called, not replaced by instructions that nothing records.
    if (auto* const plain = dyn_cast<CallInst>(&call))
      maybeMarkSanitizerLibraryCallNoBuiltin(plain, &library());
    work.has_calls = true;
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      if (!call.isByValArgument(i) || private_.holds(call.getArgOperand(i))) continue;
      work.copied.push_back(&call);
      break;
    }
    if (calls_.may_be_opaque(call)) {
      work.opaque.push_back(&call);
    } else if (!accesses_of_callee(call).empty()) {
      work.known.push_back(&call);
    }
  }

  const TargetLibraryInfo& library() {
    if (!library_info_) library_info_.emplace(library_, &function_);
    return *library_info_;
  }

  void instrument_access(Instruction& access) {
    IRBuilder<> builder(&access);
    Value* const address = runtime_.as_pointer(builder, getLoadStorePointerOperand(&access));
    Type* const type = getLoadStoreType(&access);
    if (is_vtable_access(access) && type->isPointerTy()) {
      if (auto* const store = dyn_cast<StoreInst>(&access)) {
        runtime_.notify(builder, "__tsan_vptr_update",
                        {address, runtime_.as_pointer(builder, store->getValueOperand())});
      } else {
        runtime_.notify(builder, "__tsan_vptr_read", {address});
      }
      return;
    }
    const TypeSize bytes = layout().getTypeStoreSize(type);
    if (bytes.isScalable()) return leave_gap(access);
    const char* const kind = isa<StoreInst>(access) ? "write" : "read";
    notify_access(builder, kind, address, bytes.getFixedValue(), getLoadStoreAlignment(&access));
  }

  void notify_access(IRBuilder<>& builder, const char* kind, Value* address, std::uint64_t bytes,
                     Align alignment) {
    if (!isPowerOf2_64(bytes) || bytes > 16) {
      runtime_.notify(builder, Twine("__tsan_") + kind + "_range", {address, runtime_.size(bytes)});
      return;
    }
    const bool is_aligned = alignment.value() >= 8 || alignment.value() % bytes == 0;
    runtime_.notify(builder, Twine("__tsan_") + (is_aligned ? "" : "unaligned_") + kind + Twine(bytes),
                    {address});
  }

  // One call for each element, which says whether it is accessed.
  void instrument_masked(IntrinsicInst& intrinsic) {
    const Intrinsic::ID id = intrinsic.getIntrinsicID();
    const bool is_write = id == Intrinsic::masked_store || id == Intrinsic::masked_scatter;
    const bool has_addresses = id == Intrinsic::masked_gather || id == Intrinsic::masked_scatter;
    Type* const type = is_write ? intrinsic.getArgOperand(0)->getType() : intrinsic.getType();
    Value* const where = intrinsic.getArgOperand(is_write ? 1 : 0);
    Value* const mask = intrinsic.getArgOperand(is_write ? 3 : 2);
    const auto* const vector = dyn_cast<FixedVectorType>(type);
    if (vector == nullptr) return leave_gap(intrinsic);
    if (!has_addresses && private_.holds(where)) return;
    IRBuilder<> builder(&intrinsic);
    const std::uint64_t bytes = layout().getTypeAllocSize(vector->getElementType());
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      Value* const address = has_addresses
                                 ? runtime_.as_pointer(builder, builder.CreateExtractElement(where, i))
                                 : builder.CreateConstGEP1_64(builder.getInt8Ty(),
                                                              runtime_.as_pointer(builder, where), i * bytes);
      Value* const is_accessed =
          builder.CreateZExt(builder.CreateExtractElement(mask, i), builder.getInt32Ty());
      runtime_.notify(builder, is_write ? "__deadheat_write_if" : "__deadheat_read_if",
                      {address, runtime_.size(bytes), is_accessed});
    }
  }

  // The caller reads what is passed by value in memory.
  void instrument_copied(CallBase& call) {
    IRBuilder<> builder(&call);
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      if (!call.isByValArgument(i) || private_.holds(call.getArgOperand(i))) continue;
      runtime_.notify(builder, "__tsan_read_range",
                      {runtime_.as_pointer(builder, call.getArgOperand(i)),
                       runtime_.size(layout().getTypeStoreSize(call.getParamByValType(i)))});
    }
  }

  // What runtime/known_functions.h says of the callee.
  static StringRef accesses_of_callee(const CallBase& call) {
    const auto* const callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
    if (callee == nullptr || !callee->isDeclaration()) return "";
    const StringRef name = callee->getName();
    const runtime::KnownFunction* const known = runtime::known_function({name.data(), name.size()});
    return known == nullptr ? StringRef() : StringRef(known->accesses.data(), known->accesses.size());
  }

  void instrument_known(CallBase& call) {
    StringRef rest = accesses_of_callee(call);
    while (!rest.empty()) {
      const char kind = rest.front();
      unsigned argument = 0;
      std::uint64_t bytes = 0;
      rest = rest.drop_front();
      const bool is_read_right =
          !rest.consumeInteger(10, argument) && rest.consume_front(":") && !rest.consumeInteger(10, bytes);
      rest = rest.ltrim();
      // Called with other arguments than the C library's function has: not what was meant.
      if (!is_read_right || argument >= call.arg_size() ||
          !call.getArgOperand(argument)->getType()->isPointerTy()) {
        return leave_gap(call);
      }
      if (isa<ConstantPointerNull>(call.getArgOperand(argument)) ||
          private_.holds(call.getArgOperand(argument))) {
        continue;
      }
      IRBuilder<> builder(kind == 'W' ? &after(call) : &call);
      builder.SetCurrentDebugLocation(call.getDebugLoc());
      Value* const address = runtime_.as_pointer(builder, call.getArgOperand(argument));
      Value* const is_there = builder.CreateZExt(builder.CreateIsNotNull(address), builder.getInt32Ty());
      runtime_.notify(builder, kind == 'r' ? "__deadheat_read_if" : "__deadheat_write_if",
                      {address, runtime_.size(bytes), is_there});
    }
  }

  // A call of the runtime's function, which records once and copies; the plain one is intercepted too. What
  // must be inline stays.
  void instrument_block(MemIntrinsic& block) {
    IRBuilder<> builder(&block);
    Value* const to = runtime_.as_pointer(builder, block.getRawDest());
    Value* const bytes = runtime_.as_size(builder, block.getLength());
    const auto* const transfer = dyn_cast<MemTransferInst>(&block);
    Value* const from =
        transfer == nullptr ? nullptr : runtime_.as_pointer(builder, transfer->getRawSource());
    if (is_inline(block)) {
      if (from != nullptr) runtime_.notify(builder, "__tsan_read_range", {from, bytes});
      runtime_.notify(builder, "__tsan_write_range", {to, bytes});
      return;
    }
    if (from == nullptr) {
      Value* const value = builder.CreateZExt(cast<MemSetInst>(block).getValue(), builder.getInt32Ty());
      runtime_.call(builder, "__tsan_memset", runtime_.pointer(), {to, value, bytes});
    } else {
      const char* const name = isa<MemMoveInst>(block) ? "__tsan_memmove" : "__tsan_memcpy";
      runtime_.call(builder, name, runtime_.pointer(), {to, from, bytes});
    }
    block.eraseFromParent();
  }

  static bool is_inline(const MemIntrinsic& block) {
#if LLVM_VERSION_MAJOR >= 15
    if (block.getIntrinsicID() == Intrinsic::memset_inline) return true;
#endif
    return block.getIntrinsicID() == Intrinsic::memcpy_inline;
  }

  void leave_gap(Instruction& instruction) {
    IRBuilder<> builder(&instruction);
    runtime_.notify(builder, "__deadheat_gap", {});
  }

  Value* return_address(IRBuilder<>& builder) {
    Value* const address = builder.CreateIntrinsic(Intrinsic::returnaddress, {}, {builder.getInt32(0)});
    return runtime_.as_pointer(builder, address);
  }

  // The mark that the function found, if it is not its own, is there again when it is left.
  void instrument_entry_and_exits() {
    IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
    Value* const saved = runtime_.call(builder, "__deadheat_func_entry", runtime_.pointer(),
                                       {return_address(builder), runtime_.as_pointer(builder, &function_)});
    EscapeEnumerator exits(function_, "deadheat_cleanup");
    while (IRBuilder<>* const exit = exits.Next()) {
      runtime_.notify(*exit, "__deadheat_func_exit", {saved});
      auto* const last = dyn_cast<CallInst>(&*exit->GetInsertPoint());
      if (last != nullptr && last->isMustTailCall() && calls_.may_be_opaque(*last))
        calls_.mark_last(*last, saved);
    }
  }

  const DataLayout& layout() const { return function_.getParent()->getDataLayout(); }

  Function& function_;
  RuntimeInterface& runtime_;
  OpaqueCalls& calls_;
  PrivateMemory private_;
  TargetLibraryInfoImpl library_;
  std::optional<TargetLibraryInfo> library_info_;
};

// clang's own pass makes a function of this name that calls __tsan_init, unless there is one. So a module
// that calls __tsan_init was instrumented by somebody else, at least in part.
constexpr const char* kConstructor = "tsan.module_ctor";

Function* new_constructor(Module& module) {
  auto* const type = FunctionType::get(Type::getVoidTy(module.getContext()), false);
  Function* const constructor = Function::Create(type, GlobalValue::InternalLinkage, kConstructor, module);
  constructor->addFnAttr(Attribute::NoUnwind);
  constructor->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", constructor));
  builder.CreateRetVoid();
  return constructor;
}

void announce(Module& module, RuntimeInterface& runtime) {
  Function* const constructor = new_constructor(module);
  IRBuilder<> builder(constructor->getEntryBlock().getTerminator());
  runtime.notify(builder, "__deadheat_module", {builder.getInt32(kInterfaceVersion), builder.getInt32(0)});
  appendToGlobalCtors(module, constructor, 0);
}

bool is_left_alone(const Function& function) {
  return function.isDeclaration() || function.hasAvailableExternallyLinkage() ||
         function.hasFnAttribute(Attribute::Naked) ||
         function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation);
}

}  // namespace

bool instrument(Module& module) {
  if (module.getFunction(kConstructor) != nullptr) return false;  // done already
  const bool is_wanted = any_of(
      module, [](const Function& function) { return function.hasFnAttribute(Attribute::SanitizeThread); });
  if (!is_wanted) {
    // Without code of its own, or compiled with -fno-sanitize=thread: it has nothing to announce.
    new_constructor(module);
    return true;
  }
  RuntimeInterface runtime(module);
  OpaqueCalls calls(runtime);
  SmallVector<Function*, 32> functions;
  for (Function& function : module) {
    if (!is_left_alone(function)) functions.push_back(&function);
  }
  for (Function* const function : functions) {
    FunctionInstrumenter instrumenter(*function, runtime, calls);
    if (calls.is_instrumented(*function)) {
      instrumenter.run();
    } else {
      instrumenter.run_without_accesses();
    }
    forget_memory_effects(*function);
    // clang's own pass, which comes later, has nothing left to do.
    function->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  }
  announce(module, runtime);
  return true;
}

}  // namespace deadheat::pass
