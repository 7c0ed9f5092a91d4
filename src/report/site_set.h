// Which sites of a trace patterns mean.
#pragma once

#include <string>
#include <vector>

#include "deadheat/names.h"
#include "filter/sites.h"
#include "symbol/symbolizer.h"

namespace deadheat::report {

struct NamedSites {
  filter::SiteSet sites;
  std::vector<std::string> unmatched;  // patterns that no site has
};

// A pattern hits a site if it is found in the text, function, file or module of it, or of a function that it
// is inlined into. Names must be those of the whole trace.
NamedSites sites_named(const filter::SitePatterns& patterns, const Names& names, symbol::Symbolizer* symbols);

}  // namespace deadheat::report
