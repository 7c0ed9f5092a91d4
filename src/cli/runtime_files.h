// Where the runtime is that recorded programs run on.
#pragma once

#include <string>

#include "deadheat/result.h"

namespace deadheat::cli {

// The folder with the runtime: DEADHEAT_RUNTIME_DIR, else where it is built or installed beside this program.
// The error names the folders that were looked at.
Result<std::string> runtime_folder();

// This program itself.
std::string own_path();

}  // namespace deadheat::cli
