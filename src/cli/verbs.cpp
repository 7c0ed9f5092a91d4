#include "cli/verbs.h"

#include <fmt/format.h>

#include "cli/suggest.h"

namespace deadheat::cli {

// In the order of the help.
constexpr const Verb* kVerbs[] = {
    &cmd_cc::kVerb,      &cmd_cxx::kVerb,      &cmd_env::kVerb,     &cmd_record::kVerb,
    &cmd_doctor::kVerb,  &cmd_analyze::kVerb,  &cmd_explain::kVerb, &cmd_engines::kVerb,
    &cmd_convert::kVerb, &cmd_generate::kVerb, &cmd_inject::kVerb,  &cmd_evaluate::kVerb,
    &cmd_check::kVerb,   &cmd_stat::kVerb,     &cmd_repair::kVerb,  &cmd_help::kVerb,
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
