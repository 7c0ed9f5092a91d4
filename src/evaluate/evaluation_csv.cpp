#include <fmt/format.h>

#include <cstdint>

#include "base/shown.h"
#include "evaluate/scores.h"
#include "evaluate/writers.h"

namespace deadheat::evaluate {

namespace {

// As RFC 4180 has it. What a spreadsheet would take for a formula begins with an apostrophe.
std::string field(std::string_view whole) {
  std::string text(whole.find_first_of("=+-@") == 0 ? 1 : 0, '\'');
  text += base::shown(whole, SIZE_MAX);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string edge_fields(const std::optional<Edge>& edge) {
  return edge ? fmt::format("{},{}", edge->kind, field(edge->object)) : ",";
}

}  // namespace

std::string as_csv(const Evaluation& x) {
  std::string out =
      "folder,trace,events,threads,complete,engine,end,races,found,missed,reports,places,judged,false,cpu_s,"
      "peak_bytes\n";
  for (const TraceResult& trace : x.traces) {
    const labels::Truth& truth = trace.labelled.truth;
    for (std::size_t i = 0; i < trace.runs.size(); ++i) {
      const Run& run = trace.runs[i];
      const Mark mark = mark_of(trace, i);
      std::uint64_t races = 0;
      for (const labels::Pair& pair : truth.pairs) races += pair.race ? 1 : 0;
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.6f},{}\n",
                         field(x.folders[trace.folder].path), field(trace.labelled.name), truth.events,
                         trace.threads, truth.complete, field(x.contestants[i].name), name_of(run.end), races,
                         mark.found, mark.missed, run.reports, run.places, run.judged, run.wrong, run.cpu_s,
                         run.peak_bytes);
    }
  }
  return out;
}

std::string verdicts_as_csv(const Evaluation& x) {
  std::string out =
      "trace,events,threads,earlier,later,race,kind,variable,distance,proof,hb_edge,hb_object,shb_edge,"
      "shb_object,wcp_edge,wcp_object,engine,verdict,grade\n";
  for (const TraceResult& trace : x.traces) {
    const labels::Truth& truth = trace.labelled.truth;
    for (std::size_t p = 0; p < truth.pairs.size(); ++p) {
      const labels::Pair& pair = truth.pairs[p];
      const std::string about =
          fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}", field(truth.trace), truth.events,
                      trace.threads, pair.earlier, pair.later, pair.race, field(pair.kind),
                      field(pair.variable), pair.distance, field(pair.proof), edge_fields(trace.pairs[p].hb),
                      edge_fields(trace.pairs[p].shb), edge_fields(trace.pairs[p].wcp));
      for (std::size_t i = 0; i < trace.runs.size(); ++i) {
        out += fmt::format("{},{},{},{}\n", about, field(x.contestants[i].name), verdict_of(trace.runs[i], p),
                           grade_of(trace.runs[i], p));
      }
    }
  }
  return out;
}

}  // namespace deadheat::evaluate
