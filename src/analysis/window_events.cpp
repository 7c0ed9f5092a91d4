#include "analysis/window_events.h"

#include <algorithm>

#include "base/assert.h"

namespace deadheat::analysis {

BlockView clipped(const BlockView& block, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t from = std::max(begin, block.first), to = std::min(end, block.first + block.size());
  if (from >= to) return {.first = from, .thread = {}, .op = {}, .object = {}, .ops = block.ops};
  const std::size_t at = from - block.first, n = to - from;
  return {.first = from,
          .thread = block.thread.subspan(at, n),
          .op = block.op.subspan(at, n),
          .object = block.object.subspan(at, n),
          .ops = block.ops};
}

// ---- ids ----

DenseIds::DenseIds() : slots_(64, Slot{0, 0, 0}) {}

std::size_t DenseIds::find(std::uint32_t id) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(id * std::uint64_t{0x9E3779B97F4A7C15} >> 32) & mask;
  while (slots_[at].era == era_ && slots_[at].id != id) at = (at + 1) & mask;
  return at;
}

std::uint32_t DenseIds::operator()(std::uint32_t id) {
  const std::size_t at = find(id);
  if (slots_[at].era == era_) return slots_[at].number;
  slots_[at] = {id, size(), era_};
  ids_.push_back(id);
  const std::uint32_t number = size() - 1;
  if (2 * ids_.size() > slots_.size()) grow();
  return number;
}

std::uint32_t DenseIds::of(std::uint32_t id) const { return slots_[find(id)].number; }

void DenseIds::grow() {
  std::vector<Slot> old(2 * slots_.size(), Slot{0, 0, 0});
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.era == era_) slots_[find(slot.id)] = slot;
  }
}

void DenseIds::clear() {
  ids_.clear();
  if (++era_ != 0) return;
  std::ranges::fill(slots_, Slot{0, 0, 0});
  era_ = 1;
}

// ---- events ----

void WindowEvents::clear() {
  drop_events();
  for (DenseIds* ids : {&threads_, &locks_, &channels_, &barriers_, &lines_}) ids->clear();
  runs_.clear();
  base_ = 0;
  nobody_ = UINT32_MAX;
}

void WindowEvents::drop_events() {
  thread_.clear();
  object_.clear();
  op_.clear();
  ops_.clear();
  roles_.clear();
  pieces_.clear();
}

void WindowEvents::add(const BlockView& events) {
  if (events.size() == 0) return;
  pieces_.push_back({events.first, op_.size(), events.size(), ops_.size(), events.ops.size()});
  thread_.insert(thread_.end(), events.thread.begin(), events.thread.end());
  object_.insert(object_.end(), events.object.begin(), events.object.end());
  op_.insert(op_.end(), events.op.begin(), events.op.end());
  ops_.insert(ops_.end(), events.ops.begin(), events.ops.end());
  for (const Op& op : events.ops) roles_.push_back(role_of(op));
}

WindowEvents::Role WindowEvents::role_of(const Op& op) {
  switch (object_kind(op.kind)) {
    case ObjectKind::variable:
      return cells(op) == 1 ? Role::narrow : Role::wide;
    case ObjectKind::lock:
      return Role::lock;
    case ObjectKind::thread:
      return Role::thread;
    case ObjectKind::channel:
      return Role::channel;
    case ObjectKind::barrier:
      return Role::barrier;
    case ObjectKind::none:
      break;
  }
  return Role::none;
}

BlockView WindowEvents::block(std::size_t i) const {
  const Piece& piece = pieces_[i];
  return {.first = piece.first,
          .thread = {thread_.data() + piece.begin, piece.size},
          .op = {op_.data() + piece.begin, piece.size},
          .object = {object_.data() + piece.begin, piece.size},
          .ops = {ops_.data() + piece.ops_begin, piece.ops}};
}

void WindowEvents::number(Extent extent) {
  std::uint32_t last_id = UINT32_MAX, last_number = 0;  // threads come in runs
  for (const Piece& piece : pieces_) {
    const Role* const roles = roles_.data() + piece.ops_begin;
    for (std::size_t i = piece.begin; i < piece.begin + piece.size; ++i) {
      if (thread_[i] != last_id) {
        last_id = thread_[i];
        last_number = threads_(last_id);
      }
      thread_[i] = last_number;
      switch (roles[op_[i]]) {
        case Role::lock:
          object_[i] = locks_(object_[i]);
          break;
        case Role::thread:
          object_[i] = threads_(object_[i]);
          break;
        case Role::channel:
          object_[i] = channels_(object_[i]);
          break;
        case Role::barrier:
          object_[i] = barriers_(object_[i]);
          break;
        default:
          break;
      }
    }
  }
  if (extent == Extent::whole) number_variables();
}

// ---- variables ----

// f(variable, cells, whether it may be one of several)
template <class F>
void WindowEvents::each_variable(F f) {
  for (const Piece& piece : pieces_) {
    const Role* const roles = roles_.data() + piece.ops_begin;
    const Op* const ops = ops_.data() + piece.ops_begin;
    for (std::size_t i = piece.begin; i < piece.begin + piece.size; ++i) {
      const Role role = roles[op_[i]];
      if (role == Role::narrow) f(object_[i], std::uint64_t{1});
      if (role == Role::wide) f(object_[i], cells(ops[op_[i]]));
    }
  }
}

void WindowEvents::number_variables() {
  std::uint64_t least = UINT64_MAX, end = 0;
  each_variable([&](std::uint32_t x, std::uint64_t count) {
    least = std::min<std::uint64_t>(least, x);
    end = std::max(end, x + count);
  });
  if (end == 0) return;
  // Dense enough as they are.
  if (end - least > 16 * size() + 4096) return number_by_lines();
  base_ = static_cast<std::uint32_t>(least >> kLineBits << kLineBits);
  each_variable([&](std::uint32_t& x, std::uint64_t) { x -= base_; });
}

void WindowEvents::number_by_lines() {
  each_variable([&](std::uint32_t x, std::uint64_t count) {
    const std::uint64_t first = x >> kLineBits, last = (x + count - 1) >> kLineBits;
    if (first == last) {
      lines_(static_cast<std::uint32_t>(first));
    } else {
      runs_.push_back({first, last + 1, 0});
    }
  });
  for (std::uint32_t i = 0; i < lines_.size(); ++i) runs_.push_back({lines_.id(i), lines_.id(i) + 1u, 0});
  std::ranges::sort(runs_, {}, &Run::begin);
  std::size_t kept = 0;
  for (const Run& run : runs_) {
    if (kept > 0 && run.begin <= runs_[kept - 1].end) {
      runs_[kept - 1].end = std::max(runs_[kept - 1].end, run.end);
    } else {
      runs_[kept++] = run;
    }
  }
  runs_.resize(kept);
  std::uint64_t to = 0;
  for (Run& run : runs_) {
    run.to = to;
    to += run.end - run.begin;
  }
  for (std::uint32_t i = 0; i < lines_.size(); ++i)
    lines_.renumber(lines_.id(i), number_of_line(lines_.id(i)));
  constexpr std::uint32_t kWithin = (1u << kLineBits) - 1;
  each_variable([&](std::uint32_t& x, std::uint64_t count) {
    const std::uint32_t line = x >> kLineBits;
    const bool alone = (x + count - 1) >> kLineBits == line;
    x = (alone ? lines_.of(line) : number_of_line(line)) << kLineBits | (x & kWithin);
  });
}

std::uint32_t WindowEvents::number_of_line(std::uint64_t line) const {
  const auto behind = std::ranges::upper_bound(runs_, line, {}, &Run::begin);
  DEADHEAT_ASSERT(behind != runs_.begin() && line < (behind - 1)->end, "all lines of the window are in runs");
  return static_cast<std::uint32_t>((behind - 1)->to + (line - (behind - 1)->begin));
}

model::RacePair WindowEvents::original(model::RacePair pair) const {
  for (model::Side* side : {&pair.earlier, &pair.later})
    side->thread = ThreadId{threads_.id(index(side->thread))};
  const std::uint32_t x = index(pair.variable);
  if (runs_.empty()) {
    pair.variable = VarId{x + base_};
    return pair;
  }
  const auto behind = std::ranges::upper_bound(runs_, std::uint64_t{x >> kLineBits}, {}, &Run::to);
  const Run& run = *(behind - 1);
  const std::uint64_t line = run.begin + ((x >> kLineBits) - run.to);
  pair.variable = VarId{static_cast<std::uint32_t>(line << kLineBits | (x & ((1u << kLineBits) - 1)))};
  return pair;
}

// ---- barriers ----

BlockView WindowEvents::unseen_enters(std::size_t i) {
  enter_thread_.clear();
  enter_object_.clear();
  enter_op_.clear();
  enter_ops_.clear();
  const BlockView events = block(i);
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> enter_of(events.ops.size(), kNone);
  const auto is_exit = [](const Op& op) { return op.kind == EventKind::barrier_exit; };
  if (std::ranges::any_of(events.ops, is_exit)) {
    if (nobody_ == UINT32_MAX) nobody_ = threads_.add();
    for (std::size_t k = 0; k < events.size(); ++k) {
      const Op& op = events.ops[events.op[k]];
      if (!is_exit(op)) continue;
      std::uint32_t& enter = enter_of[events.op[k]];
      if (enter == kNone) {
        enter = static_cast<std::uint32_t>(enter_ops_.size());
        enter_ops_.push_back({.kind = EventKind::barrier_enter, .value = op.value});
      }
      enter_thread_.push_back(nobody_);
      enter_object_.push_back(events.object[k]);
      enter_op_.push_back(static_cast<std::uint16_t>(enter));
    }
  }
  return {.first = events.first,
          .thread = enter_thread_,
          .op = enter_op_,
          .object = enter_object_,
          .ops = enter_ops_};
}

}  // namespace deadheat::analysis
