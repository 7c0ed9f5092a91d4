// Accesses at some places of the program only, by name. Filters know sites by number: who opens the trace
// says which of them the patterns mean, before events flow.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/options.h"
#include "filter/filter.h"

namespace deadheat::filter {

// As a user has them: a site is looked at if one of `only` hits, or there are none, and none of `ignore`.
struct SitePatterns {
  std::vector<std::string> only, ignore;
};
Result<SitePatterns> site_patterns(const engine::Settings& settings);
// Of a file: lines only:PATTERN and ignore:PATTERN, and remarks behind #. `file` is what it is called in
// errors.
Result<SitePatterns> site_patterns_in(std::string_view text, const std::string& file);

// The sites of a trace that are looked at.
class SiteSet {
 public:
  // By site; [0] is of accesses whose place is not known.
  explicit SiteSet(std::vector<bool> wanted) : wanted_(std::move(wanted)) {}
  bool has(SiteId site) const { return wanted_[index(site) < wanted_.size() ? index(site) : 0]; }

 private:
  std::vector<bool> wanted_;
};

class Sites final : public Filter {
 public:
  explicit Sites(std::shared_ptr<const SiteSet> sites) : sites_(std::move(sites)) {}
  void filter(const SortedBlock& block, EventSet& kept) override;

 private:
  std::shared_ptr<const SiteSet> sites_;
  std::vector<std::uint8_t> wanted_;  // by operation of the block
};

}  // namespace deadheat::filter
