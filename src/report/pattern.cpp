#include "report/pattern.h"

namespace deadheat::report {

Pattern::Pattern(std::string_view text) : text_(text) {
  if (text.starts_with('^')) {
    from_begin_ = true;
    text.remove_prefix(1);
  }
  if (text.ends_with('$')) {
    to_end_ = true;
    text.remove_suffix(1);
  }
  while (true) {
    const std::size_t star = text.find('*');
    parts_.emplace_back(text.substr(0, star));
    if (star == std::string_view::npos) break;
    text.remove_prefix(star + 1);
  }
}

// Each part as early as possible, which leaves most to those behind it; a last one that is tied to the end is
// looked for there.
bool Pattern::matches(std::string_view text) const {
  std::size_t at = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::string& part = parts_[i];
    const bool tied_to_begin = i == 0 && from_begin_;
    if (to_end_ && i + 1 == parts_.size()) {
      if (text.size() - at < part.size()) return false;
      const std::size_t tail = text.size() - part.size();
      return text.substr(tail) == part && (!tied_to_begin || tail == 0);
    }
    const std::size_t found =
        tied_to_begin ? (text.starts_with(part) ? 0 : std::string_view::npos) : text.find(part, at);
    if (found == std::string_view::npos) return false;
    at = found + part.size();
  }
  return true;
}

}  // namespace deadheat::report
