#include "cli/verbs.h"

#include <fmt/format.h>

#include "cli/suggest.h"

namespace deadheat::cli {

// In the order of the help.
constexpr const Verb* kVerbs[] = {
    &kCc,      &kCxx,      &kEnv,    &kRecord,   &kDoctor, &kAnalyze, &kExplain, &kEngines,
    &kConvert, &kGenerate, &kInject, &kEvaluate, &kCheck,  &kStat,    &kRepair,  &kHelp,
};

std::span<const Verb* const> verbs() { return kVerbs; }

Result<const Verb*> find_verb(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Verb* verb : verbs()) {
    if (verb->name == name) return verb;
    names.push_back(verb->name);
  }
  return usage_error(
      fmt::format("unknown verb '{}'; {}'deadheat --help' lists the verbs", name, did_you_mean(name, names)));
}

}  // namespace deadheat::cli
