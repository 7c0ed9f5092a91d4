#include "report/selection.h"

#include <algorithm>

#include "report/resolve.h"

namespace deadheat::report {

namespace {

bool concerns(const Pattern& pattern, const Place& place) {
  return pattern.matches(place.text) || (!place.module.empty() && pattern.matches(place.module));
}

bool concerns(const Pattern& pattern, const Race& race) {
  return concerns(pattern, race.earlier.place) || concerns(pattern, race.later.place) ||
         pattern.matches(race.variable) || race.fingerprint.begins_with(pattern.text());
}

bool wanted(const Selection& selection, const Race& race) {
  const auto hits = [&](const Pattern& pattern) { return concerns(pattern, race); };
  return (selection.only.empty() || std::ranges::any_of(selection.only, hits)) &&
         std::ranges::none_of(selection.ignore, hits);
}

}  // namespace

std::vector<bool> wanted(const analysis::Findings& findings, const analysis::Circumstances& circumstances,
                         const Selection& selection, symbol::Symbolizer* symbols) {
  const NamesFrom from{circumstances.names(), symbols};
  std::vector<bool> out;
  for (std::size_t i = 0; i < findings.races.size(); ++i) {
    const Race race =
        resolve(findings.races[i], circumstances.races[i], findings.engines, from, circumstances.around);
    out.push_back(wanted(selection, race));
  }
  return out;
}

Report select(const std::string& trace, const analysis::Findings& findings,
              const analysis::Circumstances& circumstances, const Selection& selection,
              Suppressions& suppressions, symbol::Symbolizer* symbols) {
  Report report{.trace = trace,
                .events = findings.events,
                .filters = {},
                .windows = {},
                .engines = {},
                .proving = {},
                .races = {},
                .suppressions = {}};
  report.limit = selection.limit;
  report.is_incomplete = std::ranges::any_of(findings.warnings, &Warning::is_incomplete);
  for (const analysis::FilterRun& run : findings.filters) report.filters.push_back(resolve(run));
  for (const analysis::EngineRun& run : findings.engines) report.engines.push_back(resolve(run));
  if (findings.windows) report.windows = resolve(*findings.windows, findings.events);
  report.proving = findings.proving;
  report.pairs_not_kept = findings.pairs_not_kept;
  suppressions.start_counting();
  // One at a time: of those that are not shown nothing is kept.
  const NamesFrom from{circumstances.names(), symbols};
  const std::vector<Merged> all = merged(findings.races, findings.engines, from);
  std::vector<const Merged*> in_order;  // the surest first
  for (const engine::Grade grade :
       {engine::Grade::observed, engine::Grade::proved, engine::Grade::candidate}) {
    for (const Merged& one : all) {
      if (grade_of(one.finding, findings.engines) == grade) in_order.push_back(&one);
    }
  }
  for (const Merged* const next : in_order) {
    const Merged& one = *next;
    // What no engine reported is a pair that was asked about: the answer is wanted, whatever it is.
    if (one.finding.refuted && !findings.engines.empty() &&
        grade_of(one.finding, findings.engines) == engine::Grade::candidate) {
      continue;  // counted with the proofs
    }
    Race race =
        resolve(one.finding, circumstances.races[one.of], findings.engines, from, circumstances.around);
    race.no_race = findings.no_race;
    if (!wanted(selection, race)) {
      ++report.passed_over;
    } else if (suppressions.hit(race) != nullptr) {
      ++report.suppressed;
    } else {
      ++report.by_grade[static_cast<std::size_t>(race.grade)];
      if (report.races.size() < selection.limit) report.races.push_back(std::move(race));
    }
  }
  report.suppressions = suppressions.used();
  return report;
}

}  // namespace deadheat::report
