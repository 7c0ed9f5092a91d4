// docs/engines.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/why.h"
#include "report/writers.h"

namespace deadheat::report {

namespace {

std::string_view meaning_of_notion(engine::Notion notion) {
  switch (notion) {
    case engine::Notion::none:
      return "nothing: not a detector";
    case engine::Notion::unordered:
      return "two accesses of this run that happens-before does not order";
    case engine::Notion::co_enabled:
      return "two accesses that some correct reordering of the run leaves both next in their threads";
    case engine::Notion::adjacent:
      return "two accesses that some correct reordering of the run has one right before the other";
    case engine::Notion::candidate:
      return "two accesses that break a rule of thumb: nothing is proved";
  }
  return "";
}

template <class Row>
std::string options(const Row& row) {
  std::string out;
  for (const engine::Option& option : row.options) {
    const std::string value = option.value.empty() ? "" : fmt::format("={}", option.value);
    const std::string initial =
        option.value.empty() || option.initial.empty() ? "" : fmt::format(" (default: {})", option.initial);
    out += fmt::format("- Option `{}:{}{}`: {}{}.\n", row.name, option.name, value, option.help, initial);
  }
  return out;
}

std::string section(const engine::Row& row) {
  std::string out = fmt::format("\n## {}\n\n", row.name);
  if (!row.citation.empty()) out += fmt::format("{}.\n\n", row.citation);
  out += fmt::format("- Promise, for every well-formed trace: {}.\n", row.promise);
  out += fmt::format("- Reports: {}.\n", meaning_of_notion(row.notion));
  out += fmt::format("- Passes over the trace: {}. Memory: {}.\n", row.passes, row.memory);
  if (!row.ignores.empty()) out += fmt::format("- Ignores {}.\n", row.ignores);
  return out + options(row);
}

std::string section(const filter::Row& row, std::span<const engine::Row> engines) {
  std::string out = fmt::format("\n### {}\n\n", row.name);
  if (!row.citation.empty()) out += fmt::format("{}.\n\n", row.citation);
  out += fmt::format("- Promise: {}.\n", row.promise);
  out += fmt::format("- May stand before {}. Memory: {}.\n",
                     fmt::join(filter::stands_before(row, engines), ", "), row.memory);
  return out + options(row);
}

}  // namespace

std::string engines_as_markdown(std::span<const engine::Row> rows, std::span<const filter::Row> filters) {
  std::string out =
      "# Engines\n\n<!-- Made by `deadheat engines --format markdown`: change the tables in "
      "src/engine/registry.cpp and src/filter/registry.cpp, then run `scripts/generate-docs`. -->\n\n"
      "`deadheat analyze --engine NAME[,NAME...]` runs them, all in one pass over the trace. An option is "
      "given "
      "behind a colon: `NAME:option=value`.\n\n"
      "| engine | reports | evidence | passes | memory |\n| --- | --- | --- | --- | --- |\n";
  for (const engine::Row& row : rows) {
    out += fmt::format("| [{0}](#{0}) | {1} | {2} | {3} | {4} |\n", row.name, name_of(row.notion),
                       row.notion == engine::Notion::none ? "" : name_of(row.grade), row.passes, row.memory);
  }
  out += "\nWhat the evidence of a report is worth:\n\n";
  for (const engine::Grade grade :
       {engine::Grade::observed, engine::Grade::proved, engine::Grade::predicted, engine::Grade::candidate}) {
    out += fmt::format("- *{}*: {}.\n", name_of(grade), meaning_of(grade));
  }
  out +=
      "\nWhat is promised of pairs that can be made to meet is promised of the events of the trace. Engines "
      "pass "
      "over gaps and failed attempts, and do not know what a recording lacks: so their word alone, but for "
      "what was observed, proves nothing of the program, and a schedule that passed the check does "
      "([witnesses.md](witnesses.md)). `exact` keeps to gaps: what it tells of a complete trace is proved; "
      "where there are gaps, what it does not tell is not refuted.\n";
  for (const engine::Row& row : rows) out += section(row);
  out +=
      "\n## Filters and samplers\n\n"
      "`deadheat analyze --filter NAME` leaves out accesses that make no difference, `--sample NAME` looks "
      "only "
      "at some; [filters.md](filters.md) says how to choose. Options are given as to engines. How many "
      "accesses "
      "each left out is in the report.\n\n"
      "| filter | chosen by | memory |\n| --- | --- | --- |\n";
  for (const filter::Row& row : filters) {
    out += fmt::format("| [{0}](#{0}) | `--{1}` | {2} |\n", row.name, filter::flag_of(row.role), row.memory);
  }
  for (const filter::Row& row : filters) out += section(row, rows);
  return out;
}

}  // namespace deadheat::report
