// Findings with numbers become races with names.
#pragma once

#include <span>
#include <vector>

#include "analysis/circumstances.h"
#include "analysis/findings.h"
#include "report/race.h"
#include "symbol/symbolizer.h"

namespace deadheat::report {

// What names come from: the trace, and the files of code that it was recorded of (nullptr: these are not
// asked).
struct NamesFrom {
  const Names& names;
  symbol::Symbolizer* symbols = nullptr;
};

Race resolve(const analysis::Finding& finding, const analysis::CircumstancesOfRace& around,
             std::span<const analysis::EngineRun> engines, const NamesFrom& from,
             analysis::Around known = analysis::Around::trace);

// A line of the program may be code at several addresses: inlined, unrolled, copied. Findings whose places
// are the same lines are made one, the first of them, with the instances of all. `of` is the number of it in
// what was given.
struct Merged {
  analysis::Finding finding;
  std::size_t of = 0;
};
std::vector<Merged> merged(std::span<const analysis::Finding> findings, const NamesFrom& from);

FilterReport resolve(const analysis::FilterRun& run);
EngineReport resolve(const analysis::EngineRun& run);
WindowsReport resolve(const analysis::WindowsRun& run, std::uint64_t events);

}  // namespace deadheat::report
