// A text that is written to a file as a whole, or not at all.
#pragma once

#include <string>
#include <string_view>

#include "deadheat/result.h"

namespace deadheat::trace {

Status write_file(const std::string& path, std::string_view text);

}  // namespace deadheat::trace
