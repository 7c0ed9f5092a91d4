#include "base/shown.h"

#include <fmt/format.h>

namespace deadheat::base {

namespace {

unsigned char byte(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

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
  return control || too_long || no_character ? 0 : length;
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

}  // namespace deadheat::base
