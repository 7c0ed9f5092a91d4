#include "report/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/format.h"
#include "report/words.h"

namespace deadheat::report {

namespace {

std::string doing(const Event& e, std::uint64_t number, const NamesFrom& from) {
  const ObjectKind kind = object_kind(e.op.kind);
  const std::string object =
      kind == ObjectKind::none ? "" : for_people(object_text(kind, e.object, number, from, e.op.offset));
  const std::string order = has_order(e.op.kind) ? fmt::format(" ({})", name_of(e.op.order)) : "";
  switch (e.op.kind) {
    case EventKind::acquire:
      return "acquires " + object;
    case EventKind::acquire_shared:
      return "acquires " + object + " as reader";
    case EventKind::release:
    case EventKind::release_shared:
      return "releases " + object;
    case EventKind::fork:
      return "forks " + object;
    case EventKind::join:
      return "joins " + object;
    case EventKind::begin:
      return "begins";
    case EventKind::end:
      return "ends";
    case EventKind::send:
      return "sends on " + object;
    case EventKind::recv:
      return "receives from " + object;
    case EventKind::barrier_enter:
      return "enters barrier " + object;
    case EventKind::barrier_exit:
      return "leaves barrier " + object;
    case EventKind::fence:
      return "passes a fence" + order;
    case EventKind::alloc:
      return "allocates " + object;
    case EventKind::gap:
      return "may access memory that was not recorded";
    case EventKind::gap_range:
      return "may access " + object + ", not recorded";
    case EventKind::try_acquire_failed:
      return "finds " + object + " held";
    case EventKind::try_recv_failed:
      return "finds nothing on " + object;
    case EventKind::try_join_failed:
      return "finds " + object + " running";
    default:
      return fmt::format("{} {}{}", verb_of(e.op.kind), object, order);
  }
}

// Locks held by each thread, as the schedule goes.
class Depths {
 public:
  explicit Depths(const analysis::Schedule& schedule) {
    for (const auto& [t, lock] : schedule.held) ++depth_[index(t)];
  }
  unsigned at(const Event& e) {
    unsigned& depth = depth_[index(e.thread)];
    if (e.op.kind == EventKind::acquire || e.op.kind == EventKind::acquire_shared) return depth++;
    const bool releases = e.op.kind == EventKind::release || e.op.kind == EventKind::release_shared;
    if (releases && depth > 0) --depth;
    return depth;
  }

 private:
  std::map<std::uint32_t, unsigned> depth_;
};

Explanation::State state_of(const Race& race, bool ordered) {
  using State = Explanation::State;
  if (race.no_race) {
    const bool one_thread =
        race.no_race == analysis::NoRace::same_event || race.no_race == analysis::NoRace::same_thread;
    return one_thread ? State::same_thread : State::no_conflict;
  }
  if (race.proof) return race.proof->grade == engine::Grade::proved ? State::proved : State::predicted;
  if (!race.consequence) return State::open;
  return ordered ? State::ordered : State::impossible;
}

std::string conclusion_of(const Race& race, Explanation::State state) {
  using State = Explanation::State;
  switch (state) {
    case State::proved:
      return "A schedule that the program could have followed brings them together.";
    case State::predicted:
      return "A schedule that the program could have followed, if the trace has all of its accesses, brings "
             "them together.";
    case State::same_thread:
      return race.no_race == analysis::NoRace::same_event
                 ? "This is one event, given twice: a race takes two accesses of two threads."
                 : "Both accesses are of one thread, which does them one after the other: no race.";
    case State::no_conflict:
      return race.no_race == analysis::NoRace::no_common_bytes
                 ? "The two accesses have no byte in common: no race."
             : race.no_race == analysis::NoRace::no_write ? "Neither access writes: two reads are no race."
                                                          : "Both accesses are atomic: no race.";
    case State::ordered:
    case State::impossible:
      return race.grade == engine::Grade::observed
                 ? "No other order of the same events brings them together, as long as every read finds what "
                   "it found: this race may be there only because of another one."
                 : "No order of the same events brings them together, as long as every read finds what it "
                   "found: no race.";
    case State::open:
      break;
  }
  return "No schedule was found that brings them together. That does not mean that there is none.";
}

}  // namespace

std::string_view name_of(Explanation::State state) {
  static constexpr std::string_view kNames[] = {"proved",  "predicted",  "same thread", "no conflict",
                                                "ordered", "impossible", "open"};
  return kNames[static_cast<std::size_t>(state)];
}

bool is_no_race(const Explanation& x) {
  using State = Explanation::State;
  return x.state == State::same_thread || x.state == State::no_conflict || x.state == State::ordered ||
         (x.state == State::impossible && x.race.grade != engine::Grade::observed);
}

std::string standing(const Explanation& x) {
  if (is_no_race(x)) return fmt::format("no race: {}", name_of(x.state));
  return std::string(name_of(x.race.grade));
}

Explanation explain(std::string trace, Race race, const analysis::Schedule& schedule,
                    symbol::Symbolizer* symbols) {
  const Names& names = schedule.source->names();
  const NamesFrom from{names, symbols};
  Explanation out;
  out.trace = std::move(trace);
  out.race = std::move(race);
  const auto name_of_thread = [&](ThreadId t) { return names.display(ObjectKind::thread, index(t)); };

  out.ordered = schedule.chain.is_ordered();
  // Two conflicting accesses that nothing ordered raced in this run, although no engine was asked.
  const auto& block = out.race.memory.block;
  const bool renewed = block && block->allocated.event > out.race.earlier.event;
  if (out.race.engines.empty() && !out.ordered && !out.race.no_race && !renewed) {
    out.race.grade = engine::Grade::observed;
  }
  out.state = state_of(out.race, out.ordered);
  out.conclusion = conclusion_of(out.race, out.state);
  for (const analysis::Link& link : schedule.chain.links()) {
    const Event& wait = link.wait.event;
    const ThreadId waiter = wait.op.kind == EventKind::fork ? ThreadId{wait.object} : wait.thread;
    out.links.push_back({sync_of(link.signal, from), sync_of(link.wait, from), name_of_thread(waiter)});
  }

  std::vector<ThreadId> columns;
  const auto column = [&](ThreadId t) {
    const auto at = std::ranges::find(columns, t);
    if (at != columns.end()) return static_cast<std::size_t>(at - columns.begin());
    columns.push_back(t);
    return columns.size() - 1;
  };
  Depths depths(schedule);
  const auto add = [&](const model::NumberedEvent& e, std::uint64_t folded) {
    out.steps.push_back({.thread = column(e.event.thread),
                         .event = e.number,
                         .what = doing(e.event, e.number, from),
                         .place = place_in_program(e.event.op, from),
                         .depth = depths.at(e.event),
                         .folded = folded});
  };
  for (const analysis::Step& step : schedule.steps) add(step.e, step.folded);
  add(schedule.earlier, schedule.folded);
  add(schedule.later, 0);
  for (const ThreadId t : columns) out.threads.push_back(name_of_thread(t));
  out.as_in_trace = schedule.as_in_trace;
  for (const analysis::Schedule::Stop& stop : schedule.stops) {
    out.stops.push_back({name_of_thread(stop.next.event.thread), stop.events,
                         fmt::format("{} {}", doing(stop.next.event, stop.next.number, from),
                                     at(place_in_program(stop.next.event.op, from), stop.next.number))});
  }
  return out;
}

}  // namespace deadheat::report
