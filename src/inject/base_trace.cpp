#include "inject/base_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/format.h"
#include "base/random.h"
#include "inject/overlap.h"
#include "model/well_formed.h"
#include "solve/holders.h"
#include "solve/prove.h"
#include "solve/rules.h"

namespace deadheat::inject {

namespace {

// Of a trace that is held in memory.
constexpr std::uint64_t kMostEvents = std::uint64_t{1} << 30, kMostVariables = std::uint64_t{1} << 30;
constexpr std::uint64_t kManyCells = 4096;  // of one read

NameTable copy(const NameTable& names) {
  NameTable out;
  for (std::uint32_t id = 0; id < names.size(); ++id) out.add(names[id]);
  return out;
}
Names copy(const Names& names) {
  Names out;
  out.strings = copy(names.strings);
  for (const ObjectKind kind : {ObjectKind::thread, ObjectKind::lock, ObjectKind::variable,
                                ObjectKind::channel, ObjectKind::barrier}) {
    out.of(kind) = copy(names.of(kind));
  }
  out.sites = names.sites;
  out.stacks = names.stacks;
  out.modules = names.modules;
  out.regions = names.regions;
  out.mappings = names.mappings;
  return out;
}

Status check(const std::string& path, const model::WellFormed& survey, const Names& names) {
  for (const model::Violation& v : survey.kept()) {
    if (v.rule == model::Rule::fork_repeated) continue;
    return input_error(
        fmt::format("{}: event {}: {}: races are put into well-formed traces only; 'deadheat check' tells "
                    "all that is wrong, "
                    "'deadheat repair' mends some of it",
                    path, base::grouped(v.at.number), model::describe(v, names)));
  }
  return {};
}

// Forks that are there twice, the second right behind the first.
void leave_out_repeated(BaseTrace& base, const model::WellFormed& survey) {
  if (survey.ok()) return;
  const auto repeated = [](const Event& a, const Event& b) {
    return a.op.kind == EventKind::fork && b.op.kind == EventKind::fork && a.thread == b.thread &&
           a.object == b.object;
  };
  base.events.erase(std::unique(base.events.begin(), base.events.end(), repeated), base.events.end());
  base.warnings.push_back(
      {"the same fork twice in a row: the second one is left out", survey.total(model::Rule::fork_repeated)});
}

void find_switches(BaseTrace& base) {
  for (std::uint64_t i = 1; i < base.events.size(); ++i) {
    if (is_switch(base.events[i - 1], base.events[i])) base.switches.push_back(i);
  }
}

void find_state(BaseTrace& base) {
  solve::Holders holders;
  for (std::uint64_t i = 0; i < base.events.size(); ++i) {
    const Event& e = base.events[i];
    if (i % BaseTrace::kStep == 0) base.held.push_back(holders.all());
    holders.see(e);
    base.threads = std::max<std::uint64_t>(base.threads, index(e.thread) + std::uint64_t{1});
    for (const std::uint64_t word : {std::uint64_t{index(e.thread)}, static_cast<std::uint64_t>(e.op.kind),
                                     static_cast<std::uint64_t>(e.op.order), std::uint64_t{e.op.offset},
                                     e.op.value, std::uint64_t{e.object}}) {
      base.digest = base::Random(base.digest ^ word)();
    }
    if (!is_of_memory(e.op.kind)) continue;
    const std::uint64_t end = e.object + cells(e.op);
    if (end > base.first_variable)
      base.first_variable = static_cast<std::uint32_t>(std::min<std::uint64_t>(end, UINT32_MAX));
    if (!solve::reads(e.op.kind)) continue;
    if (end - e.object > kManyCells) {
      base.wide_reads.push_back({e.object, end, i + 1});
      continue;
    }
    if (base.last_read.size() < end) base.last_read.resize(end);
    for (std::uint64_t x = e.object; x < end; ++x) base.last_read[x] = i + 1;
  }
}

// Names for the fresh variables and sites. Variables of recordings are known by their addresses: there the
// fresh ones get such as are behind all others.
void name_injected(BaseTrace& base, std::uint32_t races) {
  Names& names = base.names;
  if (names.regions.empty()) {
    base.first_variable = std::max(base.first_variable, names.variables.size());
    while (names.variables.size() < base.first_variable) {
      names.variables.add(names.display(ObjectKind::variable, names.variables.size()));
    }
    for (std::uint32_t n = 1; n <= races; ++n) names.variables.add(fmt::format("INJECTED_{}", n));
  } else {
    const Region& last = names.regions.back();
    base.first_variable = std::max(base.first_variable, index(last.first) + last.cells);
    std::uint64_t address = 0;
    for (const Region& region : names.regions) {
      address = std::max(address, region.address + std::uint64_t{region.cells} * kCellBytes);
    }
    constexpr std::uint64_t kPage = 4096;
    names.add_region({VarId{base.first_variable}, (address / kPage + 2) * kPage, races});
  }
  base.first_site = static_cast<std::uint32_t>(names.sites.size());
  for (std::uint32_t n = 1; n <= races; ++n) {
    names.add_text_site(fmt::format("injected:{}:1", n));
    names.add_text_site(fmt::format("injected:{}:2", n));
  }
}

}  // namespace

bool is_switch(const Event& before, const Event& after) {
  return before.thread != after.thread && before.op.kind != EventKind::end &&
         after.op.kind != EventKind::begin;
}

std::vector<solve::Window::Held> BaseTrace::held_before(std::uint64_t at) const {
  const std::uint64_t from = std::min<std::uint64_t>(at / kStep, held.size() - 1) * kStep;
  return solve::part_of({from, std::span(events).subspan(from), held[from / kStep]}, at, at).held;
}

bool BaseTrace::read_behind(const Event& event, std::uint64_t from) const {
  const std::uint64_t end = std::min<std::uint64_t>(event.object + cells(event.op), last_read.size());
  for (std::uint64_t x = event.object; x < end; ++x) {
    if (last_read[x] > from) return true;
  }
  return std::ranges::any_of(wide_reads, [&](const WideRead& read) {
    return read.last > from && event.object < read.end && event.object + cells(event.op) > read.begin;
  });
}

Status prepare(BaseTrace& base, std::uint32_t races) {
  if (base.events.empty()) return input_error("has no events: there is nothing to put a race into");
  find_switches(base);
  if (base.switches.empty()) {
    const bool one = std::ranges::all_of(
        base.events, [&](const Event& e) { return e.thread == base.events.front().thread; });
    return input_error(fmt::format(
        "{}: a race is put where the run goes from one thread to another; record a run in "
        "which threads take turns",
        one ? "has one thread only" : "has no switch between threads at which both can still act"));
  }
  find_state(base);
  if (std::max<std::uint64_t>(base.first_variable, base.names.variables.size()) > kMostVariables) {
    return input_error(
        fmt::format("has more than {} variables, more than are held in memory; give a part of it",
                    base::grouped(kMostVariables)));
  }
  name_injected(base, races);
  return {};
}

Result<BaseTrace> load_base(const std::string& path, const ReadOptions& read, std::uint32_t races) {
  BaseTrace base;
  base.name = path == "-" ? "trace" : std::filesystem::path(path).filename().string();
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view ending : {".gz", ".zst", ".std", ".dht", ".txt", ".text"}) {
      if (!base.name.ends_with(ending) || base.name.size() == ending.size()) continue;
      base.name.resize(base.name.size() - ending.size());
      more = true;
    }
  }
  auto source = open_source(path, read);
  if (!source) return fail(source.error());
  model::WellFormed survey;
  for (;;) {
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    if (*block == nullptr) break;
    survey.feed(**block);
    if (base.events.size() + (*block)->size() > kMostEvents) {
      return input_error(
          fmt::format("{}: has more than {} events, more than are held in memory; give a part of it", path,
                      base::grouped(kMostEvents)));
    }
    for (std::size_t i = 0; i < (*block)->size(); ++i) base.events.push_back((**block)[i]);
  }
  base.warnings = (*source)->warnings();
  base.completeness = (*source)->completeness();
  if (const Status ok = check(path, survey, (*source)->names()); !ok) return fail(ok.error());
  leave_out_repeated(base, survey);
  base.names = copy((*source)->names());
  if (const Status ok = prepare(base, races); !ok) return fail(Error(ok.error()).in(path));
  return base;
}

}  // namespace deadheat::inject
