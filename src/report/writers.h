// Reports for people and for programs: one writer a file, each a function of the model alone.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/terminal.h"
#include "deadheat/result.h"
#include "engine/registry.h"
#include "filter/registry.h"
#include "report/race.h"

namespace deadheat::report {

std::string as_text(const Report& report, const base::Terminal& terminal);

// What came of one trace.
struct Outcome {
  std::string trace;
  Result<Report> report;
};
// docs/report-json.md. "version": 1
std::string as_json(std::span<const Outcome> traces, std::string_view tool_version);

// The registries.
std::string engines_as_text(std::span<const engine::Row> rows, std::span<const filter::Row> filters,
                            const base::Terminal& terminal);
std::string engines_as_json(std::span<const engine::Row> rows, std::span<const filter::Row> filters);
std::string engines_as_markdown(std::span<const engine::Row> rows, std::span<const filter::Row> filters);

}  // namespace deadheat::report
