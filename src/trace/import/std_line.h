// One line of STD text: thread|op(object)|location, and attributes in a fourth column where there are any.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "deadheat/event.h"
#include "deadheat/trace.h"

namespace deadheat::trace {

struct StdLine {
  std::string_view thread;
  std::string_view object;    // empty for kinds that have none
  std::string_view location;  // empty: no site
  Op op;                      // without site
};

// Why a line cannot be read: "unknown operation "x"".
using Reason = std::string;

// The line has no line end. Blank lines and comments are not for here.
tl::expected<StdLine, Reason> parse_std_line(std::string_view line);

// Longer thread names, object names and locations are refused.
inline constexpr std::size_t kMaxTextNameBytes = std::size_t{16} << 20;

// A line that begins with "#" is a comment, and a byte order mark in front of a line is passed over: no
// thread can have a name that begins so.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr bool can_name_thread(std::string_view name) {
  return !name.starts_with('#') && !name.starts_with(kByteOrderMark);
}

// The operation of that kind when a line has no attributes.
constexpr Op plain_op(EventKind kind) {
  return {.kind = kind, .order = has_order(kind) ? MemoryOrder::seq_cst : MemoryOrder::relaxed};
}

// A comment that begins so says whether the trace has all that matters, in the words of text_of(). Words that
// it does not know are taken for "unknown".
inline constexpr std::string_view kCompletenessComment = "# completeness:";
Completeness parse_completeness(std::string_view line);

// What a person is told was expected.
std::string std_line_expected();

}  // namespace deadheat::trace
