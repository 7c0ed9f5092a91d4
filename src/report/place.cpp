#include "report/place.h"

namespace deadheat::report {

Place place_of(SiteId site, const Names& names) {
  Place place{.text = names.display(site), .file = {}, .function = {}};
  if (index(site) >= names.sites.size()) return place;
  const Site& known = names.sites[index(site)];
  place.file = names.strings[known.file];
  place.function = names.strings[known.function];
  place.line = known.line;
  place.column = known.column;
  return place;
}

}  // namespace deadheat::report
