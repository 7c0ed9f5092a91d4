#include "report/resolve.h"

#include <algorithm>

#include "report/why.h"

namespace deadheat::report {

namespace {

// A stack's id is greater than its caller's, so this ends; what a damaged trace makes of it stays short.
constexpr std::size_t kMostFrames = 1000;

std::vector<Place> stack_of(const Op& op, const Names& names) {
  std::vector<Place> out;
  if (op.site != SiteId::none) out.push_back(place_of(op.site, names));
  for (StackId at = op.stack; at != StackId::none && index(at) < names.stacks.size();) {
    const Frame& frame = names.stacks[index(at)];
    // A recorder may give the access's own frame in its stack too.
    const bool itself = at == op.stack && frame.site == op.site;
    if (!itself && frame.site != SiteId::none) out.push_back(place_of(frame.site, names));
    if (index(frame.caller) >= index(at) || out.size() == kMostFrames) break;
    at = frame.caller;
  }
  return out;
}

std::optional<Sync> sync_of(const std::optional<model::NumberedEvent>& e, const Names& names) {
  if (!e) return {};
  const Event& event = e->event;
  const ObjectKind kind = object_kind(event.op.kind);
  return Sync{.event = e->number,
              .kind = event.op.kind,
              .order = event.op.order,
              .thread = names.display(ObjectKind::thread, index(event.thread)),
              .object = kind == ObjectKind::none ? "" : names.display(kind, event.object),
              .place = place_of(event.op.site, names)};
}

Access access_of(const model::Side& side, const analysis::Circumstance& around, const Names& names) {
  Access out;
  out.event = side.event;
  out.thread = names.display(ObjectKind::thread, index(side.thread));
  out.kind = side.kind;
  out.order = around.event.op.order;
  out.stack = stack_of(around.event.op, names);
  if (!out.stack.empty()) out.place = out.stack.front();
  out.size = around.event.op.value;
  out.offset = around.event.op.offset;
  for (const analysis::LockHeld& held : around.held) {
    out.locks.push_back({names.display(ObjectKind::lock, index(held.lock)), held.mode, held.event,
                         place_of(held.site, names)});
  }
  out.last_sync = sync_of(around.last_sync, names);
  return out;
}

}  // namespace

Race resolve(const analysis::Finding& finding, const analysis::CircumstancesOfRace& around,
             std::span<const analysis::EngineRun> engines, const Names& names) {
  Race race;
  race.variable = names.display(ObjectKind::variable, index(finding.first.variable));
  race.earlier = access_of(finding.first.earlier, around.earlier, names);
  race.later = access_of(finding.first.later, around.later, names);
  for (std::size_t i = 0; i < engines.size(); ++i) {
    if (finding.instances[i] == 0) continue;
    race.engines.push_back({engines[i].name, finding.instances[i]});
    race.grade = std::max(race.grade, engines[i].row->grade);
  }
  race.variables = finding.variables;
  race.fingerprint = fingerprint_of(race.earlier.place, race.later.place, race.variable);
  race.why = why(race, {.next_signal = sync_of(around.earlier.next_signal, names),
                        .last_wait = sync_of(around.later.last_wait, names)});
  return race;
}

EngineReport resolve(const analysis::EngineRun& run) {
  return {run.name, run.row->notion, run.row->grade, run.pairs, run.counters, run.bytes};
}

}  // namespace deadheat::report
