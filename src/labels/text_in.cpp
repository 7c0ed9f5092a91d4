#include "labels/text_in.h"

#include <fmt/format.h>

#include <vector>

#include "base/file.h"

namespace deadheat::labels {

namespace {
constexpr std::size_t kMostBytes = std::size_t{1} << 30;
}  // namespace

Result<std::string> read_text(const std::string& path) {
  const auto file = base::File::open_to_read(path);
  if (!file) return fail(file.error());
  std::string text;
  std::vector<char> buffer(1 << 16);
  while (true) {
    const auto bytes = file->read_some(buffer.data(), buffer.size());
    if (!bytes) return fail(bytes.error());
    if (*bytes == 0) return text;
    text.append(buffer.data(), *bytes);
    if (text.size() > kMostBytes) {
      return input_error(fmt::format("{}: has more than 1 GiB, this says nothing about a trace", path));
    }
  }
}

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

}  // namespace deadheat::labels
