#include "report/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "report/why.h"

namespace deadheat::report {

namespace {

// A stack's id is greater than its caller's, so this ends; what a damaged trace makes of it stays short.
constexpr std::size_t kMostFrames = 1000;

std::vector<Place> stack_of(const Op& op, const NamesFrom& from) {
  const Names& names = from.names;
  std::vector<Place> out;
  const auto add = [&](SiteId site) {
    for (Place& place : frames_of(site, names, from.symbols)) out.push_back(std::move(place));
  };
  add(op.site);
  for (StackId at = op.stack; at != StackId::none && index(at) < names.stacks.size();) {
    const Frame& frame = names.stacks[index(at)];
    // A recorder may give the access's own frame in its stack too.
    const bool itself = at == op.stack && frame.site == op.site;
    if (!itself) add(frame.site);
    if (index(frame.caller) >= index(at) || out.size() >= kMostFrames) break;
    at = frame.caller;
  }
  return out;
}

}  // namespace

Place place_in_program(const Op& op, const NamesFrom& from) {
  const std::vector<Place> stack = stack_of(op, from);
  return stack.empty() ? Place{} : stack[first_of_program(stack)];
}

namespace {

std::optional<Made> made_by(const std::optional<model::NumberedEvent>& e, const NamesFrom& from) {
  if (!e) return {};
  return Made{.event = e->number,
              .by = from.names.display(ObjectKind::thread, index(e->event.thread)),
              .stack = stack_of(e->event.op, from)};
}

// Bytes of the variable that come before what the event touches; it may begin in one before.
std::uint64_t skipped(const Event& e, VarId x) { return e.object == index(x) ? e.op.offset : 0; }

// "0x7f0012345678"
std::optional<std::uint64_t> address_in(std::string_view name) {
  if (!name.starts_with("0x")) return {};
  std::uint64_t address = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + 2, end, address, 16);
  if (stop != end || error != std::errc{}) return {};
  return address;
}

std::optional<Memory::Global> global_in(const Module& module, std::uint64_t address, const NamesFrom& from) {
  const std::string_view path = from.names.strings[module.path];
  const auto variable =
      from.symbols->variable({path, from.names.strings[module.build_id]}, address - module.bias);
  if (!variable) return {};
  Place declared{.text = place_text(variable->file, variable->line, 0, ""),
                 .file = variable->file,
                 .function = {},
                 .line = variable->line};
  return Memory::Global{variable->name, variable->offset, std::move(declared), std::string(path)};
}

// In the module that was there. Traces that do not tell: the last one that has a variable there.
std::optional<Memory::Global> global_at(std::uint64_t address, std::uint64_t event, const NamesFrom& from) {
  const Names& names = from.names;
  if (from.symbols == nullptr) return {};
  if (!names.mappings.empty()) {
    const Mapping* const mapping = names.mapping_at(address, event);
    const bool is_module = mapping != nullptr && mapping->what == Mapping::What::module;
    return is_module ? global_in(names.modules[mapping->id], address, from) : std::nullopt;
  }
  for (std::size_t i = names.modules.size(); i-- > 1;) {
    if (auto found = global_in(names.modules[i], address, from)) return found;
  }
  return {};
}

// The thread whose stack it is; "": none.
std::string stack_at(std::uint64_t address, std::uint64_t event, const Names& names) {
  const Mapping* const mapping = names.mapping_at(address, event);
  if (mapping == nullptr || mapping->what != Mapping::What::stack) return "";
  return names.display(ObjectKind::thread, mapping->id);
}

std::string global_text(const Memory::Global& global) {
  return global.offset == 0 ? global.name : fmt::format("{}+{}", global.name, global.offset);
}
// 8 bytes of memory that no program has stand for a descriptor (docs/trace-format.md).
std::optional<std::string> descriptor_text(std::uint64_t address) {
  constexpr std::uint64_t kBegin = std::uint64_t{1} << 47, kBytes = 8, kMost = std::uint64_t{1} << 31;
  if (address < kBegin || (address - kBegin) / kBytes >= kMost) return {};
  return fmt::format("descriptor {}", (address - kBegin) / kBytes);
}
std::string stack_text(std::uint64_t address, std::string_view thread) {
  return fmt::format("{:#x} (stack of {})", address, thread);
}

// Memory that is new without being a block (a stack, a module) has an alloc which nobody called for.
bool is_block(const std::optional<model::NumberedEvent>& alloc) {
  return alloc && alloc->event.op.site != SiteId::none;
}

Memory memory_of(const model::RacePair& race, const analysis::CircumstancesOfRace& around,
                 const NamesFrom& from) {
  const VarId x = race.variable;
  Memory memory;
  const std::uint64_t skip = std::max(skipped(around.earlier.event, x), skipped(around.later.event, x));
  if (const auto cell = from.names.address_of(x)) memory.address = *cell + skip;
  const std::uint64_t event = race.later.event;
  const Mapping* const mapping = memory.address ? from.names.mapping_at(*memory.address, event) : nullptr;
  // The last word: a block may be where a stack was, and the other way round.
  const bool is_descriptor = memory.address && descriptor_text(*memory.address);
  if (around.alloc && !is_descriptor &&
      (mapping == nullptr || (is_block(around.alloc) && around.alloc->number > mapping->since))) {
    const Event& alloc = around.alloc->event;
    memory.block = {.size = alloc.op.value,
                    .offset = std::uint64_t{kCellBytes} * (index(x) - alloc.object) + skip,
                    .allocated = *made_by(around.alloc, from)};
  } else if (memory.address && from.names.variables[index(x)].empty()) {
    memory.global = global_at(*memory.address, event, from);
    memory.stack_of = stack_at(*memory.address, event, from.names);
  }
  return memory;
}

// "balance", "counters+8", "0x7f0012345678"
std::string variable_text(VarId x, const Memory& memory, const Names& names) {
  if (!names.variables[index(x)].empty()) return names.display(ObjectKind::variable, index(x));
  if (memory.global) return global_text(*memory.global);
  if (const auto text = memory.address ? descriptor_text(*memory.address) : std::nullopt) return *text;
  if (memory.address && !memory.stack_of.empty()) return stack_text(*memory.address, memory.stack_of);
  if (memory.address) return fmt::format("{:#x}", *memory.address);
  return names.display(ObjectKind::variable, index(x));
}

}  // namespace

std::string object_text(ObjectKind kind, std::uint32_t id, std::uint64_t event, const NamesFrom& from,
                        std::uint64_t offset) {
  if (kind == ObjectKind::none) return "";
  std::optional<std::uint64_t> address;
  if (kind == ObjectKind::variable && from.names.variables[id].empty()) {
    address = from.names.address_of(VarId{id});
    if (address) *address += offset;
  } else if (kind != ObjectKind::variable && kind != ObjectKind::thread) {
    address = address_in(from.names.of(kind)[id]);
  }
  if (const auto global = address ? global_at(*address, event, from) : std::nullopt) {
    return global_text(*global);
  }
  if (address && kind == ObjectKind::variable) {
    if (const auto text = descriptor_text(*address)) return *text;
  }
  if (address) {
    if (const auto thread = stack_at(*address, event, from.names); !thread.empty()) {
      return stack_text(*address, thread);
    }
  }
  return from.names.display(kind, id);
}

Sync sync_of(const model::NumberedEvent& e, const NamesFrom& from) {
  const Event& event = e.event;
  const ObjectKind kind = object_kind(event.op.kind);
  const Names& names = from.names;
  return Sync{.event = e.number,
              .kind = event.op.kind,
              .order = event.op.order,
              .thread = names.display(ObjectKind::thread, index(event.thread)),
              .object = object_text(kind, event.object, e.number, from, event.op.offset),
              .place = place_in_program(event.op, from)};
}

namespace {

std::optional<Sync> sync_of(const std::optional<model::NumberedEvent>& e, const NamesFrom& from) {
  return e ? std::optional(sync_of(*e, from)) : std::nullopt;
}

Access access_of(const model::Side& side, const analysis::Circumstance& around, const NamesFrom& from) {
  const Names& names = from.names;
  Access out;
  out.event = side.event;
  out.thread = names.display(ObjectKind::thread, index(side.thread));
  out.kind = side.kind;
  out.order = around.event.op.order;
  out.stack = stack_of(around.event.op, from);
  if (!out.stack.empty()) out.place = out.stack.front();
  out.size = around.event.op.value;
  out.offset = around.event.op.offset;
  for (const analysis::LockHeld& held : around.held) {
    out.locks.push_back({object_text(ObjectKind::lock, index(held.lock), held.event, from), held.mode,
                         held.event, place_in_program({.site = held.site, .stack = held.stack}, from)});
  }
  out.last_sync = sync_of(around.last_sync, from);
  out.created = made_by(around.fork, from);
  return out;
}

}  // namespace

Race resolve(const analysis::Finding& finding, const analysis::CircumstancesOfRace& around,
             std::span<const analysis::EngineRun> engines, const NamesFrom& from, analysis::Around known) {
  Race race;
  race.around = known;
  const VarId x = finding.first.variable;
  race.on = x;
  race.memory = memory_of(finding.first, around, from);
  race.variable = variable_text(x, race.memory, from.names);
  race.earlier = access_of(finding.first.earlier, around.earlier, from);
  race.later = access_of(finding.first.later, around.later, from);
  for (std::size_t i = 0; i < engines.size(); ++i) {
    if (finding.instances[i] == 0) continue;
    race.engines.push_back({engines[i].name, finding.instances[i]});
  }
  race.grade = grade_of(finding, engines);
  if (finding.proof)
    race.proof = {finding.proof->witness, std::string(finding.proof->how), finding.proof->grade};
  race.consequence = finding.refuted && !finding.proof;
  race.variables = finding.variables;
  race.fingerprint = fingerprint_of(race.earlier.place, race.later.place, race.variable);
  race.why = why(race, {.next_signal = sync_of(around.earlier.next_signal, from),
                        .last_wait = sync_of(around.later.last_wait, from)});
  return race;
}

namespace {
bool is_looked_up(const Place& place) { return !place.module.empty() && !place.file.empty(); }
}  // namespace

std::vector<Merged> merged(std::span<const analysis::Finding> findings,
                           std::span<const analysis::EngineRun> engines, const NamesFrom& from) {
  std::vector<Merged> out;
  std::unordered_map<std::uint64_t, std::size_t> by_lines;  // fingerprint to place in `out`
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const analysis::Finding& finding = findings[i];
    const Place one = place_of(finding.first.earlier.site, from.names, from.symbols);
    const Place other = place_of(finding.first.later.site, from.names, from.symbols);
    const bool is_line = is_looked_up(one) && is_looked_up(other);
    const std::uint64_t print = is_line ? fingerprint_of(one, other, "").value : 0;
    if (const auto known = by_lines.find(print); is_line && known != by_lines.end()) {
      analysis::Finding& sum = out[known->second].finding;
      for (std::size_t k = 0; k < sum.instances.size(); ++k) sum.instances[k] += finding.instances[k];
      for (const VarId x : finding.on) {
        if (std::ranges::find(sum.on, x) == sum.on.end()) sum.on.push_back(x);
      }
      // Better one that is proved; its circumstances are those of the finding it comes from.
      if (!sum.proof && finding.proof && grade_of(sum, engines) == engine::Grade::candidate) {
        sum.first = finding.first;
        out[known->second].of = i;
      }
      if (!sum.proof) sum.proof = finding.proof;
      sum.refuted = sum.refuted && finding.refuted;
      sum.variables = std::min<std::uint64_t>(std::max({sum.variables, finding.variables, sum.on.size()}),
                                              analysis::kVariablesCounted);
      continue;
    }
    if (is_line) by_lines.emplace(print, out.size());
    out.push_back({finding, i});
  }
  return out;
}

FilterReport resolve(const analysis::FilterRun& run) {
  return {run.name, run.seen, run.kept, run.counters, run.bytes};
}

EngineReport resolve(const analysis::EngineRun& run) {
  // One engine has its notion by an option.
  const bool adjacent = run.name.find("notion=adjacent") != std::string::npos;
  const engine::Notion notion = adjacent ? engine::Notion::adjacent : run.row->notion;
  return {run.name, notion, run.grade(), run.pairs, run.counters, run.bytes};
}

// Theorem 3.3: each window by itself shows a race with probability 2 eps / 15 at least.
WindowsReport resolve(const analysis::WindowsRun& run, std::uint64_t events) {
  WindowsReport out{.name = run.name,
                    .eps = run.plan.eps,
                    .delta = run.plan.delta,
                    .seed = run.seed,
                    .m = run.plan.m,
                    .length = run.plan.length,
                    .drawn = run.plan.count,
                    .kept = run.kept,
                    .windows = run.windows,
                    .events = run.events,
                    .bytes_read = run.bytes_read,
                    .file_bytes = run.file_bytes,
                    .steps = run.steps,
                    .whole = run.whole,
                    .one_pass = run.one_pass,
                    .cut_short = run.cut_short};
  if (run.whole) {
    out.edits = 1;
    out.probability = 1;
  } else if (!run.cut_short && run.kept > 0) {
    out.edits = static_cast<std::uint64_t>(std::ceil(run.plan.eps * static_cast<double>(events)));
    out.probability = run.kept >= run.plan.count
                          ? 1 - run.plan.delta
                          : 1 - std::pow(1 - 2 * run.plan.eps / 15, static_cast<double>(run.kept));
  }
  return out;
}

}  // namespace deadheat::report
