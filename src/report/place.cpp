#include "report/place.h"

#include <fmt/format.h>

#include <algorithm>
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

symbol::Binary binary_of(const Module& module, const Names& names) {
  return {names.strings[module.path], names.strings[module.build_id]};
}

// The address that a call returns to may be behind the function already; the one before it is in the call.
std::uint64_t of_call(std::uint64_t address) { return address == 0 ? 0 : address - 1; }

// True for a site of which nothing but its code address is known.
bool is_bare_address(const Site& site, const Names& names) {
  return site.module != 0 && site.module < names.modules.size() && site.text == 0 && site.file == 0 &&
         site.function == 0;
}

}  // namespace

std::string place_text(std::string_view file, std::uint32_t line, std::uint32_t column,
                       std::string_view function) {
  std::string out(file);
  if (line != 0) out += fmt::format(":{}", line);
  if (line != 0 && column != 0) out += fmt::format(":{}", column);
  if (!function.empty()) out += fmt::format("{}({})", out.empty() ? "" : " ", function);
  return out;
}

bool matches(const Pattern& pattern, const Place& place) {
  return (!place.text.empty() && pattern.matches(place.text)) ||
         (!place.function.empty() && pattern.matches(place.function)) ||
         (!place.file.empty() && pattern.matches(place.file)) ||
         (!place.module.empty() && pattern.matches(place.module));
}

bool is_of_system(const Place& place) {
  const auto begins = [](std::string_view path, std::initializer_list<std::string_view> folders) {
    return std::ranges::any_of(folders, [&](std::string_view folder) { return path.starts_with(folder); });
  };
  return begins(place.module, {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"}) ||
         (!place.module.empty() && begins(place.file, {"/usr/include/", "/usr/lib/"}));
}

std::size_t first_of_program(std::span<const Place> stack) {
  const auto found = std::ranges::find_if_not(stack, is_of_system);
  return found == stack.end() ? 0 : static_cast<std::size_t>(found - stack.begin());
}

std::vector<Place> frames_of(SiteId site, const Names& names, symbol::Symbolizer* symbols) {
  if (site == SiteId::none) return {};
  Place place{.text = names.display(site), .file = {}, .function = {}};
  if (index(site) >= names.sites.size()) return {place};
  const Site& known = names.sites[index(site)];
  if (known.module != 0 && known.module < names.modules.size()) {
    place.module = names.strings[names.modules[known.module].path];
    place.address = known.address;
  }
  if (!is_bare_address(known, names)) {
    if (known.file == 0 && known.function == 0) {
      read_text(place.text, place);
      return {place};
    }
    place.file = names.strings[known.file];
    place.function = names.strings[known.function];
    place.line = known.line;
    place.column = known.column;
    return {place};
  }
  std::vector<Place> out;
  if (symbols != nullptr) {
    const auto binary = binary_of(names.modules[known.module], names);
    for (const symbol::CodeFrame& frame : symbols->frames(binary, of_call(known.address))) {
      Place& shown = out.emplace_back(place);
      shown.file = frame.file;
      shown.function = frame.function;
      shown.line = frame.line;
      shown.column = frame.column;
      shown.inlined = frame.inlined;
      shown.text =
          place_text(frame.file.empty() ? place.text : frame.file, frame.line, frame.column, frame.function);
    }
  }
  if (out.empty()) out.push_back(place);
  return out;
}

Place place_of(SiteId site, const Names& names, symbol::Symbolizer* symbols) {
  auto frames = frames_of(site, names, symbols);
  return frames.empty() ? Place{} : std::move(frames.front());
}

}  // namespace deadheat::report
