// What came of running engines on labelled traces.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/registry.h"
#include "evaluate/children.h"
#include "labels/folder.h"

namespace deadheat::evaluate {

// Who is asked about each trace: an engine, or several whose reports are then proved where possible.
struct Contestant {
  std::string name;
  std::vector<engine::Choice> engines;
  // As 'deadheat analyze' does it, with engines that depend on the trace: told are races, grouped by their
  // places, and what is refuted is not.
  bool as_analyze = false;
  std::chrono::milliseconds time_for_proofs{60'000};

  bool proves() const { return as_analyze || engines[0].row->grade == engine::Grade::proved; }
};

// The first edge on a path that an order has from the earlier access to the later one.
struct Edge {
  std::string kind;  // "lock", "fork", "join", "message", "barrier", "atomic", "value"
  std::string object;
  std::uint64_t signal = 0, wait = 0;  // events
  std::uint64_t edges = 1;             // on the path

  friend bool operator==(const Edge&, const Edge&) = default;
};

// Two accesses that are labelled, as the trace has them.
struct LookedAt {
  std::string kind, variable;
  std::uint32_t site1 = 0, site2 = 0;           // ids, 0: none
  std::uint32_t first_cell = 0, last_cell = 0;  // that both touch
  std::optional<Edge> hb{}, shb{}, wcp{};       // none: not ordered
};

// One contestant on one trace.
struct Run {
  End end = End::failed;
  std::string why;                                 // it failed
  std::vector<std::optional<engine::Grade>> told;  // by pair of the truth: how sure, if it is told
  std::uint64_t reports = 0;                       // pairs; races, if it is as 'analyze' tells them
  std::uint64_t places = 0;                        // pairs of places
  // Of the reports: of which the truth knows, and says no.
  std::uint64_t judged = 0, wrong = 0;
  double cpu_s = 0;
  std::uint64_t peak_bytes = 0;
};

struct TraceResult {
  std::size_t folder;  // in Evaluation::folders
  labels::LabelledTrace labelled;
  std::uint64_t threads = 0;
  std::vector<LookedAt> pairs{};  // of the truth
  std::vector<Run> runs{};        // by contestant
};

struct Evaluation {
  std::vector<labels::Folder> folders;  // their traces are in `traces`
  std::vector<Contestant> contestants;
  std::vector<TraceResult> traces;
  Limits limits;
  bool literal_threads = false;
};

struct EvaluateOptions {
  std::vector<Contestant> contestants;
  Limits limits;
  unsigned jobs = 1;
  ReadOptions read;
};

// Runs every contestant on every trace. A trace that is not the one its truth is about is an error.
Result<Evaluation> evaluate(std::vector<labels::Folder> folders, const EvaluateOptions& options);

}  // namespace deadheat::evaluate
