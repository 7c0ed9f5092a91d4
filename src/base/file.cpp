#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/format.h"

namespace deadheat::base {

Error errno_error(const std::string& name, const std::string& what) {
  const auto kind = errno == EPIPE ? Error::Kind::closed_pipe : Error::Kind::io;
  return {kind, name + ": " + what + ": " + std::strerror(errno)};
}

File& File::operator=(File&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(owned_, other.owned_);
  std::swap(name_, other.name_);
  return *this;
}

File::~File() {
  if (owned_ && fd_ >= 0) ::close(fd_);
}

Result<File> File::open_to_read(const std::string& path) {
  if (path == "-") return File(STDIN_FILENO, false, "standard input");
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(errno_error(path, "cannot open"));
  File file(fd, true, path);
  struct stat st{};
  if (::fstat(fd, &st) != 0) return fail(errno_error(path, "cannot look at"));
  if (S_ISDIR(st.st_mode)) return io_error(path + ": is a directory; give a trace file");
  return file;
}

Result<File> File::create(const std::string& path) {
  if (path == "-") return File(STDOUT_FILENO, false, "standard output");
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return fail(errno_error(path, "cannot write"));
  return File(fd, true, path);
}

bool File::is_regular() const {
  struct stat st{};
  return ::fstat(fd_, &st) == 0 && S_ISREG(st.st_mode);
}

Result<std::uint64_t> File::size() const {
  struct stat st{};
  if (::fstat(fd_, &st) != 0) return fail(errno_error(name_, "cannot look at"));
  return static_cast<std::uint64_t>(st.st_size);
}

Result<std::size_t> File::read_at(std::uint64_t offset, char* buffer, std::size_t bytes) const {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t n = ::pread(fd_, buffer + done, bytes - done, static_cast<off_t>(offset + done));
    if (n == 0) break;
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      return fail(errno_error(name_, "cannot read"));
    }
  }
  return done;
}

Result<std::size_t> File::read_some(char* buffer, std::size_t bytes) const {
  while (true) {
    const ssize_t n = ::read(fd_, buffer, bytes);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) return fail(errno_error(name_, "cannot read"));
  }
}

Result<std::string> File::read_text(std::size_t most_bytes) const {
  std::string text;
  std::vector<char> buffer(1 << 16);
  while (true) {
    const auto bytes = read_some(buffer.data(), buffer.size());
    if (!bytes) return fail(bytes.error());
    if (*bytes == 0) return text;
    text.append(buffer.data(), *bytes);
    if (text.size() > most_bytes) {
      return input_error(
          fmt::format("{}: has more than {}, which is too much for a text", name_, byte_count(most_bytes)));
    }
  }
}

Status File::write_all(const char* data, std::size_t bytes) const {
  while (bytes > 0) {
    const ssize_t n = ::write(fd_, data, bytes);
    if (n >= 0) {
      data += n;
      bytes -= static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      return fail(errno_error(name_, "cannot write"));
    }
  }
  return {};
}

Status File::close() {
  if (!owned_) return {};
  if (::close(std::exchange(fd_, -1)) != 0) return fail(errno_error(name_, "cannot finish writing"));
  return {};
}

}  // namespace deadheat::base
