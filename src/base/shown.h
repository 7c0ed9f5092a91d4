// Foreign text in a message: short, on one line, and without bytes that would upset a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace deadheat::base {

// The text with control bytes, what is not UTF-8, and what changes the direction of text as \xNN; cut after
// about `limit` bytes with "...".
std::string shown(std::string_view text, std::size_t limit = 80);

// The same of text with lines and tabs, all of it.
enum class Colours : unsigned char { show_as_text, keep };  // those that our own reports have
std::string for_terminal(std::string_view text, Colours colours = Colours::show_as_text);

}  // namespace deadheat::base
