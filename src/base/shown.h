// Foreign text in a message: short, on one line, and without bytes that would upset a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace deadheat::base {

// The text with control bytes and what is not UTF-8 as \xNN; cut after about `limit` bytes with "...".
std::string shown(std::string_view text, std::size_t limit = 80);

}  // namespace deadheat::base
