// Results go to standard output through here, so that one that could not be written is noticed.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "deadheat/result.h"
#include "deadheat/trace.h"

namespace deadheat::cli {

// Never fails by itself: the first error is kept for finish_output().
void write_out(std::string_view text);

template <class... Values>
void print(fmt::format_string<Values...> format, Values&&... values) {
  write_out(fmt::format(format, std::forward<Values>(values)...));
}

// To standard error, as "deadheat: <text>".
void say(std::string_view text);

// One line each: "deadheat: warning: <trace>: <message> (12 times)".
void say_warnings(std::string_view trace, std::span<const Warning> warnings);
// Whether one of them was about input that ends before its end.
bool input_was_incomplete();

// What users are told instead of "-".
inline std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }
inline std::string output_name(const std::string& path) { return path == "-" ? "standard output" : path; }

// True once standard output has an error: a verb that would go on for long may stop.
bool output_failed();

// Flushes. The error says what the operating system said; see is_closed_output() for the one that is none.
Status finish_output();

// The reader of standard output closed it on purpose (`| head`), and that is what the error is about.
bool is_closed_output(const Error& error);

}  // namespace deadheat::cli
