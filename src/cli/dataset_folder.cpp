#include "cli/dataset_folder.h"

#include <fmt/format.h>

#include <filesystem>

#include "trace/text_file.h"

namespace deadheat::cli {

namespace {

namespace fs = std::filesystem;

// A copy, and no link: what is published does not change with what it was made of. A symbolic link may lead
// to anything, also to what is not to be published.
Status put_file(const std::string& from, const std::string& to) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(from, error))) {
    return io_error(
        fmt::format("{}: is no regular file, so it is not published; copy what it stands for into "
                    "the folder, if that is meant",
                    from));
  }
  fs::copy_file(from, to, error);
  if (error) return io_error(fmt::format("{}: cannot be copied from {}: {}", to, from, error.message()));
  return {};
}

}  // namespace

Status check_dataset_folder(std::string_view flag, const std::string& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return {};
  if (fs::is_directory(folder, error) && fs::is_empty(folder, error)) return {};
  return fail(
      {Error::Kind::usage, fmt::format("evaluate: --{}: {} is there already; give the name of a folder "
                                       "that is new, or empty",
                                       flag, folder)});
}

Status write_dataset(const std::string& folder, evaluate::Dataset dataset) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return io_error(fmt::format("{}: cannot make the folder: {}", folder, error.message()));
  const std::string set = fmt::format("{}/{}", folder, labels::kSetName);
  dataset.set.complete = false;
  if (auto begun = trace::write_file(set, labels::as_json(dataset.set)); !begun) return begun;
  for (const evaluate::Dataset::Link& link : dataset.links) {
    if (auto put = put_file(link.from, folder + "/" + link.name); !put) return put;
  }
  for (const evaluate::Dataset::File& file : dataset.files) {
    if (auto written = trace::write_file(folder + "/" + file.name, file.text); !written) return written;
  }
  dataset.set.complete = true;
  return trace::write_file(set, labels::as_json(dataset.set));
}

}  // namespace deadheat::cli
