#include <fmt/format.h>

#include <utility>

#include "base/progress.h"
#include "evaluate/ask.h"
#include "evaluate/evaluation.h"
#include "evaluate/look.h"

namespace deadheat::evaluate {

namespace {

std::vector<Outcome> run_watched(const std::vector<Task>& tasks, std::string_view unit, unsigned jobs,
                                 const Limits& limits) {
  base::ProgressLine line("evaluate", unit);
  return run_children(tasks, jobs, limits, [&](std::size_t done) { line.update(done, done, tasks.size()); });
}

// To look at a trace is no run.
constexpr Limits kNoLimits{.cpu = std::chrono::hours(1000), .bytes = UINT64_MAX};

Status look_at_all(Evaluation& evaluation, const EvaluateOptions& options) {
  std::vector<Task> tasks;
  for (const TraceResult& trace : evaluation.traces) {
    tasks.emplace_back([&] { return as_message(look_at(trace.labelled, options.read)); });
  }
  const auto outcomes = run_watched(tasks, "traces", options.jobs, kNoLimits);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    TraceResult& trace = evaluation.traces[i];
    if (outcomes[i].end != End::done) {
      return io_error(fmt::format("{}: who looked at it {}", trace.labelled.path,
                                  outcomes[i].why.empty() ? "ran out of memory" : outcomes[i].why));
    }
    Look look = look_in(outcomes[i].said);
    if (!look.error.empty()) return input_error(look.error);
    trace.labelled.truth.events = look.events;
    trace.threads = look.threads;
    trace.pairs = std::move(look.pairs);
    for (std::size_t k = 0; k < trace.pairs.size(); ++k) {
      labels::Pair& pair = trace.labelled.truth.pairs[k];
      if (pair.kind.empty()) pair.kind = trace.pairs[k].kind;
      if (pair.variable.empty()) pair.variable = trace.pairs[k].variable;
    }
  }
  return {};
}

void run_all(Evaluation& evaluation, const EvaluateOptions& options) {
  std::vector<Task> tasks;
  for (const TraceResult& trace : evaluation.traces) {
    for (const Contestant& contestant : evaluation.contestants) {
      tasks.emplace_back(
          [&] { return as_message(ask(contestant, trace.labelled, trace.pairs, options.read)); });
    }
  }
  auto outcomes = run_watched(tasks, "runs", options.jobs, options.limits);
  std::size_t next = 0;
  for (TraceResult& trace : evaluation.traces) {
    for (std::size_t i = 0; i < evaluation.contestants.size(); ++i) {
      const Outcome& outcome = outcomes[next++];
      Run run;
      if (outcome.end == End::done) {
        run = run_in(outcome.said);
      } else {
        run.end = outcome.end;
        run.why = outcome.why;
        run.told.resize(trace.labelled.truth.pairs.size());
      }
      run.cpu_s = outcome.cpu_s;
      run.peak_bytes = outcome.peak_bytes;
      trace.runs.push_back(std::move(run));
    }
  }
}

}  // namespace

Result<Evaluation> evaluate(std::vector<labels::Folder> folders, const EvaluateOptions& options) {
  Evaluation evaluation{.folders = std::move(folders),
                        .contestants = options.contestants,
                        .traces = {},
                        .limits = options.limits,
                        .literal_threads = options.read.literal_threads};
  for (std::size_t i = 0; i < evaluation.folders.size(); ++i) {
    for (labels::LabelledTrace& trace : std::exchange(evaluation.folders[i].traces, {})) {
      evaluation.traces.push_back({.folder = i, .labelled = std::move(trace)});
    }
  }
  if (auto looked = look_at_all(evaluation, options); !looked) return fail(looked.error());
  run_all(evaluation, options);
  return evaluation;
}

}  // namespace deadheat::evaluate
