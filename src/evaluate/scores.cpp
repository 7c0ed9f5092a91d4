#include "evaluate/scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/format.h"

namespace deadheat::evaluate {

namespace {

// Calls f(trace, pair) for each race that is known.
template <class F>
void each_race(const Evaluation& evaluation, F&& f) {
  for (std::size_t t = 0; t < evaluation.traces.size(); ++t) {
    const auto& pairs = evaluation.traces[t].labelled.truth.pairs;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      if (pairs[p].race) f(t, p);
    }
  }
}

// By folder: whether its labels say of some pair that it is no race.
std::vector<bool> say_no(const Evaluation& evaluation) {
  std::vector<bool> out(evaluation.folders.size());
  for (const TraceResult& trace : evaluation.traces) {
    const labels::Truth& truth = trace.labelled.truth;
    if (truth.complete || !std::ranges::all_of(truth.pairs, &labels::Pair::race)) out[trace.folder] = true;
  }
  return out;
}

void add_run(Score& score, const Run& run, bool is_judged) {
  ++score.runs[static_cast<std::size_t>(run.end)];
  score.reports += run.reports;
  if (is_judged && run.end == End::done) {
    score.is_judged = true;
    score.judged += run.judged;
    score.wrong += run.wrong;
  }
  score.cpu_s += run.cpu_s;
  score.peak_bytes = std::max(score.peak_bytes, run.peak_bytes);
}

}  // namespace

std::vector<Score> scores_of(const Evaluation& evaluation) {
  std::vector<Score> scores(evaluation.contestants.size());
  const auto judged = say_no(evaluation);
  for (const TraceResult& trace : evaluation.traces) {
    for (std::size_t i = 0; i < scores.size(); ++i) add_run(scores[i], trace.runs[i], judged[trace.folder]);
  }
  each_race(evaluation, [&](std::size_t t, std::size_t p) {
    const auto& runs = evaluation.traces[t].runs;
    const auto finders = std::ranges::count_if(runs, [&](const Run& run) { return run.told[p].has_value(); });
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const auto& told = runs[i].told[p];
      ++(runs[i].end != End::done ? scores[i].unknown : told ? scores[i].found : scores[i].missed);
      scores[i].sure += told && *told >= engine::Grade::proved ? 1 : 0;
      scores[i].alone += told && finders == 1 ? 1 : 0;
    }
  });
  return scores;
}

std::string stops_of(const Score& score) {
  std::string out;
  for (const End end : {End::out_of_time, End::out_of_memory, End::failed}) {
    const std::uint64_t runs = score.runs[static_cast<std::size_t>(end)];
    if (runs > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", base::grouped(runs), name_of(end));
  }
  return out;
}

Mark mark_of(const TraceResult& trace, std::size_t contestant) {
  const Run& run = trace.runs[contestant];
  Mark mark{run.end, 0, 0, run.wrong};
  for (std::size_t p = 0; p < run.told.size() && run.end == End::done; ++p) {
    if (trace.labelled.truth.pairs[p].race) ++(run.told[p] ? mark.found : mark.missed);
  }
  return mark;
}

std::string_view verdict_of(const Run& run, std::size_t pair) {
  if (run.end != End::done) return name_of(run.end);
  return run.told[pair] ? "told" : "not told";
}

std::string_view grade_of(const Run& run, std::size_t pair) {
  return run.told[pair] ? engine::name_of(*run.told[pair]) : "";
}

std::string_view name_of(End end) {
  switch (end) {
    case End::done:
      return "done";
    case End::out_of_time:
      return "time";
    case End::out_of_memory:
      return "memory";
    case End::failed:
      return "failed";
  }
  return "";
}

std::vector<Pattern> patterns_of(const Evaluation& evaluation) {
  std::vector<Pattern> patterns;
  for (std::size_t t = 0; t < evaluation.traces.size(); ++t) {
    Pattern pattern;
    for (std::size_t i = 0; i < evaluation.contestants.size(); ++i) {
      const Mark mark = mark_of(evaluation.traces[t], i);
      if (mark.end != End::done) {
        pattern.stopped.push_back(i);
      } else if (mark.missed > 0) {
        pattern.missed.push_back(i);
      }
    }
    const auto same = std::ranges::find_if(patterns, [&](const Pattern& other) {
      return other.missed == pattern.missed && other.stopped == pattern.stopped;
    });
    (same != patterns.end() ? *same : patterns.emplace_back(std::move(pattern))).traces.push_back(t);
  }
  std::ranges::sort(patterns, [](const Pattern& a, const Pattern& b) {
    return a.traces.size() != b.traces.size() ? a.traces.size() > b.traces.size() : a.traces < b.traces;
  });
  return patterns;
}

std::map<std::string, EdgeCount> edges_of(const Evaluation& evaluation) {
  std::map<std::string, EdgeCount> counts;
  each_race(evaluation, [&](std::size_t t, std::size_t p) {
    const LookedAt& pair = evaluation.traces[t].pairs[p];
    ++counts[pair.hb ? pair.hb->kind : "not ordered"].hb;
    ++counts[pair.shb ? pair.shb->kind : "not ordered"].shb;
    ++counts[pair.wcp ? pair.wcp->kind : "not ordered"].wcp;
  });
  return counts;
}

std::string words_of(const std::optional<Edge>& edge) {
  if (!edge) return "not ordered";
  if (edge->edges == 0) return edge->kind;
  return fmt::format("{} {}, events {} and {}", edge->kind, edge->object, base::grouped(edge->signal),
                     base::grouped(edge->wait));
}

std::vector<Finding> findings_of(const Evaluation& evaluation) {
  std::vector<Finding> findings;
  each_race(evaluation, [&](std::size_t t, std::size_t p) {
    std::size_t unproven = 0, missed = 0;
    for (std::size_t i = 0; i < evaluation.contestants.size(); ++i) {
      const Run& run = evaluation.traces[t].runs[i];
      if (!evaluation.contestants[i].proves()) {
        ++unproven;
        missed += run.end == End::done && !run.told[p] ? 1 : 0;
      } else if (evaluation.contestants[i].as_analyze && run.end == End::done) {
        if (!run.told[p]) {
          findings.push_back({Finding::What::missed_by_analyze, t, p});
        } else if (*run.told[p] < engine::Grade::proved) {
          findings.push_back({Finding::What::unproved_by_analyze, t, p});
        }
      }
    }
    if (unproven > 0 && missed == unproven) findings.push_back({Finding::What::missed_by_unproven, t, p});
  });
  return findings;
}

std::string_view meaning_of(Finding::What what) {
  switch (what) {
    case Finding::What::missed_by_unproven:
      return "every engine that was asked and proves nothing misses it";
    case Finding::What::missed_by_analyze:
      return "'deadheat analyze' misses it";
    case Finding::What::unproved_by_analyze:
      return "'deadheat analyze' suspects it, and does not prove it";
  }
  return "";
}

namespace {

// Engines by the order whose misses are published.
std::vector<std::pair<std::string, std::size_t>> published_orders(const Evaluation& evaluation) {
  constexpr std::pair<const char*, const char*> kEngines[] = {
      {"hb", "djit"}, {"hb", "fasttrack"}, {"shb", "shb"}, {"wcp", "wcp"}, {"syncp", "syncp"}};
  std::vector<std::pair<std::string, std::size_t>> orders;
  for (const auto& [order, engine] : kEngines) {
    const auto at = std::ranges::find(evaluation.contestants, engine, &Contestant::name);
    const bool known = std::ranges::any_of(orders, [&](const auto& one) { return one.first == order; });
    if (at != evaluation.contestants.end() && !known)
      orders.emplace_back(order, static_cast<std::size_t>(at - evaluation.contestants.begin()));
  }
  return orders;
}

}  // namespace

Published published_of(const Evaluation& evaluation) {
  Published out;
  const auto orders = published_orders(evaluation);
  for (std::size_t t = 0; t < evaluation.traces.size() && !orders.empty(); ++t) {
    const TraceResult& trace = evaluation.traces[t];
    const auto& published = trace.labelled.published_as_missed_by;
    const auto is_done = [&](const auto& order) { return trace.runs[order.second].end == End::done; };
    if (!published || !std::ranges::all_of(orders, is_done)) continue;
    ++out.compared;
    Published::Difference both{t, {}, {}};
    for (const auto& [order, contestant] : orders) {
      if (std::ranges::find(*published, order) != published->end()) both.published.push_back(order);
      if (mark_of(trace, contestant).missed > 0) both.here.push_back(order);
    }
    if (both.published != both.here) out.differences.push_back(std::move(both));
  }
  return out;
}

}  // namespace deadheat::evaluate
