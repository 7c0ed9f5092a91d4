// The registries for people: tables to choose from, each followed by what the rows promise.
#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::string table(std::span<const filter::Row> rows) {
  base::TextTable table({{"Filter", left}, {"chosen by", left}});
  for (const filter::Row& row : rows) {
    table.add({std::string(row.name), fmt::format("--{}", filter::flag_of(row.role))});
  }
  return table.text();
}

// What engines and filters have in common.
template <class Row>
std::string head(const Row& row, const base::Terminal& terminal) {
  const std::string name =
      terminal.colour ? fmt::format("\033[1m{}\033[0m", row.name) : std::string(row.name);
  return fmt::format("\n{}{}{}\n", name, row.citation.empty() ? "" : ": ", row.citation) +
         base::wrap(row.promise, terminal.width, 2) +
         base::wrap(fmt::format("Memory: {}", row.memory), terminal.width, 2);
}
template <class Row>
std::string options(const Row& row, const base::Terminal& terminal) {
  std::string out;
  for (const engine::Option& option : row.options) {
    const std::string spelling = option.value.empty()
                                     ? fmt::format("{}:{}", row.name, option.name)
                                     : fmt::format("{}:{}={}", row.name, option.name, option.value);
    const std::string initial =
        option.value.empty() || option.initial.empty() ? "" : fmt::format(" (default: {})", option.initial);
    out += base::wrap(fmt::format("{}  {}{}", spelling, option.help, initial), terminal.width, 2);
  }
  return out;
}

std::string details(const engine::Row& row, const base::Terminal& terminal) {
  std::string out = head(row, terminal);
  if (!row.ignores.empty()) out += base::wrap(fmt::format("Ignores {}", row.ignores), terminal.width, 2);
  return out + options(row, terminal);
}

std::string details(const filter::Row& row, std::span<const engine::Row> engines,
                    const base::Terminal& terminal) {
  const std::string before = fmt::format("{}", fmt::join(filter::stands_before(row, engines), ", "));
  return head(row, terminal) + base::wrap(fmt::format("May stand before {}", before), terminal.width, 2) +
         options(row, terminal);
}

}  // namespace

std::string engines_as_text(std::span<const engine::Row> rows, std::span<const filter::Row> filters,
                            const base::Terminal& terminal) {
  std::string out = table(rows);
  for (const engine::Row& row : rows) out += details(row, terminal);
  out += fmt::format("\n{}", table(filters));
  for (const filter::Row& row : filters) out += details(row, rows, terminal);
  return out;
}

}  // namespace deadheat::report
