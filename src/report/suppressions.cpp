#include "report/suppressions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/shown.h"
#include "base/text_layout.h"

namespace deadheat::report {

namespace {

constexpr std::string_view kOtherTypes[] = {"thread", "mutex", "signal", "deadlock", "called_from_lib"};
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

bool matches(const Pattern& pattern, const Access& access) {
  return std::ranges::any_of(access.stack, [&](const Place& place) { return matches(pattern, place); });
}

}  // namespace

Status Suppressions::read(const std::string& path) {
  const auto file = base::File::open_to_read(path);
  if (!file) return fail(file.error());
  const auto text = file->read_text(kMostBytes);
  if (!text) return fail(text.error());
  return parse(*text, file->name());
}

Status Suppressions::parse(std::string_view text, const std::string& file) {
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (auto ok = parse_line(base::trimmed(line), number, file); !ok) return ok;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

Status Suppressions::parse_line(std::string_view line, std::uint64_t number, const std::string& file) {
  if (line.empty() || line[0] == '#') return {};
  const std::size_t colon = line.find(':');
  const std::string_view type = line.substr(0, colon);
  const auto wrong = [&](std::string_view what) {
    return input_error(
        fmt::format("{}:{}: cannot read suppression \"{}\": {}; expected race:PATTERN or "
                    "race_top:PATTERN",
                    file, number, base::shown(line), what));
  };
  if (colon == std::string_view::npos) return wrong("there is no ':'");
  const std::string_view pattern = line.substr(colon + 1);
  if (std::ranges::find(kOtherTypes, type) != std::end(kOtherTypes)) {
    const std::string message = fmt::format("suppressions of type {} have no effect on races", type);
    const auto known = std::ranges::find(warnings_, message, &Warning::message);
    if (known != warnings_.end()) {
      ++known->count;
    } else {
      warnings_.push_back({message});
    }
    return {};
  }
  if (type != "race" && type != "race_top") return wrong(fmt::format("unknown type '{}'", base::shown(type)));
  if (pattern.empty()) return wrong("the pattern is empty; '*' would match everything");
  rules_.push_back({Pattern(pattern), type == "race_top", {file, number, std::string(line), 0}});
  return {};
}

const SuppressionUse* Suppressions::hit(const Race& race) {
  for (Rule& rule : rules_) {
    const bool hits =
        matches(rule.pattern, race.earlier.place) || matches(rule.pattern, race.later.place) ||
        (!rule.top_only && (matches(rule.pattern, race.earlier) || matches(rule.pattern, race.later) ||
                            rule.pattern.matches(race.variable)));
    if (!hits) continue;
    ++rule.use.races;
    return &rule.use;
  }
  return nullptr;
}

std::vector<SuppressionUse> Suppressions::used() const {
  std::vector<SuppressionUse> out;
  for (const Rule& rule : rules_) {
    if (rule.use.races > 0) out.push_back(rule.use);
  }
  return out;
}

void Suppressions::start_counting() {
  for (Rule& rule : rules_) rule.use.races = 0;
}

}  // namespace deadheat::report
