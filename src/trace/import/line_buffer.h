// Text in large pieces, each ending anywhere, with the marks of the lines in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "deadheat/result.h"
#include "trace/byte_input.h"
#include "trace/import/marks.h"

namespace deadheat::trace {

class LineBuffer {
 public:
  // `head` holds bytes already taken from the input.
  LineBuffer(std::unique_ptr<ByteInput> input, std::string head);

  // Positions are counted from here. Before the first and after the last line, kPadding bytes can be read.
  const char* text() const { return buffer_.data(); }
  static constexpr std::size_t kPadding = 16;

  // Where the next line begins, and the marks from there on.
  std::uint32_t begin() const { return begin_; }
  std::span<const std::uint32_t> marks() const {
    return {marks_.data() + first_mark_, marks_end_ - first_mark_};
  }
  // Which of the marks ends the next line; marks().size() if its end has not come yet. However often a long
  // line is asked for as it grows, no mark is looked at twice.
  std::size_t find_line_end();
  std::string_view pending() const { return {buffer_.data() + begin_, end_ - begin_}; }

  // Goes on at `begin`; `marks` of the marks are before it.
  void take(std::uint32_t begin, std::size_t marks) {
    begin_ = begin;
    first_mark_ += marks;
    no_line_ends_ -= std::min(no_line_ends_, marks);
  }
  void take_all() { take(end_, marks_end_ - first_mark_); }

  // Adds more text behind what is pending; false at the end of the input. A last line without line end gets
  // one. What is pending moves: positions taken before are void.
  Result<bool> refill();

  Progress progress() const { return input_->progress(); }

 private:
  void make_room();
  Result<std::size_t> read(char* to, std::size_t bytes);

  std::unique_ptr<ByteInput> input_;
  std::string head_;
  std::size_t head_given_ = 0;
  FindMarks find_marks_;
  std::size_t piece_bytes_;
  std::vector<char> buffer_;
  std::vector<std::uint32_t> marks_;
  std::uint32_t begin_ = kPadding, end_ = kPadding;  // of the pending text
  std::size_t first_mark_ = 0, marks_end_ = 0;
  std::size_t no_line_ends_ = 0;  // so many of the marks, from the first on, are known to end no line
  bool at_end_ = false;
};

}  // namespace deadheat::trace
