#include "cli/runtime_files.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace deadheat::cli {

namespace {

namespace fs = std::filesystem;

bool has_runtime(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "libtsan.so.2", ignored);
}

}  // namespace

std::string own_path() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? std::string("deadheat") : path.string();
}

Result<std::string> runtime_folder() {
  if (const char* const given = std::getenv("DEADHEAT_RUNTIME_DIR"); given != nullptr && *given != 0) {
    if (has_runtime(given)) return fs::absolute(given).string();
    return io_error(
        fmt::format("{}: has no runtime (libtsan.so.2); DEADHEAT_RUNTIME_DIR names this folder", given));
  }
  const fs::path here = fs::path(own_path()).parent_path();
  const fs::path built = here / "runtime", installed = here.parent_path() / "lib" / "deadheat";
  for (const fs::path& folder : {built, installed}) {
    if (has_runtime(folder)) return folder.string();
  }
  return io_error(
      fmt::format("the runtime (libtsan.so.2) is neither in {} nor in {}; build or install it, or set "
                  "DEADHEAT_RUNTIME_DIR",
                  built.string(), installed.string()));
}

}  // namespace deadheat::cli
