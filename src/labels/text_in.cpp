#include "labels/text_in.h"

#include "base/file.h"

namespace deadheat::labels {

namespace {
constexpr std::size_t kMostBytes = std::size_t{1} << 30;
}  // namespace

Result<std::string> read_text(const std::string& path) {
  const auto file = base::File::open_to_read(path);
  if (!file) return fail(file.error());
  return file->read_text(kMostBytes);
}

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

}  // namespace deadheat::labels
