#include "report/site_set.h"

#include <algorithm>

#include "report/place.h"

namespace deadheat::report {

namespace {

struct Rule {
  Pattern pattern;
  bool used = false;

  bool hits(std::span<const Place> frames) {
    const bool hit = std::ranges::any_of(frames, [&](const Place& place) { return matches(pattern, place); });
    used = used || hit;
    return hit;
  }
};

// Each is asked, so that it is known which are of no use.
bool any_hits(std::vector<Rule>& rules, std::span<const Place> frames) {
  bool hit = false;
  for (Rule& rule : rules) hit = rule.hits(frames) || hit;
  return hit;
}

std::vector<Rule> rules_of(std::span<const std::string> patterns) {
  std::vector<Rule> rules;
  for (const std::string& pattern : patterns) rules.push_back({Pattern(pattern)});
  return rules;
}

}  // namespace

NamedSites sites_named(const filter::SitePatterns& patterns, const Names& names,
                       symbol::Symbolizer* symbols) {
  std::vector<Rule> only = rules_of(patterns.only), ignore = rules_of(patterns.ignore);
  std::vector<bool> wanted = {only.empty()};
  for (std::uint32_t site = 1; site < names.sites.size(); ++site) {
    const std::vector<Place> frames = frames_of(SiteId{site}, names, symbols);
    const bool is_meant = any_hits(only, frames) || only.empty();
    wanted.push_back(!any_hits(ignore, frames) && is_meant);
  }
  NamedSites named{filter::SiteSet(std::move(wanted)), {}};
  for (const std::vector<Rule>* rules : {&only, &ignore}) {
    for (const Rule& rule : *rules) {
      if (!rule.used) named.unmatched.push_back(rule.pattern.text());
    }
  }
  return named;
}

}  // namespace deadheat::report
