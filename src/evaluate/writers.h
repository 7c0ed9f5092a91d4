// An evaluation for people and for programs: one writer a file.
#pragma once

#include <string>
#include <string_view>

#include "base/terminal.h"
#include "evaluate/evaluation.h"

namespace deadheat::evaluate {

std::string as_text(const Evaluation& evaluation, const base::Terminal& terminal);
// A line for each contestant on each trace.
std::string as_csv(const Evaluation& evaluation);
// A line for each contestant and each labelled pair.
std::string verdicts_as_csv(const Evaluation& evaluation);
// docs/evaluate.md. "version": 1
std::string as_json(const Evaluation& evaluation, std::string_view tool_version);
// The lines of verdicts_as_csv(), as JSON.
std::string verdicts_as_json_lines(const Evaluation& evaluation);
// One page without anything from elsewhere.
std::string as_html(const Evaluation& evaluation);

}  // namespace deadheat::evaluate
