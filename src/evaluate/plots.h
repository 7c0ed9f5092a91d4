// Small plots as SVG, one a contestant, on the same axes: lines of a dozen engines on one would hide each
// other.
#pragma once

#include <string>

#include "evaluate/evaluation.h"

namespace deadheat::evaluate {

// The share of races that is found, by the distance of their accesses.
std::string recall_by_distance(const Evaluation& evaluation);
// CPU time of runs by the length of their traces.
std::string time_by_length(const Evaluation& evaluation);

}  // namespace deadheat::evaluate
