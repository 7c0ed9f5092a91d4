#include "model/op_rules.h"

namespace deadheat::model {

namespace {

bool may_have(EventKind kind, MemoryOrder order) {
  switch (kind) {
    case EventKind::atomic_load:
      return order != MemoryOrder::release && order != MemoryOrder::acq_rel;
    case EventKind::atomic_store:
      return order == MemoryOrder::relaxed || order == MemoryOrder::release || order == MemoryOrder::seq_cst;
    default:
      return true;
  }
}

}  // namespace

std::optional<Rule> fault_of(const Op& op) {
  if (static_cast<std::size_t>(op.kind) >= kEventKinds) return Rule::attribute;
  if (static_cast<std::size_t>(op.order) >= kMemoryOrders) return Rule::attribute;
  if (has_offset(op.kind) && op.offset >= kCellBytes) return Rule::attribute;
  if (has_size(op.kind) && op.value > kMaxAccessBytes) return Rule::attribute;
  if (op != without_stray(op)) return Rule::stray;
  if (has_order(op.kind) && !may_have(op.kind, op.order)) return Rule::order;
  return std::nullopt;
}

Op without_stray(const Op& op) {
  Op kept = op;
  if (!has_order(op.kind)) kept.order = MemoryOrder::relaxed;
  if (!has_offset(op.kind)) kept.offset = 0;
  if (!has_size(op.kind) && !is_barrier(op.kind)) kept.value = 0;
  return kept;
}

}  // namespace deadheat::model
