// Findings with numbers become races with names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
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

// Of memory, locks and the like a recording knows the address: a global variable has a name, and a stack a
// thread. The event: when; the offset: in the variable, which may be two of the program's.
inline constexpr std::uint64_t kAtTheEnd = UINT64_MAX;
std::string object_text(ObjectKind kind, std::uint32_t id, std::uint64_t event, const NamesFrom& from,
                        std::uint64_t offset = 0);

// Where the program asked for it: locks and threads are often taken inside headers of the system.
Place place_in_program(const Op& op, const NamesFrom& from);
Sync sync_of(const model::NumberedEvent& e, const NamesFrom& from);

// A line of the program may be code at several addresses: inlined, unrolled, copied. Findings whose places
// are the same lines are made one, the first of them, with the instances of all. `of` is the number of it in
// what was given.
struct Merged {
  analysis::Finding finding;
  std::size_t of = 0;
};
std::vector<Merged> merged(std::span<const analysis::Finding> findings,
                           std::span<const analysis::EngineRun> engines, const NamesFrom& from);

FilterReport resolve(const analysis::FilterRun& run);
EngineReport resolve(const analysis::EngineRun& run);
WindowsReport resolve(const analysis::WindowsRun& run, std::uint64_t events);

}  // namespace deadheat::report
