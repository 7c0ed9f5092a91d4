#include <nlohmann/json.hpp>

#include "evaluate/scores.h"
#include "evaluate/writers.h"

namespace deadheat::evaluate {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const std::optional<Edge>& edge) {
  if (!edge) return {};
  return {{"kind", edge->kind},
          {"object", edge->object},
          {"signal", edge->signal},
          {"wait", edge->wait},
          {"edges", edge->edges}};
}

Json json_of(const Score& s, const Contestant& contestant) {
  return {{"engine", contestant.name},
          {"found", s.found},
          {"missed", s.missed},
          {"unknown", s.unknown},
          {"recall", s.found + s.missed == 0 ? Json() : Json(s.recall())},
          {"sure", s.sure},
          {"alone", s.alone},
          {"reports", s.reports},
          {"judged", s.is_judged ? Json(s.judged) : Json()},
          {"false", s.is_judged ? Json(s.wrong) : Json()},
          {"cpu_s", s.cpu_s},
          {"peak_bytes", s.peak_bytes},
          {"runs", {{"done", s.runs[0]}, {"time", s.runs[1]}, {"memory", s.runs[2]}, {"failed", s.runs[3]}}}};
}

// What is known of a labelled pair, behind what there is.
void add_pair(Json& to, const labels::Pair& pair, const LookedAt& at) {
  to["earlier"] = pair.earlier;
  to["later"] = pair.later;
  to["race"] = pair.race;
  to["kind"] = pair.kind;
  to["variable"] = pair.variable;
  to["distance"] = pair.distance;
  to["proof"] = pair.proof;
  to["hb_edge"] = json_of(at.hb);
  to["shb_edge"] = json_of(at.shb);
  to["wcp_edge"] = json_of(at.wcp);
}

Json json_of(const Evaluation& x, const TraceResult& trace) {
  const labels::Truth& truth = trace.labelled.truth;
  Json pairs = Json::array(), runs = Json::array();
  for (std::size_t p = 0; p < truth.pairs.size(); ++p) {
    const labels::Pair& pair = truth.pairs[p];
    pairs.push_back(Json::object());
    add_pair(pairs.back(), pair, trace.pairs[p]);
  }
  for (std::size_t i = 0; i < trace.runs.size(); ++i) {
    const Run& run = trace.runs[i];
    Json verdicts = Json::array();
    for (std::size_t p = 0; p < truth.pairs.size(); ++p) verdicts.push_back(verdict_of(run, p));
    runs.push_back({{"engine", x.contestants[i].name},
                    {"end", name_of(run.end)},
                    {"why", run.why},
                    {"verdicts", std::move(verdicts)},
                    {"reports", run.reports},
                    {"places", run.places},
                    {"judged", run.judged},
                    {"false", run.wrong},
                    {"cpu_s", run.cpu_s},
                    {"peak_bytes", run.peak_bytes}});
  }
  const auto& published = trace.labelled.published_as_missed_by;
  return {{"folder", x.folders[trace.folder].path},
          {"trace", truth.trace},
          {"events", truth.events},
          {"threads", trace.threads},
          {"complete", truth.complete},
          {"published_as_missed_by", published ? Json(*published) : Json()},
          {"pairs", std::move(pairs)},
          {"runs", std::move(runs)}};
}

Json edges(const Evaluation& x) {
  Json out = Json::object();
  for (const auto& [kind, count] : edges_of(x))
    out[kind] = {{"hb", count.hb}, {"shb", count.shb}, {"wcp", count.wcp}};
  return out;
}

Json findings(const Evaluation& x) {
  Json out = Json::array();
  for (const Finding& finding : findings_of(x)) {
    const TraceResult& trace = x.traces[finding.trace];
    const labels::Pair& pair = trace.labelled.truth.pairs[finding.pair];
    out.push_back({{"trace", trace.labelled.path},
                   {"earlier", pair.earlier},
                   {"later", pair.later},
                   {"what", meaning_of(finding.what)}});
  }
  return out;
}

Json published(const Evaluation& x) {
  const Published published = published_of(x);
  Json differences = Json::array();
  for (const Published::Difference& one : published.differences) {
    differences.push_back(
        {{"trace", x.traces[one.trace].labelled.name}, {"published", one.published}, {"here", one.here}});
  }
  return {{"compared", published.compared}, {"differences", std::move(differences)}};
}

}  // namespace

std::string as_json(const Evaluation& x, std::string_view tool_version) {
  Json folders = Json::array(), engines = Json::array(), traces = Json::array();
  for (const labels::Folder& folder : x.folders) {
    folders.push_back({{"path", folder.path}, {"layout", folder.layout}, {"made_by", folder.made_by}});
  }
  const auto scores = scores_of(x);
  for (std::size_t i = 0; i < scores.size(); ++i) engines.push_back(json_of(scores[i], x.contestants[i]));
  for (const TraceResult& trace : x.traces) traces.push_back(json_of(x, trace));
  const Json json = {
      {"version", 1},
      {"tool", {{"name", "deadheat"}, {"version", tool_version}}},
      {"folders", std::move(folders)},
      {"limits", {{"cpu_s", static_cast<double>(x.limits.cpu.count()) / 1000}, {"bytes", x.limits.bytes}}},
      {"literal_threads", x.literal_threads},
      {"engines", std::move(engines)},
      {"first_edges", edges(x)},
      {"published", published(x)},
      {"findings", findings(x)},
      {"traces", std::move(traces)}};
  return text_of(json, 1) + "\n";
}

std::string verdicts_as_json_lines(const Evaluation& x) {
  std::string out;
  for (const TraceResult& trace : x.traces) {
    const labels::Truth& truth = trace.labelled.truth;
    for (std::size_t p = 0; p < truth.pairs.size(); ++p) {
      const labels::Pair& pair = truth.pairs[p];
      Json verdicts = Json::object();
      for (std::size_t i = 0; i < trace.runs.size(); ++i)
        verdicts[x.contestants[i].name] = verdict_of(trace.runs[i], p);
      Json line = {{"trace", truth.trace}, {"events", truth.events}, {"threads", trace.threads}};
      add_pair(line, pair, trace.pairs[p]);
      line["verdicts"] = std::move(verdicts);
      out += text_of(line) + "\n";
    }
  }
  return out;
}

}  // namespace deadheat::evaluate
