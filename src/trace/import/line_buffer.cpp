#include "trace/import/line_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace deadheat::trace {

namespace {
// Small enough that text and marks are still in the second-level cache when they are used. The first pieces
// are smaller, for small files.
constexpr std::size_t kFirstPieceBytes = std::size_t{1} << 12;
constexpr std::size_t kPieceBytes = std::size_t{1} << 17;
}  // namespace

LineBuffer::LineBuffer(std::unique_ptr<ByteInput> input, std::string head)
    : input_(std::move(input)),
      head_(std::move(head)),
      find_marks_(best_find_marks()),
      piece_bytes_(kFirstPieceBytes),
      buffer_(kPadding + kFirstPieceBytes + kPadding),
      marks_(buffer_.size() + kMarkSlack) {}

void LineBuffer::make_room() {
  const std::size_t pending = end_ - begin_;
  if (begin_ > kPadding) {
    std::memmove(buffer_.data() + kPadding, buffer_.data() + begin_, pending);
    const auto by = begin_ - static_cast<std::uint32_t>(kPadding);
    std::transform(marks_.begin() + static_cast<std::ptrdiff_t>(first_mark_),
                   marks_.begin() + static_cast<std::ptrdiff_t>(marks_end_), marks_.begin(),
                   [by](std::uint32_t at) { return at - by; });
    marks_end_ -= std::exchange(first_mark_, 0);
    begin_ -= by;
    end_ -= by;
  }
  const std::size_t wanted = end_ + piece_bytes_ + kPadding;
  if (buffer_.size() < wanted) {
    buffer_.resize(std::max(wanted, 2 * buffer_.size()));
    marks_.resize(buffer_.size() + kMarkSlack);
  }
}

Result<std::size_t> LineBuffer::read(char* to, std::size_t bytes) {
  if (head_given_ == head_.size()) return input_->read(to, bytes);
  const std::size_t n = std::min(bytes, head_.size() - head_given_);
  std::memcpy(to, head_.data() + head_given_, n);
  head_given_ += n;
  return n;
}

std::size_t LineBuffer::find_line_end() {
  const auto here = marks();
  while (no_line_ends_ < here.size() && buffer_[here[no_line_ends_]] != '\n') ++no_line_ends_;
  return no_line_ends_;
}

Result<bool> LineBuffer::refill() {
  if (at_end_) return false;
  make_room();
  char* const to = buffer_.data() + end_;
  auto got = read(to, piece_bytes_);
  if (!got) return fail(std::move(got).error());
  std::size_t bytes = *got;
  if (bytes == piece_bytes_) piece_bytes_ = std::min(2 * piece_bytes_, kPieceBytes);
  if (bytes == 0) {
    at_end_ = true;
    if (begin_ == end_ || to[-1] == '\n') return false;
    *to = '\n';
    bytes = 1;
  }
  const std::uint32_t* const marks_end = find_marks_(to, bytes, end_, marks_.data() + marks_end_);
  marks_end_ = static_cast<std::size_t>(marks_end - marks_.data());
  end_ += static_cast<std::uint32_t>(bytes);
  return true;
}

}  // namespace deadheat::trace
