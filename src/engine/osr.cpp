#include "engine/osr.h"

#include <algorithm>

namespace deadheat::engine {

Verdict Optimistic::can_meet(const Message& before, clock::Time time, Later& later) {
  const clock::Epoch e(before.last.thread(), time);
  if (later.before.covers(later.thread, e)) return Verdict::never;
  if (preserving_.can_meet(before, time, later) == Verdict::meets) return Verdict::meets;
  const std::vector<clock::Time>& last = preserving_.last();
  set_.assign(later.before.times, later.before.times + last.size());
  set_[index(later.thread)] = last[index(later.thread)];
  order::join(set_, before);
  ++closures_;
  const SyncPreserving::Sections& sections = preserving_.sections();
  sections.end_all(set_, e, [](order::Ideal& set, const Message& known) { order::join(set, known); });
  if (!sections.find_waiting(set_, waiting_)) return Verdict::not_now;
  ++reversals_;
  if (!kept_.allows(set_, waiting_)) return Verdict::not_now;
  ++told_;
  return Verdict::meets;
}

std::vector<Counter> Optimistic::counters() const {
  std::vector<Counter> all = preserving_.counters();
  all.push_back({"optimistic closures", closures_});
  all.push_back({"optimistic closures with at most one to hold each lock", reversals_});
  all.push_back({"pairs that only reversals make meet", told_});
  return all;
}

Result<std::unique_ptr<Engine>> make_osr(const Settings& settings, Shape shape) {
  const auto told = limit_in(settings, "limit", "pairs");
  if (!told) return fail(told.error());
  const auto failed = limit_in(settings, "tries", "tries");
  if (!failed) return fail(failed.error());
  return std::make_unique<Osr>(PairLimits{*told, *failed}, shape);
}

}  // namespace deadheat::engine
