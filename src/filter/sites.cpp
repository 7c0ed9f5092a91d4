#include "filter/sites.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/shown.h"
#include "base/text_layout.h"

namespace deadheat::filter {

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

Error usage(std::string message) { return {Error::Kind::usage, std::move(message)}; }

Result<std::vector<std::string>> patterns_in(std::string_view text) {
  std::vector<std::string> patterns;
  for (const std::string_view one : base::split(text, ',')) {
    if (one.empty()) return fail(usage("a pattern is empty; '*' would match everything"));
    patterns.emplace_back(one);
  }
  return patterns;
}

}  // namespace

Result<SitePatterns> site_patterns_in(std::string_view text, const std::string& file) {
  SitePatterns patterns;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::string_view whole = text.substr(0, text.find('\n')), line = base::trimmed(whole);
    text.remove_prefix(std::min(text.size(), whole.size() + 1));
    if (line.empty() || line[0] == '#') continue;
    const std::string_view type = line.substr(0, line.find(':'));
    const std::string_view pattern = base::trimmed(line.substr(std::min(line.size(), type.size() + 1)));
    if ((type != "only" && type != "ignore") || pattern.empty()) {
      return input_error(fmt::format("{}:{}: cannot read \"{}\"; expected only:PATTERN or ignore:PATTERN",
                                     file, number, base::shown(line)));
    }
    (type == "only" ? patterns.only : patterns.ignore).emplace_back(pattern);
  }
  if (patterns.only.empty() && patterns.ignore.empty()) {
    return input_error(
        fmt::format("{}: has no pattern; expected lines only:PATTERN or ignore:PATTERN", file));
  }
  return patterns;
}

Result<SitePatterns> site_patterns(const engine::Settings& settings) {
  const std::string &only = settings.get("only"), &ignore = settings.get("ignore"),
                    &path = settings.get("file");
  SitePatterns patterns;
  if (!path.empty()) {
    const auto file = base::File::open_to_read(path);
    if (!file) return fail(file.error());
    const auto text = file->read_text(kMostBytes);
    if (!text) return fail(text.error());
    return site_patterns_in(*text, file->name());
  }
  if (only.empty() && ignore.empty())
    return fail(usage("say which sites: only=PATTERNS, ignore=PATTERNS or file=FILE"));
  auto found = patterns_in(only.empty() ? ignore : only);
  if (!found) return fail(found.error());
  (only.empty() ? patterns.ignore : patterns.only) = std::move(*found);
  return patterns;
}

void Sites::filter(const SortedBlock& block, EventSet& kept) {
  const BlockView& events = block.events;
  wanted_.clear();
  for (const Op& op : events.ops) wanted_.push_back(sites_->has(op.site) ? 1 : 0);
  if (std::ranges::find(wanted_, 0) == wanted_.end()) return;
  keep_if(block, kept, [&](std::size_t i) { return wanted_[events.op[i]] != 0; });
}

}  // namespace deadheat::filter
