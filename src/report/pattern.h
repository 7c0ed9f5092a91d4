// Patterns as in suppression files of ThreadSanitizer: found anywhere in the text, unless ^ ties the pattern
// to its begin or $ to its end; * stands for any characters. There is no way to quote these three.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace deadheat::report {

class Pattern {
 public:
  explicit Pattern(std::string_view text);

  bool matches(std::string_view text) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string> parts_;  // between the stars; the first and last may be empty
  bool from_begin_ = false, to_end_ = false;
};

}  // namespace deadheat::report
