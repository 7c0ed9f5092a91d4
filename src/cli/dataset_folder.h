// A dataset, written as a folder that is never mistaken for a whole one before it is.
#pragma once

#include <string>

#include "deadheat/result.h"
#include "evaluate/dataset.h"

namespace deadheat::cli {

// The folder is made, or must be empty.
Status check_dataset_folder(std::string_view flag, const std::string& folder);
Status write_dataset(const std::string& folder, evaluate::Dataset dataset);

}  // namespace deadheat::cli
