#include "trace/byte_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "trace/pack.h"

namespace deadheat::trace {

namespace {

class FileOutput final : public ByteOutput {
 public:
  FileOutput(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
  FileOutput(const FileOutput&) = delete;
  FileOutput& operator=(const FileOutput&) = delete;
  ~FileOutput() override {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }

  Status write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return failed(errno);
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
  }

  // Some file systems report a full disk only when the file is closed.
  Status finish() override {
    if (fd_ <= STDERR_FILENO) return {};
    const int closed = ::close(std::exchange(fd_, -1));
    if (closed != 0 && errno != EINTR) return failed(errno);
    return {};
  }

 private:
  Status failed(int error) const {
    if (error == EPIPE) {
      return fail({Error::Kind::closed_pipe, fmt::format("{}: the reader of the pipe has gone", name_)});
    }
    return io_error(fmt::format("{}: cannot write: {}", name_, std::strerror(error)));
  }

  int fd_;
  std::string name_;
};

bool ends_with(std::string_view path, std::string_view suffix) {
  return path.size() > suffix.size() && path.ends_with(suffix);
}

Packing packing_for(std::string_view path) {
  if (ends_with(path, ".gz")) return Packing::gzip;
  if (ends_with(path, ".zst")) return Packing::zstd;
  return Packing::none;
}

}  // namespace

std::string output_name(const std::string& path) { return path == "-" ? "standard output" : path; }

Result<std::unique_ptr<ByteOutput>> open_output(const std::string& path) {
  const std::string name = output_name(path);
  constexpr int kMode = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;  // less the umask
  const int fd =
      path == "-" ? STDOUT_FILENO : ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (fd < 0) return io_error(fmt::format("{}: cannot open for writing: {}", name, std::strerror(errno)));
  return pack(std::make_unique<FileOutput>(fd, name), packing_for(path), name);
}

}  // namespace deadheat::trace
