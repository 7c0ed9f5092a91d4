#include "model/mend.h"

#include "model/op_rules.h"

namespace deadheat::model {

bool can_mend(const WellFormed& survey) {
  for (std::size_t rule = 0; rule < kRules; ++rule) {
    if (survey.total(Rule{static_cast<std::uint8_t>(rule)}) > 0 &&
        !can_mend(Rule{static_cast<std::uint8_t>(rule)})) {
      return false;
    }
  }
  return true;
}

Mender::Mender(const WellFormed& survey) : survey_(survey) {
  DEADHEAT_ASSERT(can_mend(survey),
                  "only a trace all of whose violations can be mended is given to a Mender");
}

BlockView Mender::mend(const BlockView& block) {
  next_ += kept_.size();
  kept_.clear();
  // Dropping an event leaves the same state as going on after its violation, so the faults of the whole
  // trace are also those of what is kept.
  state_.feed(block);
  auto fault = state_.faults().begin();
  const auto last = state_.faults().end();
  for (std::uint32_t i = 0; i < block.size(); ++i) {
    Event e = block[i];
    bool drop = false;
    for (; fault != last && fault->place == i; ++fault) {
      if (fault->rule == Rule::after_end) continue;  // the fault is in the earlier end
      ++mended_[static_cast<std::size_t>(fault->rule)];
      if (fault->rule == Rule::stray) {
        e.op = without_stray(e.op);
        if (object_kind(e.op.kind) == ObjectKind::none) e.object = 0;
      } else {
        drop = true;
      }
    }
    if (e.op.kind == EventKind::end) {
      const auto early = survey_.premature_end(e.thread);
      if (early && block.first + i <= *early) {
        ++mended_[static_cast<std::size_t>(Rule::after_end)];
        drop = true;
      }
    }
    if (drop) {
      ++dropped_;
    } else {
      kept_.append(e);
    }
  }
  return kept_.view(next_);
}

}  // namespace deadheat::model
