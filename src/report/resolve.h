// Findings with numbers become races with names.
#pragma once

#include "analysis/circumstances.h"
#include "analysis/findings.h"
#include "report/race.h"

namespace deadheat::report {

Race resolve(const analysis::Finding& finding, const analysis::CircumstancesOfRace& around,
             std::span<const analysis::EngineRun> engines, const Names& names);

EngineReport resolve(const analysis::EngineRun& run);

}  // namespace deadheat::report
