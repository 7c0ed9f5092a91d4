#include "analysis/schedule.h"

#include <algorithm>
#include <map>

namespace deadheat::analysis {

namespace {

using model::NumberedEvent;
using witness::Witness;

bool is_lock(EventKind kind) { return is_of_lock(kind); }

class Reader {
 public:
  Reader(const Witness& witness, VarId variable, const ScheduleOptions& options)
      : witness_(witness),
        variable_(variable),
        options_(options),
        listed_(witness.then.begin(), witness.then.end()) {
    out_.as_in_trace = witness.from;
    out_.chain = Chain(witness.earlier, witness.later);
  }

  void see(const NumberedEvent& e) {
    out_.chain.see(e);
    if (e.number == witness_.earlier) out_.earlier = e;
    if (e.number == witness_.later) out_.later = e;
    if (e.number < witness_.from) return hold(e);
    if (e.number < witness_.end_of(e.event.thread)) {
      step(e);
    } else if (listed_.contains(e.number)) {
      later_steps_.emplace(e.number, e);
    } else if (e.number < witness_.later && e.number != witness_.earlier) {
      const auto [at, fresh] = stops_.try_emplace(index(e.event.thread), Schedule::Stop{e, 0});
      ++at->second.events;
    }
  }

  Schedule finish() {
    for (const std::uint64_t number : witness_.then) {
      if (const auto at = later_steps_.find(number); at != later_steps_.end()) step(at->second);
    }
    for (const auto& [t, stop] : stops_) out_.stops.push_back(stop);
    fold();
    return std::move(out_);
  }

 private:
  void hold(const NumberedEvent& e) {
    const std::pair held(e.event.thread, LockId{e.event.object});
    if (e.event.op.kind == EventKind::acquire || e.event.op.kind == EventKind::acquire_shared) {
      out_.held.push_back(held);
    } else if (is_lock(e.event.op.kind)) {
      const auto last = std::find(out_.held.rbegin(), out_.held.rend(), held);
      if (last != out_.held.rend()) out_.held.erase(std::next(last).base());
    }
  }

  bool touches(const Event& e) const {
    return is_of_memory(e.op.kind) && e.object <= index(variable_) &&
           index(variable_) - e.object < cells(e.op);
  }
  // Accesses are most of a trace: those to other variables are not even kept.
  void step(const NumberedEvent& e) {
    if (!options_.full && is_of_memory(e.event.op.kind) && !touches(e.event)) {
      ++out_.folded;
      return;
    }
    steps_.push_back({e, out_.folded});
    out_.folded = 0;
  }
  bool is_of_pair(ThreadId t) const { return t == out_.earlier.event.thread || t == out_.later.event.thread; }

  // What the two threads do to synchronise, what others do with the same objects, and what is done to the
  // variable.
  void fold() {
    std::set<std::pair<ObjectKind, std::uint32_t>> objects;
    for (const Step& step : steps_) {
      const Event& e = step.e.event;
      if (is_of_pair(e.thread)) objects.insert({object_kind(e.op.kind), e.object});
    }
    const auto matters = [&](const Event& e) {
      const ObjectKind kind = object_kind(e.op.kind);
      if (options_.full || kind == ObjectKind::variable) return true;
      if (kind == ObjectKind::none) return false;
      if (kind == ObjectKind::thread) return is_of_pair(e.thread) || is_of_pair(ThreadId{e.object});
      return objects.contains({kind, e.object});
    };
    std::uint64_t left = 0;
    for (const Step& step : steps_) left += matters(step.e.event) ? 1 : 0;
    std::uint64_t folded = 0;
    for (const Step& step : steps_) {
      folded += step.folded;
      const bool shown = matters(step.e.event) && (options_.full || left <= options_.most);
      left -= matters(step.e.event) ? 1 : 0;
      if (!shown) {
        ++folded;
        if (out_.steps.empty()) hold(step.e);
        continue;
      }
      out_.steps.push_back({step.e, folded});
      folded = 0;
    }
    out_.folded += folded;
  }

  const Witness& witness_;
  VarId variable_;
  const ScheduleOptions& options_;
  std::set<std::uint64_t> listed_;
  Schedule out_;
  std::vector<Step> steps_;
  std::map<std::uint64_t, NumberedEvent> later_steps_;
  std::map<std::uint32_t, Schedule::Stop> stops_;
};

}  // namespace

Result<Schedule> schedule_of(const std::string& path, const Witness& witness, VarId variable,
                             const ScheduleOptions& options) {
  auto source = open_source(path, options.read);
  if (!source) return fail(source.error());
  Reader reader(witness, variable, options);
  const std::uint64_t end = witness.last();
  for (std::uint64_t number = 0; number < end;) {
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    if (*block == nullptr) break;
    for (std::size_t i = 0; i < (*block)->size() && number < end; ++i, ++number) {
      reader.see({number, (**block)[i]});
    }
  }
  Schedule schedule = reader.finish();
  schedule.source = std::move(*source);
  return schedule;
}

}  // namespace deadheat::analysis
