#include "pass/atomics.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace deadheat::pass {

namespace {

using namespace llvm;

// As <sanitizer/tsan_interface_atomic.h> numbers them.
Value* order_of(IRBuilder<>& builder, AtomicOrdering order) {
  switch (order) {
    case AtomicOrdering::NotAtomic:
    case AtomicOrdering::Unordered:
    case AtomicOrdering::Monotonic:
      return builder.getInt32(0);
    case AtomicOrdering::Acquire:
      return builder.getInt32(2);
    case AtomicOrdering::Release:
      return builder.getInt32(3);
    case AtomicOrdering::AcquireRelease:
      return builder.getInt32(4);
    case AtomicOrdering::SequentiallyConsistent:
      return builder.getInt32(5);
  }
  return builder.getInt32(5);
}

// What the runtime calls the operation; null: it has none.
const char* name_of(AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case AtomicRMWInst::Xchg:
      return "exchange";
    case AtomicRMWInst::Add:
      return "fetch_add";
    case AtomicRMWInst::Sub:
      return "fetch_sub";
    case AtomicRMWInst::And:
      return "fetch_and";
    case AtomicRMWInst::Or:
      return "fetch_or";
    case AtomicRMWInst::Xor:
      return "fetch_xor";
    case AtomicRMWInst::Nand:
      return "fetch_nand";
    default:
      return nullptr;
  }
}

Value* changed(IRBuilder<>& builder, AtomicRMWInst::BinOp operation, Value* old, Value* operand) {
  switch (operation) {
    case AtomicRMWInst::Max:
      return builder.CreateSelect(builder.CreateICmpSGT(old, operand), old, operand);
    case AtomicRMWInst::Min:
      return builder.CreateSelect(builder.CreateICmpSLE(old, operand), old, operand);
    case AtomicRMWInst::UMax:
      return builder.CreateSelect(builder.CreateICmpUGT(old, operand), old, operand);
    case AtomicRMWInst::UMin:
      return builder.CreateSelect(builder.CreateICmpULE(old, operand), old, operand);
    case AtomicRMWInst::FAdd:
      return builder.CreateFAdd(old, operand);
    case AtomicRMWInst::FSub:
      return builder.CreateFSub(old, operand);
    default:
      return nullptr;
  }
}

class Operation {
 public:
  // Bits is 0 where the runtime has no function of this width.
  Operation(Instruction& instruction, Value* address, Type* type, RuntimeInterface& runtime)
      : instruction_(instruction), runtime_(runtime), builder_(&instruction), type_(type) {
    const DataLayout& layout = runtime.module().getDataLayout();
    bytes_ = layout.getTypeStoreSize(type).getFixedValue();
    const bool is_whole = layout.getTypeSizeInBits(type).getFixedValue() == bytes_ * 8;
    if (is_whole && (bytes_ == 1 || bytes_ == 2 || bytes_ == 4 || bytes_ == 8 || bytes_ == 16)) {
      bits_ = static_cast<unsigned>(bytes_ * 8);
      word_ = builder_.getIntNTy(bits_);
    }
    address_ = runtime.as_pointer(builder_, address);
  }

  bool has_function() const { return bits_ != 0; }
  IRBuilder<>& builder() { return builder_; }
  Value* as_word(Value* value) { return builder_.CreateBitOrPointerCast(value, word_); }
  Value* as_value(Value* word) { return builder_.CreateBitOrPointerCast(word, type_); }
  Value* call(const char* name, ArrayRef<Value*> arguments) {
    SmallVector<Value*, 6> all = {address_};
    all.append(arguments.begin(), arguments.end());
    return runtime_.call(builder_, "__tsan_atomic" + Twine(bits_) + "_" + name, word_, all);
  }
  void store(Value* value, AtomicOrdering order) {
    runtime_.notify(builder_, "__tsan_atomic" + Twine(bits_) + "_store",
                    {address_, as_word(value), order_of(builder_, order)});
  }
  Value* exchange_if(Value* expected, Value* desired, AtomicOrdering success, AtomicOrdering failure) {
    return call("compare_exchange_val", {as_word(expected), as_word(desired), order_of(builder_, success),
                                         order_of(builder_, failure)});
  }
  void replace(Value* result) {
    instruction_.replaceAllUsesWith(result);
    instruction_.eraseFromParent();
  }
  // It stays as it is: what it accesses is known, not how.
  void leave_gap() { runtime_.notify(builder_, "__deadheat_gap_range", {address_, runtime_.size(bytes_)}); }

 private:
  Instruction& instruction_;
  RuntimeInterface& runtime_;
  IRBuilder<> builder_;
  Type* type_;
  std::uint64_t bytes_;
  unsigned bits_ = 0;
  Type* word_ = nullptr;
  Value* address_;
};

void instrument_load(LoadInst& load, RuntimeInterface& runtime) {
  Operation operation(load, load.getPointerOperand(), load.getType(), runtime);
  if (!operation.has_function()) return operation.leave_gap();
  operation.replace(
      operation.as_value(operation.call("load", order_of(operation.builder(), load.getOrdering()))));
}

void instrument_store(StoreInst& store, RuntimeInterface& runtime) {
  Value* const value = store.getValueOperand();
  Operation operation(store, store.getPointerOperand(), value->getType(), runtime);
  if (!operation.has_function()) return operation.leave_gap();
  operation.store(value, store.getOrdering());
  store.eraseFromParent();
}

// Operations that the runtime has not: load, compute, compare and exchange, until nobody came in between.
void instrument_by_loop(AtomicRMWInst& change, RuntimeInterface& runtime) {
  const AtomicOrdering order = change.getOrdering();
  Operation operation(change, change.getPointerOperand(), change.getType(), runtime);
  BasicBlock* const before = change.getParent();
  BasicBlock* const after = SplitBlock(before, &change);
  BasicBlock* const loop = BasicBlock::Create(change.getContext(), "atomic_loop", before->getParent(), after);
  IRBuilder<>& builder = operation.builder();

  builder.SetInsertPoint(before->getTerminator());
  Value* const first = operation.call("load", order_of(builder, AtomicOrdering::Monotonic));
  before->getTerminator()->setSuccessor(0, loop);

  builder.SetInsertPoint(loop);
  PHINode* const seen = builder.CreatePHI(first->getType(), 2);
  seen->addIncoming(first, before);
  Value* const result =
      changed(builder, change.getOperation(), operation.as_value(seen), change.getValOperand());
  Value* const found =
      operation.exchange_if(seen, result, order, AtomicCmpXchgInst::getStrongestFailureOrdering(order));
  seen->addIncoming(found, loop);
  builder.CreateCondBr(builder.CreateICmpEQ(found, seen), after, loop);

  builder.SetInsertPoint(&change);
  operation.replace(operation.as_value(seen));
}

bool has_loop(AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case AtomicRMWInst::Max:
    case AtomicRMWInst::Min:
    case AtomicRMWInst::UMax:
    case AtomicRMWInst::UMin:
    case AtomicRMWInst::FAdd:
    case AtomicRMWInst::FSub:
      return true;
    default:
      return false;
  }
}

void instrument_change(AtomicRMWInst& change, RuntimeInterface& runtime) {
  Operation operation(change, change.getPointerOperand(), change.getType(), runtime);
  const char* const name = name_of(change.getOperation());
  if (!operation.has_function() || (name == nullptr && !has_loop(change.getOperation()))) {
    return operation.leave_gap();
  }
  if (name == nullptr) return instrument_by_loop(change, runtime);
  operation.replace(
      operation.as_value(operation.call(name, {operation.as_word(change.getValOperand()),
                                               order_of(operation.builder(), change.getOrdering())})));
}

void instrument_compare_exchange(AtomicCmpXchgInst& exchange, RuntimeInterface& runtime) {
  Value* const expected = exchange.getCompareOperand();
  Operation operation(exchange, exchange.getPointerOperand(), expected->getType(), runtime);
  if (!operation.has_function()) return operation.leave_gap();
  Value* const found = operation.exchange_if(expected, exchange.getNewValOperand(),
                                             exchange.getSuccessOrdering(), exchange.getFailureOrdering());
  IRBuilder<>& builder = operation.builder();
  Value* const succeeded = builder.CreateICmpEQ(found, operation.as_word(expected));
  Value* const result =
      builder.CreateInsertValue(UndefValue::get(exchange.getType()), operation.as_value(found), 0);
  operation.replace(builder.CreateInsertValue(result, succeeded, 1));
}

void instrument_fence(FenceInst& fence, RuntimeInterface& runtime) {
  IRBuilder<> builder(&fence);
  const bool is_of_thread = fence.getSyncScopeID() == SyncScope::SingleThread;
  runtime.notify(builder, is_of_thread ? "__tsan_atomic_signal_fence" : "__tsan_atomic_thread_fence",
                 order_of(builder, fence.getOrdering()));
  fence.eraseFromParent();
}

}  // namespace

bool is_atomic(const Instruction& instruction) {
  if (const auto* const load = dyn_cast<LoadInst>(&instruction)) return load->isAtomic();
  if (const auto* const store = dyn_cast<StoreInst>(&instruction)) return store->isAtomic();
  return isa<AtomicRMWInst, AtomicCmpXchgInst, FenceInst>(instruction);
}

void instrument_atomic(Instruction& instruction, RuntimeInterface& runtime) {
  if (auto* const load = dyn_cast<LoadInst>(&instruction)) return instrument_load(*load, runtime);
  if (auto* const store = dyn_cast<StoreInst>(&instruction)) return instrument_store(*store, runtime);
  if (auto* const change = dyn_cast<AtomicRMWInst>(&instruction)) return instrument_change(*change, runtime);
  if (auto* const exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    return instrument_compare_exchange(*exchange, runtime);
  }
  instrument_fence(*cast<FenceInst>(&instruction), runtime);
}

}  // namespace deadheat::pass
