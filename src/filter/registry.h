// The one place where a filter is announced: those that leave out what makes no difference, and samplers. The
// command line, the documents and the tests read it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/registry.h"
#include "filter/filter.h"
#include "filter/sites.h"
#include "filter/windows.h"

namespace deadheat::filter {

enum class Role : std::uint8_t {
  redundancy,  // --filter: what it leaves out would not change the races that are found
  sample,      // --sample: it leaves out races, too
};

struct Row {
  std::string_view name;
  Role role;
  std::string_view citation;
  std::string_view promise;
  std::string_view memory;  // how it grows
  std::span<const engine::Option> options;
  // Why it may not stand before an engine; "" if it may.
  std::string_view (*refuses)(const engine::Row&);
  Result<std::unique_ptr<Filter>> (*make)(const engine::Settings&);
  // Of those that show engines windows of the trace, and nothing between them: there is nothing to make.
  Result<WindowOptions> (*windows)(const engine::Settings&) = nullptr;
  // Of those that go by names of sites: made of the sites that these mean, once the trace is known.
  Result<SitePatterns> (*sites)(const engine::Settings&) = nullptr;
};

std::span<const Row> rows();
// The flag that chooses such a filter, without its dashes.
std::string_view flag_of(Role role);
// The engines that it may stand before.
std::vector<std::string_view> stands_before(const Row& row, std::span<const engine::Row> engines);

// A filter as a user asks for it: "events:rate=0.03:seed=7".
struct Choice {
  const Row* row;
  std::vector<std::string> values;                 // of row->options
  std::shared_ptr<const SiteSet> sites = nullptr;  // of the trace, which the patterns mean

  std::string name() const { return engine::spelled(row->name, row->options, values); }
  Result<std::unique_ptr<Filter>> make() const;
  bool is_of_windows() const { return row->windows != nullptr; }
  Result<WindowOptions> windows() const;
  bool is_of_sites() const { return row->sites != nullptr; }
  Result<SitePatterns> site_patterns() const;
  // Whether its options make sense.
  Status check() const;
};
Result<Choice> choose(std::string_view wanted, Role role);

}  // namespace deadheat::filter
