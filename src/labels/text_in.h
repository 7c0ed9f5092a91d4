// Files of a labelled set, read as a whole.
#pragma once

#include <string>
#include <string_view>

#include "deadheat/result.h"

namespace deadheat::labels {

// Refuses what is larger than any such file.
Result<std::string> read_text(const std::string& path);

// It names a file in a folder, and nothing outside of it.
bool is_file_name(std::string_view name);

}  // namespace deadheat::labels
