// Paragraphs of plain text, wrapped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace deadheat::base {

// Lines of at most `width` columns, each behind `indent` blanks; the first `taken` columns of the first line
// are already used. Words longer than a line stay whole.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent, std::size_t taken = 0);

// Paragraphs are set apart by empty lines. One whose first line starts with a blank stays as it is.
std::vector<std::string_view> paragraphs(std::string_view text);
inline bool is_preformatted(std::string_view paragraph) { return paragraph.starts_with(' '); }

std::vector<std::string_view> lines_of(std::string_view text);

// What is between the separators: at least one part, which may be empty.
std::vector<std::string_view> split(std::string_view text, char separator);

// Without blanks, tabs and carriage returns at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace deadheat::base
