// Files by descriptor, with errors that name the file. No mmap: a file cut short while it is read must give
// an error, not a signal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "deadheat/result.h"

namespace deadheat::base {

class File {
 public:
  File() = default;
  File(File&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), owned_(other.owned_), name_(std::move(other.name_)) {}
  File& operator=(File&& other) noexcept;
  ~File();

  // "-" is standard input or output. A directory is refused.
  static Result<File> open_to_read(const std::string& path);
  static Result<File> create(const std::string& path);

  const std::string& name() const { return name_; }  // the path, or "standard input", "standard output"
  bool is_regular() const;
  Result<std::uint64_t> size() const;
  // Reads up to `bytes`; fewer only at the end of the file.
  Result<std::size_t> read_at(std::uint64_t offset, char* buffer, std::size_t bytes) const;
  // Reads what is there, at least one byte; 0 at the end.
  Result<std::size_t> read_some(char* buffer, std::size_t bytes) const;
  // All that is left; an error if that is more.
  Result<std::string> read_text(std::size_t most_bytes) const;
  Status write_all(const char* data, std::size_t bytes) const;
  Status close();  // reports what a full disk or a network file system tells only now

 private:
  File(int fd, bool owned, std::string name) : fd_(fd), owned_(owned), name_(std::move(name)) {}

  int fd_ = -1;
  bool owned_ = false;
  std::string name_;
};

// "name: what: No such file or directory"
Error errno_error(const std::string& name, const std::string& what);

}  // namespace deadheat::base
