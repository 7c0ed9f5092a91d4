// What verbs that look for races have in common: flags, engines, and the way from a trace to a report.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyze.h"
#include "cli/verb.h"
#include "report/selection.h"
#include "symbol/symbolizer.h"

namespace deadheat::cli {

inline constexpr Flag kEngineFlag = {
    .name = "engine",
    .letter = 'e',
    .value = "NAMES",
    .help =
        "which engines look for races, with commas between them; 'deadheat engines' lists them (default: "
        "fasttrack,pwr-ee; of long traces fasttrack,pwr-ee-l)"};
inline constexpr Flag kBudgetFlag = {.name = "budget",
                                     .value = "SECONDS",
                                     .help =
                                         "how long to look for races that did not show, and for schedules "
                                         "that show them; with --engine: for schedules",
                                     .initial = "60"};
inline constexpr Flag kMemoryFlag = {
    .name = "memory",
    .value = "SIZE",
    .help =
        "for tables, races and proofs; what does not fit is counted (default: a quarter of the machine's)"};
inline constexpr Flag kJobsFlag = {
    .name = "jobs", .letter = 'j', .value = "N", .help = "threads at work (default: one a core)"};
inline constexpr Flag kSymbolsFlag = {
    .name = "symbols",
    .value = "DIR",
    .help = "look for the recorded program, its libraries and their debug files here too",
    .repeatable = true};
inline constexpr Flag kNoSymbolsFlag = {.name = "no-symbols", .help = "show code addresses as they are"};
inline constexpr Flag kUntrustedFlag = {
    .name = "untrusted",
    .help =
        "for a trace from strangers: open no files that it names (--no-symbols), and use at most 1 GiB "
        "of memory unless --memory says otherwise"};
inline constexpr Flag kLiteralThreadsFlag = {
    .name = "literal-threads", .help = "STD in: fork(151) means a thread called 151, never T151"};
inline constexpr Flag kSkipBadFlag = {.name = "skip-bad",
                                      .help = "STD in: leave out lines that cannot be read, and count them"};

// The engines with commas between them.
Result<std::vector<engine::Choice>> engines_of(std::string_view verb, std::string_view names);
ReadOptions read_options(const Arguments& arguments);
Result<std::chrono::milliseconds> budget_of(const Arguments& arguments);
Result<unsigned> jobs_of(const Arguments& arguments);
Result<std::uint64_t> memory_of(const Arguments& arguments);
// Whether files that the trace names may be looked into.
bool wants_symbols(const Arguments& arguments);

// How a trace is to be analysed, besides what engines are asked.
struct Wishes {
  report::Selection selection;
  bool full_context = false;  // not only what windows show
  bool proofs = true;
  std::chrono::milliseconds budget{60'000};  // for all but what engines do that were asked for, or observe
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  // So many races, in the order in which they are shown, are proved before the others.
  std::size_t shown_first = 0;
};

// If the options name no engine, it is those of analysis/portfolio.h.
Result<report::Report> analyze_trace(const std::string& path, analysis::AnalyzeOptions options,
                                     const Wishes& wishes, report::Suppressions& suppressions,
                                     symbol::Symbolizer* symbols);
// The same of the race between two events, of which no engine is asked.
Result<report::Report> analyze_pair(const std::string& path, const ReadOptions& read, std::uint64_t earlier,
                                    std::uint64_t later, const Wishes& wishes, unsigned jobs,
                                    symbol::Symbolizer* symbols);

}  // namespace deadheat::cli
