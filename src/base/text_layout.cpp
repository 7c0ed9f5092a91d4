#include "base/text_layout.h"

namespace deadheat::base {

std::string wrap(std::string_view text, std::size_t width, std::size_t indent, std::size_t taken) {
  std::string out;
  std::size_t column = taken;
  bool first_word = true;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    if (text.empty()) break;
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(word.size());
    if (column < indent) {
      out.append(indent - column, ' ');
      column = indent;
    } else if (!first_word && column + 1 + word.size() > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (!first_word) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    first_word = false;
  }
  out += '\n';
  return out;
}

std::vector<std::string_view> paragraphs(std::string_view text) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const std::size_t end = text.find("\n\n");
    if (const std::string_view one = text.substr(0, end); !one.empty()) found.push_back(one);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 2);
  }
  return found;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    found.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return found;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    parts.push_back(text.substr(0, text.find(separator)));
    if (parts.back().size() == text.size()) return parts;
    text.remove_prefix(parts.back().size() + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace deadheat::base
