#include "trace/byte_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "trace/unpack.h"

namespace deadheat::trace {

namespace {

// Plain reads, no mapping: a file that shrinks while we read must end early, not raise SIGBUS.
class FileInput final : public ByteInput {
 public:
  FileInput(int fd, std::string name, std::uint64_t total_bytes)
      : fd_(fd), name_(std::move(name)), total_bytes_(total_bytes) {}
  FileInput(const FileInput&) = delete;
  FileInput& operator=(const FileInput&) = delete;
  ~FileInput() override {
    if (fd_ != STDIN_FILENO) ::close(fd_);
  }

  Result<std::size_t> read(char* buffer, std::size_t bytes) override {
    while (true) {
      const ssize_t got = ::read(fd_, buffer, bytes);
      if (got >= 0) {
        done_bytes_ += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR) return io_error(fmt::format("{}: cannot read: {}", name_, std::strerror(errno)));
    }
  }

  Progress progress() const override { return {done_bytes_, total_bytes_}; }

 private:
  int fd_;
  std::string name_;
  std::uint64_t done_bytes_ = 0;
  std::uint64_t total_bytes_;
};

// An input whose first bytes were looked at: gives them again, then the rest.
class PeekedInput final : public ByteInput {
 public:
  explicit PeekedInput(std::unique_ptr<ByteInput> rest) : rest_(std::move(rest)) {}

  // The first bytes, fewer than `bytes` only where the input is shorter.
  Result<std::string_view> peek(std::size_t bytes) {
    while (head_.size() < bytes) {
      char buffer[16];
      auto got = rest_->read(buffer, std::min(sizeof buffer, bytes - head_.size()));
      if (!got) return fail(std::move(got).error());
      if (*got == 0) break;
      head_.append(buffer, *got);
    }
    return std::string_view(head_);
  }

  Result<std::size_t> read(char* buffer, std::size_t bytes) override {
    if (given_ == head_.size()) return rest_->read(buffer, bytes);
    const std::size_t n = std::min(bytes, head_.size() - given_);
    std::memcpy(buffer, head_.data() + given_, n);
    given_ += n;
    return n;
  }

  Progress progress() const override { return rest_->progress(); }

 private:
  std::unique_ptr<ByteInput> rest_;
  std::string head_;
  std::size_t given_ = 0;
};

Result<std::unique_ptr<ByteInput>> open_file(const std::string& path, const std::string& name) {
  const int fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return io_error(fmt::format("{}: cannot open: {}", name, std::strerror(errno)));
  struct stat info{};
  if (::fstat(fd, &info) != 0) {
    const int error = errno;
    if (fd != STDIN_FILENO) ::close(fd);
    return io_error(fmt::format("{}: cannot open: {}", name, std::strerror(error)));
  }
  const bool regular = S_ISREG(info.st_mode);
  auto input = std::make_unique<FileInput>(fd, name, regular ? static_cast<std::uint64_t>(info.st_size) : 0);
  if (S_ISDIR(info.st_mode)) {
    return io_error(fmt::format("{}: is a directory; give the trace file itself", name));
  }
  return input;
}

}  // namespace

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

Result<std::unique_ptr<ByteInput>> open_input(const std::string& path) {
  const std::string name = input_name(path);
  auto file = open_file(path, name);
  if (!file) return file;
  auto raw = std::make_unique<PeekedInput>(std::move(*file));
  const auto head = raw->peek(kPackingMagicBytes);
  if (!head) return fail(head.error());
  if (head->empty()) return input_error(fmt::format("{}: is empty; a trace was expected", name));
  const Packing packing = packing_of(*head);
  if (packing == Packing::none) return raw;

  auto unpacked = unpack(std::move(raw), packing, name);
  if (!unpacked) return unpacked;
  auto plain = std::make_unique<PeekedInput>(std::move(*unpacked));
  const auto first = plain->peek(1);
  if (!first) return fail(first.error());
  if (first->empty())
    return input_error(fmt::format("{}: is empty when unpacked; a trace was expected", name));
  return plain;
}

}  // namespace deadheat::trace
