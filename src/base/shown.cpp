#include "base/shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace deadheat::base {

namespace {

unsigned char byte(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// Characters that change the direction of the text around them, or break the line: what is seen would not be
// what is there.
bool turns_text(std::string_view character) {
  static constexpr std::string_view kTurning[] = {"\u061C", "\u200E", "\u200F", "\u2028", "\u2029",
                                                  "\u202A", "\u202B", "\u202C", "\u202D", "\u202E",
                                                  "\u2066", "\u2067", "\u2068", "\u2069", "\uFEFF"};
  return std::ranges::find(kTurning, character) != std::end(kTurning);
}

// Length of the printable UTF-8 character in front, 0 if there is none.
std::size_t printable(std::string_view text) {
  const unsigned char first = byte(text, 0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(text, i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(text, 1);
  const bool control = first == 0xC2 && second < 0xA0;
  const bool too_long = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool no_character = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return control || too_long || no_character || turns_text(text.substr(0, length)) ? 0 : length;
}

// Length of "\033[1m" and the like in front: bold, a colour, or the end of it. Nothing that hides text.
std::size_t colour(std::string_view text) {
  constexpr std::string_view kStart = "\033[";
  if (!text.starts_with(kStart)) return 0;
  const std::size_t end = text.find('m');
  if (end == std::string_view::npos || end > kStart.size() + 2) return 0;
  const std::string_view number = text.substr(kStart.size(), end - kStart.size());
  const bool is_one = number == "0" || number == "1" || number == "2" ||
                      (number.size() == 2 && number[0] == '3' && number[1] >= '1' && number[1] <= '7');
  return is_one ? end + 1 : 0;
}

}  // namespace

std::string shown(std::string_view text, std::size_t limit) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= limit) return out + "...";
    const std::size_t length = printable(text);
    if (length > 0) {
      out += text.substr(0, length);
    } else {
      out += fmt::format("\\x{:02x}", byte(text, 0));
    }
    text.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

std::string for_terminal(std::string_view text, Colours colours) {
  std::string out;
  while (!text.empty()) {
    const bool is_layout = text[0] == '\n' || text[0] == '\t';
    std::size_t length = is_layout ? 1 : printable(text);
    if (length == 0 && colours == Colours::keep) length = colour(text);
    if (length > 0) {
      out += text.substr(0, length);
    } else {
      out += fmt::format("\\x{:02x}", byte(text, 0));
    }
    text.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

}  // namespace deadheat::base
