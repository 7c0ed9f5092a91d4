// The figures of an evaluation: who found what, who alone, what hides the rest.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluate/evaluation.h"

namespace deadheat::evaluate {

// Of a contestant, over all traces.
struct Score {
  std::uint64_t found = 0, missed = 0;  // races, in the runs that were done
  std::uint64_t unknown = 0;            // in those that were not
  std::uint64_t sure = 0;               // of those found: observed or proved
  std::uint64_t alone = 0;              // of those found: by nobody else
  std::uint64_t reports = 0;
  // Of the reports: of which the labels know, and say no. In folders whose labels say no to nothing, nothing
  // is judged.
  std::uint64_t judged = 0, wrong = 0;
  bool is_judged = false;
  double cpu_s = 0;                     // of all runs, done or not
  std::uint64_t peak_bytes = 0;         // of the run that took most
  std::array<std::uint64_t, 4> runs{};  // by their end

  std::uint64_t stopped() const { return runs[1] + runs[2] + runs[3]; }
  // Of the races in runs that were done; 0 if there are none.
  double recall() const {
    return found + missed == 0 ? 0 : static_cast<double>(found) / static_cast<double>(found + missed);
  }
};
std::vector<Score> scores_of(const Evaluation& evaluation);
std::string stops_of(const Score& score);  // "2 time, 1 memory"

// What a contestant made of the races of a trace.
struct Mark {
  End end{};
  std::uint64_t found = 0, missed = 0;
  std::uint64_t wrong = 0;
};
Mark mark_of(const TraceResult& trace, std::size_t contestant);

std::string_view name_of(End end);  // "done", "time", "memory", "failed"

// About a pair of the truth: "told", "not told", or how the run ended. And how sure: "proved"; "" if not
// told.
std::string_view verdict_of(const Run& run, std::size_t pair);
std::string_view grade_of(const Run& run, std::size_t pair);

// Traces of whose races the same contestants missed some, or did not come to an end.
struct Pattern {
  std::vector<std::size_t> missed, stopped;  // contestants
  std::vector<std::size_t> traces;
};
// Those that most traces have first.
std::vector<Pattern> patterns_of(const Evaluation& evaluation);

// How often each kind of edge is the first between the accesses of a race; "not ordered" is one.
struct EdgeCount {
  std::uint64_t hb = 0, shb = 0, wcp = 0;
};
std::map<std::string, EdgeCount> edges_of(const Evaluation& evaluation);
std::string words_of(const std::optional<Edge>& edge);  // "lock 5, events 17 and 30"

// Something to look at: a race that nobody found who proves nothing, or that 'analyze' would not tell.
struct Finding {
  enum class What : std::uint8_t { missed_by_unproven, missed_by_analyze, unproved_by_analyze };
  What what;
  std::size_t trace, pair;
};
std::vector<Finding> findings_of(const Evaluation& evaluation);
std::string_view meaning_of(Finding::What what);

// What the authors of traces published about who misses them, beside what was found.
struct Published {
  std::uint64_t compared = 0;  // traces
  struct Difference {
    std::size_t trace;
    std::vector<std::string> published, here;  // orders that miss it
  };
  std::vector<Difference> differences;
};
Published published_of(const Evaluation& evaluation);

}  // namespace deadheat::evaluate
