// All pairs of schedulable happens-before, by edge constraints: SHB^E+E.
// Sulzmann & Stadtmueller, "Predicting All Data Race Pairs for a Specific Schedule" (MPLR 2019), as told in
// their "Efficient, Near Complete and Often Sound Hybrid Dynamic Data Race Prediction" (2020), section 4.
// Tells the conflicting pairs (e, f) of which e need not be done when f is next: those of which shb flags f.
// With a limit, some of them: what the limit drops is counted. edge_detector.h does it.
#pragma once

#include <memory>

#include "engine/engine.h"
#include "engine/registry.h"

namespace deadheat::engine {

inline constexpr Option kShbEeOptions[] = {
    {"limit", "N|unlimited", "edges kept for each variable; 0: only what shb keeps", "25"},
    {"paper", "", "only pairs that are not ordered, and of a read only its write besides", "no"},
};
Result<std::unique_ptr<Engine>> make_shb_ee(const Settings& settings, Shape shape);

}  // namespace deadheat::engine
