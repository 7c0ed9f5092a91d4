#include "report/place.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace deadheat::report {

namespace {

// A number behind the last colon, taken off the text.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  const std::string_view digits = text.substr(colon + 1);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return {};
  text = text.substr(0, colon);
  return number;
}

// "file:line", "file:line:column", either with " (function)" behind: as the text writer writes sites.
void read_text(std::string_view text, Place& place) {
  std::string_view function;
  if (const std::size_t open = text.rfind(" ("); open != std::string_view::npos && text.ends_with(')')) {
    function = text.substr(open + 2, text.size() - open - 3);
    text = text.substr(0, open);
  }
  const auto last = take_number(text);
  if (!last) return;
  const auto before = take_number(text);
  place.file = text;
  place.function = function;
  place.line = before ? *before : *last;
  place.column = before ? *last : 0;
}

}  // namespace

Place place_of(SiteId site, const Names& names) {
  Place place{.text = names.display(site), .file = {}, .function = {}};
  if (index(site) >= names.sites.size()) return place;
  const Site& known = names.sites[index(site)];
  if (known.file == 0 && known.function == 0) {
    read_text(place.text, place);
    return place;
  }
  place.file = names.strings[known.file];
  place.function = names.strings[known.function];
  place.line = known.line;
  place.column = known.column;
  return place;
}

}  // namespace deadheat::report
