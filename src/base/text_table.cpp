#include "base/text_table.h"

#include <algorithm>

namespace deadheat::base {

namespace {

// Columns on a terminal: bytes that start a UTF-8 character.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  bool titled = false;
  for (const Column& column : columns_) {
    widths.push_back(column.title.empty() || widths.empty() ? 0 : width_of(column.title));
    titled |= !column.title.empty();
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  if (titled) widths[0] = std::max(widths[0] + 2, width_of(columns_[0].title)) - 2;
  const auto line = [&](std::size_t indent, auto&& cell) {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string_view value = cell(i);
      const std::size_t room = widths[i] + (i == 0 ? 2 - indent : 0);
      const std::string blanks(room - width_of(value), ' ');
      text.append(i == 0 ? indent : 2, ' ');
      if (columns_[i].align == Align::right) text.append(blanks);
      text.append(value);
      if (columns_[i].align == Align::left) text.append(blanks);
    }
    text.resize(text.find_last_not_of(' ') + 1);
    out.append(text).append("\n");
  };
  if (titled) line(0, [&](std::size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) {
    line(2, [&](std::size_t i) { return i < row.size() ? std::string_view(row[i]) : std::string_view(); });
  }
  return out;
}

}  // namespace deadheat::base
