#include "cli/readable_twice.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/progress.h"
#include "cli/output.h"

namespace deadheat::cli {

namespace {

bool must_be_copied(const std::string& path) {
  if (path == "-") return true;
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  // Of a missing file and of a folder, opening them tells.
  return exists(status) && !is_regular_file(status) && !is_directory(status);
}

std::string temporary_folder() {
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != 0 ? named : "/tmp";
}

// A file that has lost its name already.
Result<int> nameless_file(const std::string& folder) {
  std::string name = folder + "/deadheat-XXXXXX";
  const int fd = mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) {
    Error error = base::errno_error(folder, "cannot make a temporary file");
    error.message += "; set TMPDIR to another folder, or give a file";
    return fail(std::move(error));
  }
  unlink(name.c_str());
  return fd;
}

Error with_name(Error error, const std::string& path, const std::string& name) {
  for (std::size_t at = 0; (at = error.message.find(path, at)) != std::string::npos; at += name.size()) {
    error.message.replace(at, path.size(), name);
  }
  return error;
}

Status copy(Source& source, Sink& sink) {
  base::ProgressLine line("copy", "events");
  while (true) {
    const auto block = source.next();
    if (!block) return fail(block.error());
    if (*block == nullptr) {
      sink.declare(source.completeness());
      return sink.finish();
    }
    if (auto ok = sink.append(**block, source.names()); !ok) return ok;
    const Progress progress = source.progress();
    line.update((*block)->first + (*block)->size(), progress.done_bytes, progress.total_bytes);
  }
}

}  // namespace

ReadableTwice::ReadableTwice(ReadableTwice&& other) noexcept
    : name_(std::move(other.name_)),
      path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      warnings_(std::move(other.warnings_)) {}

ReadableTwice::~ReadableTwice() {
  if (fd_ >= 0) close(fd_);
}

Error ReadableTwice::renamed(Error error) const {
  return fd_ < 0 ? std::move(error) : with_name(std::move(error), path_, name_);
}

Result<ReadableTwice> ReadableTwice::open(const std::string& path, const ReadOptions& options) {
  if (!must_be_copied(path)) return ReadableTwice(path, path, -1);
  auto source = open_source(path, options);
  if (!source) return fail(source.error());
  const std::string folder = temporary_folder();
  const auto fd = nameless_file(folder);
  if (!fd) return fail(fd.error());
  ReadableTwice out(input_name(path), fmt::format("/proc/self/fd/{}", *fd), *fd);
  const std::string copy_name = fmt::format("copy of {} in {}", input_name(path), folder);
  say(fmt::format("{}: can be read only once, so it is copied to a temporary file in {}", input_name(path),
                  folder));
  auto writer = TraceWriter::create(out.path_);
  if (!writer) return fail(with_name(std::move(writer.error()), out.path_, copy_name));
  if (auto copied = copy(**source, **writer); !copied) {
    say_warnings(input_name(path), (*source)->warnings());
    return fail(with_name(std::move(copied.error()), out.path_, copy_name));
  }
  out.warnings_ = (*source)->warnings();
  return out;
}

}  // namespace deadheat::cli
