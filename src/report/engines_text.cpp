// The registry for people: a table to choose from, then each engine's promise.
#include <fmt/format.h>

#include "base/text_layout.h"
#include "base/text_table.h"
#include "report/writers.h"

namespace deadheat::report {

namespace {

using enum base::TextTable::Align;

std::string_view grade_word(const engine::Row& row) {
  return row.notion == engine::Notion::none ? "" : name_of(row.grade);
}

std::string table(std::span<const engine::Row> rows) {
  base::TextTable table({{"Engine", left}, {"reports", left}, {"evidence", left}, {"passes"}});
  for (const engine::Row& row : rows) {
    table.add({std::string(row.name), std::string(name_of(row.notion)), std::string(grade_word(row)),
               std::to_string(row.passes)});
  }
  return table.text();
}

std::string details(const engine::Row& row, const base::Terminal& terminal) {
  const std::string name =
      terminal.colour ? fmt::format("\033[1m{}\033[0m", row.name) : std::string(row.name);
  std::string out = fmt::format("\n{}{}{}\n", name, row.citation.empty() ? "" : ": ", row.citation);
  out += base::wrap(row.promise, terminal.width, 2);
  out += base::wrap(fmt::format("Memory: {}", row.memory), terminal.width, 2);
  if (!row.ignores.empty()) out += base::wrap(fmt::format("Ignores {}", row.ignores), terminal.width, 2);
  for (const engine::Option& option : row.options) {
    const std::string spelling = option.value.empty()
                                     ? fmt::format("{}:{}", row.name, option.name)
                                     : fmt::format("{}:{}={}", row.name, option.name, option.value);
    const std::string initial = option.value.empty() ? "" : fmt::format(" (default: {})", option.initial);
    out += base::wrap(fmt::format("{}  {}{}", spelling, option.help, initial), terminal.width, 2);
  }
  return out;
}

}  // namespace

std::string engines_as_text(std::span<const engine::Row> rows, const base::Terminal& terminal) {
  std::string out = table(rows);
  for (const engine::Row& row : rows) out += details(row, terminal);
  return out;
}

}  // namespace deadheat::report
