// A report for programs: docs/report-json.md says what is in it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/witness_file.h"
#include "report/words.h"
#include "report/writers.h"

namespace deadheat::report {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json or_null(std::uint64_t number) { return number == 0 ? Json() : Json(number); }

Json hexadecimal(std::uint64_t number) { return fmt::format("{:#x}", number); }

Json place_json(const Place& place) {
  if (!place.known()) return {};
  return {{"text", place.text},
          {"file", or_null(place.file)},
          {"line", or_null(place.line)},
          {"column", or_null(place.column)},
          {"function", or_null(place.function)},
          {"inlined", place.inlined},
          {"module", or_null(place.module)},
          {"address", place.module.empty() ? Json() : hexadecimal(place.address)}};
}

Json order_json(EventKind kind, MemoryOrder order) { return has_order(kind) ? Json(name_of(order)) : Json(); }

Json sync_json(const std::string& thread, const std::optional<Sync>& sync) {
  if (!sync) return {};
  return {{"event", sync->event},
          {"operation", name_of(sync->kind)},
          {"order", order_json(sync->kind, sync->order)},
          {"thread", sync->thread},
          {"object", or_null(sync->object)},
          {"site", place_json(sync->place)},
          {"text", what_it_did(thread, *sync)}};
}

Json stack_json(const std::vector<Place>& stack) {
  Json out = Json::array();
  for (const Place& place : stack) out.push_back(place_json(place));
  return out;
}

Json made_json(const Made& made) {
  return {{"event", made.event}, {"thread", made.by}, {"stack", stack_json(made.stack)}};
}

Json memory_json(const Memory& memory) {
  Json block, global;
  if (memory.block) {
    block = {{"size", or_null(memory.block->size)},
             {"offset", memory.block->offset},
             {"allocated", made_json(memory.block->allocated)}};
  }
  if (memory.global) {
    global = {{"name", memory.global->name},
              {"offset", memory.global->offset},
              {"file", or_null(memory.global->declared.file)},
              {"line", or_null(memory.global->declared.line)},
              {"module", memory.global->module}};
  }
  return {{"address", memory.address ? hexadecimal(*memory.address) : Json()},
          {"block", std::move(block)},
          {"global", std::move(global)},
          {"stack", or_null(memory.stack_of)}};
}

Json access_json(const Access& access) {
  Json locks = Json::array();
  for (const HeldLock& lock : access.locks) {
    locks.push_back({{"lock", lock.name},
                     {"mode", lock.mode == model::HeldLocks::Mode::shared ? "shared" : "exclusive"},
                     {"event", lock.event},
                     {"site", place_json(lock.acquired)}});
  }
  return {{"event", access.event},
          {"thread", access.thread},
          {"access", noun_of(access.kind)},
          {"order", order_json(access.kind, access.order)},
          {"site", place_json(access.place)},
          {"stack", stack_json(access.stack)},
          {"size", or_null(access.size)},
          {"offset", access.offset},
          {"locks", std::move(locks)},
          {"last_sync", sync_json(access.thread, access.last_sync)},
          {"created", access.created ? made_json(*access.created) : Json()}};
}

Json proof_json(const Proof& proof) {
  Json json = Json::parse(as_json(proof.witness));
  json["how"] = proof.how;
  return json;
}

Json race_json(const Race& race) {
  Json engines = Json::array();
  std::uint64_t most = 0;
  for (const ToldBy& told : race.engines) {
    engines.push_back({{"engine", told.engine}, {"instances", told.instances}});
    most = std::max(most, told.instances);
  }
  return {{"fingerprint", race.fingerprint.text()},
          {"kind", kind_of(race)},
          {"variable", race.variable},
          {"memory", memory_json(race.memory)},
          {"grade", name_of(race.grade)},
          {"earlier", access_json(race.earlier)},
          {"later", access_json(race.later)},
          {"why", race.why},
          {"consequence", race.consequence},
          {"proof", race.proof ? proof_json(*race.proof) : Json()},
          {"engines", std::move(engines)},
          {"instances", most},
          {"variables", race.variables}};
}

Json counters_json(std::span<const engine::Counter> counters) {
  Json json = Json::object();
  for (const engine::Counter& counter : counters) json[counter.name] = counter.value;
  return json;
}

Json filter_json(const FilterReport& filter) {
  return {{"filter", filter.name},
          {"seen", filter.seen},
          {"kept", filter.kept},
          {"counters", counters_json(filter.counters)},
          {"bytes", filter.bytes}};
}

Json engine_json(const EngineReport& engine) {
  return {{"engine", engine.name},
          {"notion", name_of(engine.notion)},
          {"grade", name_of(engine.grade)},
          {"instances", engine.instances},
          {"counters", counters_json(engine.counters)},
          {"bytes", engine.bytes}};
}

Json windows_json(const WindowsReport& w) {
  return {
      {"name", w.name},
      {"eps", w.eps},
      {"delta", w.delta},
      {"seed", w.seed},
      {"m", w.m},
      {"length", w.length},
      {"drawn", w.drawn},
      {"kept", w.kept},
      {"windows", w.windows},
      {"events", w.events},
      {"bytes_read", or_null(w.bytes_read)},
      {"file_bytes", or_null(w.file_bytes)},
      {"steps", w.steps},
      {"whole", w.whole},
      {"one_pass", w.one_pass},
      {"cut_short", w.cut_short},
      {"promise", w.probability == 0 ? Json() : Json{{"edits", w.edits}, {"probability", w.probability}}}};
}

Json proving_json(const analysis::ProvingRun& run) {
  return {{"proved", run.proved},       {"refuted", run.refuted},  {"consequences", run.consequences},
          {"not_found", run.not_found}, {"too_far", run.too_far},  {"time_is_up", run.time_is_up},
          {"grouped", run.grouped},     {"rejected", run.rejected}};
}

Json report_json(const Report& report) {
  Json filters = Json::array();
  for (const FilterReport& filter : report.filters) filters.push_back(filter_json(filter));
  Json engines = Json::array(), races = Json::array(), suppressions = Json::array(), grades = Json::object();
  for (const EngineReport& engine : report.engines) engines.push_back(engine_json(engine));
  for (const Race& race : report.races) races.push_back(race_json(race));
  for (const SuppressionUse& use : report.suppressions) {
    suppressions.push_back(
        {{"file", use.file}, {"line", use.line}, {"suppression", use.text}, {"races", use.races}});
  }
  for (const engine::Grade grade :
       {engine::Grade::observed, engine::Grade::proved, engine::Grade::candidate}) {
    grades[std::string(name_of(grade))] = report.by_grade[static_cast<std::size_t>(grade)];
  }
  return {{"trace", report.trace},
          {"error", nullptr},
          {"incomplete", report.is_incomplete},
          {"events", report.events},
          {"filters", std::move(filters)},
          {"windows", report.windows ? windows_json(*report.windows) : Json()},
          {"engines", std::move(engines)},
          {"proofs", report.proving ? proving_json(*report.proving) : Json()},
          {"found", report.found()},
          {"found_by_grade", std::move(grades)},
          {"not_shown", report.not_shown()},
          {"pairs_not_kept", report.pairs_not_kept},
          {"passed_over", report.passed_over},
          {"suppressed", report.suppressed},
          {"suppressions", std::move(suppressions)},
          {"races", std::move(races)}};
}

}  // namespace

std::string as_json(std::span<const Outcome> traces, std::string_view tool_version) {
  Json list = Json::array();
  for (const Outcome& outcome : traces) {
    list.push_back(outcome.report
                       ? report_json(*outcome.report)
                       : Json{{"trace", outcome.trace}, {"error", outcome.report.error().message}});
  }
  const Json json = {{"version", 1},
                     {"tool", {{"name", "deadheat"}, {"version", tool_version}}},
                     {"traces", std::move(list)}};
  // Names are bytes of any kind; what is not UTF-8 is replaced, because JSON cannot hold it.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace deadheat::report
