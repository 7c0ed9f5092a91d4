#include "pass/opaque_calls.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "pass/llvm_versions.h"
#include "runtime/known_functions.h"

namespace deadheat::pass {

namespace {

using namespace llvm;

// What a call reaches, if that is known.
const Function* callee_of(const CallBase& call) {
  return dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
}

bool is_standard_stream(const Value& stream) {
  const auto* const load = dyn_cast<LoadInst>(&stream);
  const auto* const variable =
      load == nullptr ? nullptr : dyn_cast<GlobalVariable>(load->getPointerOperand());
  return variable != nullptr && (variable->getName() == "stdout" || variable->getName() == "stderr");
}

// printf and its like read what %s points to, and write through %n. Numbers they get by value.
bool formats_numbers_only(StringRef format) {
  while (!(format = format.drop_until([](char c) { return c == '%'; })).empty()) {
    format = format.drop_front().drop_while(
        [](char c) { return StringRef("-+ #0'123456789.hlLqjzt*").find(c) != StringRef::npos; });
    if (format.empty() || StringRef("diouxXeEfFgGaAcp%").find(format.front()) == StringRef::npos)
      return false;
    format = format.drop_front();
  }
  return true;
}

// Output to the standard streams, which no thread reads back. What it reads of the program's memory is
// nothing, or the runtime records it.
bool is_plain_output(const CallBase& call, StringRef name) {
  struct Output {
    const char* name;
    int stream, format;  // arguments; -1: none
  };
  static constexpr Output kOutputs[] = {
      {"printf", -1, 0},       {"__printf_chk", -1, 1}, {"fprintf", 0, 1},
      {"__fprintf_chk", 0, 2}, {"fputs", 1, -1},        {"fwrite", 3, -1},
      {"fputc", 1, -1},        {"putc", 1, -1},         {"fflush", 0, -1},
  };
  const auto* const output = find_if(kOutputs, [&](const Output& o) { return name == o.name; });
  if (output == std::end(kOutputs) ||
      static_cast<int>(call.arg_size()) <= std::max(output->stream, output->format)) {
    return false;
  }
  if (output->stream >= 0 &&
      !is_standard_stream(*call.getArgOperand(static_cast<unsigned>(output->stream)))) {
    return false;
  }
  StringRef format;
  return output->format < 0 ||
         (getConstantStringInfo(call.getArgOperand(static_cast<unsigned>(output->format)), format) &&
          formats_numbers_only(format));
}

bool is_of_runtime(StringRef name) {
  return starts_with(name, "__tsan_") || starts_with(name, "__deadheat_");
}

bool has_own_instrumentation(const Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         function.hasFnAttribute(Attribute::SanitizeThread) && !function.hasFnAttribute(Attribute::Naked) &&
         !function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation);
}

bool ends_as_another(const Function& function) {
  return any_of(function,
                [](const BasicBlock& block) { return block.getTerminatingMustTailCall() != nullptr; });
}

// Assembly without instructions, or with some that access no memory of the program.
bool is_harmless_assembly(StringRef text) {
  return StringSwitch<bool>(text.trim(" \t\n;"))
      .Cases("", "nop", "pause", "rep; nop", "rep;nop", "rep nop", true)
      .Cases("mfence", "lfence", "sfence", "rdtsc", "rdtscp", "cpuid", true)
      .Default(false);
}

// Results are no arguments, unless they are memory.
bool has_argument(const InlineAsm::ConstraintInfo& constraint) {
  return constraint.Type == InlineAsm::isInput ||
         (constraint.Type == InlineAsm::isOutput && constraint.isIndirect);
}

}  // namespace

Instruction& after(CallBase& call) {
  if (!call.isTerminator()) return *call.getNextNode();
  BasicBlock* next = call.getSuccessor(0);
  if (next->getSinglePredecessor() == nullptr) next = SplitCriticalEdge(&call, 0);
  return *next->getFirstInsertionPt();
}

OpaqueCalls::OpaqueCalls(RuntimeInterface& runtime) : runtime_(runtime) {
  for (const Function& function : runtime.module()) {
    if (!has_own_instrumentation(function)) continue;
    instrumented_.insert(&function);
    if (ends_as_another(function)) ends_as_another_.insert(&function);
  }
}

// A definition that the linker may replace (inline functions, templates) may be replaced by one from an
// object that is not instrumented.
bool OpaqueCalls::may_be_marked(const Function& function) const {
  const bool is_this_one = function.hasExactDefinition() && function.isDSOLocal();
  return !is_this_one || !is_instrumented(function) || ends_as_another_.contains(&function) ||
         function.hasAddressTaken() || !function.hasLocalLinkage();
}

bool OpaqueCalls::may_be_opaque(const CallBase& call) const {
  const Function* const callee = callee_of(call);
  if (callee == nullptr) return true;
  if (callee->isIntrinsic()) return false;
  const StringRef name = callee->getName();
  if (callee->isDeclaration()) {
    // "const" functions, by the promise of whoever declares them so.
    return !callee->doesNotAccessMemory() && !is_of_runtime(name) &&
           runtime::known_function({name.data(), name.size()}) == nullptr && !is_plain_output(call, name);
  }
  const bool is_this_one = callee->hasExactDefinition() && callee->isDSOLocal();
  return !is_this_one || !is_instrumented(*callee) || ends_as_another_.contains(callee);
}

// Volatile: what a callee does with the mark is not in its attributes.
Value* OpaqueCalls::load_mark(IRBuilder<>& builder) {
  return builder.CreateLoad(runtime_.pointer(), runtime_.call_mark(), true);
}

void OpaqueCalls::store_mark(IRBuilder<>& builder, Value* mark) {
  builder.CreateStore(mark, runtime_.call_mark(), true);
}

void OpaqueCalls::check_before(Instruction& instruction, const DebugLoc& location) {
  IRBuilder<> builder(&instruction);
  Value* const mark = load_mark(builder);
  MDNode* const rarely = MDBuilder(instruction.getContext()).createBranchWeights(1, 100000);
  builder.SetInsertPoint(
      SplitBlockAndInsertIfThen(builder.CreateIsNotNull(mark), &instruction, false, rarely));
  builder.SetCurrentDebugLocation(location);
  runtime_.notify(builder, "__deadheat_after_call", {});
}

void OpaqueCalls::mark(CallBase& call) {
  IRBuilder<> builder(&call);
  store_mark(builder, runtime_.as_pointer(builder, call.getCalledOperand()));
  forget_memory_effects(call);
  Instruction& next = after(call);
  if (!isa<UnreachableInst>(next)) check_before(next, call.getDebugLoc());
}

void OpaqueCalls::mark_last(CallInst& call, Value* saved) {
  IRBuilder<> builder(&call);
  Value* const callee = runtime_.as_pointer(builder, call.getCalledOperand());
  store_mark(builder, builder.CreateSelect(builder.CreateIsNull(saved), callee, saved));
}

void OpaqueCalls::check_landing_pad(LandingPadInst& pad) {
  check_before(*pad.getNextNode(), pad.getDebugLoc());
}

void OpaqueCalls::clear_own_mark(Function& function) {
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  Value* const mark = load_mark(builder);
  Value* const is_own = builder.CreateICmpEQ(mark, runtime_.as_pointer(builder, &function));
  store_mark(builder, builder.CreateSelect(is_own, Constant::getNullValue(runtime_.pointer()), mark));
}

// Without the clobber "memory" assembly may access only the operands that are memory.
bool accesses_memory(const CallBase& assembly) {
  const auto* const text = cast<InlineAsm>(assembly.getCalledOperand());
  if (is_harmless_assembly(text->getAsmString())) return false;
  return any_of(text->ParseConstraints(), [](const InlineAsm::ConstraintInfo& constraint) {
    return constraint.isIndirect ||
           (constraint.Type == InlineAsm::isClobber && is_contained(constraint.Codes, "{memory}"));
  });
}

void instrument_assembly(CallBase& assembly, RuntimeInterface& runtime) {
  // After it; where it may jump, before: nothing else runs in between.
  IRBuilder<> builder(assembly.isTerminator() ? &assembly : assembly.getNextNode());
  builder.SetCurrentDebugLocation(assembly.getDebugLoc());
  const auto constraints = cast<InlineAsm>(assembly.getCalledOperand())->ParseConstraints();
  const DataLayout& layout = runtime.module().getDataLayout();
  SmallVector<std::pair<Value*, std::uint64_t>, 4> ranges;
  bool is_known = true;
  unsigned argument = 0;
  for (const InlineAsm::ConstraintInfo& constraint : constraints) {
    if (constraint.Type == InlineAsm::isClobber) {
      is_known = is_known && !is_contained(constraint.Codes, "{memory}");
    } else if (constraint.isIndirect) {
      Type* const type = operand_type(assembly, argument);
      is_known = is_known && type != nullptr && type->isSized();
      if (is_known) ranges.emplace_back(assembly.getArgOperand(argument), layout.getTypeStoreSize(type));
    }
    if (has_argument(constraint)) ++argument;
  }
  if (!is_known) {
    runtime.notify(builder, "__deadheat_gap", {});
    return;
  }
  for (const auto& [address, bytes] : ranges) {
    runtime.notify(builder, "__deadheat_gap_range",
                   {runtime.as_pointer(builder, address), runtime.size(bytes)});
  }
}

}  // namespace deadheat::pass
