// A trace that can be read as often as needed. Pipes and standard input cannot: they are copied to a
// temporary file, which has no name, so that nothing is left behind however the program ends.
#pragma once

#include <string>

#include "deadheat/trace.h"

namespace deadheat::cli {

class ReadableTwice {
 public:
  // Copies if it must, and says so on standard error; what the reader warned of is in warnings().
  static Result<ReadableTwice> open(const std::string& path, const ReadOptions& options);
  // For who reads once.
  static Result<ReadableTwice> as_it_is(const std::string& path) { return ReadableTwice(path, path, -1); }
  ReadableTwice(ReadableTwice&& other) noexcept;
  ReadableTwice& operator=(ReadableTwice&&) = delete;
  ~ReadableTwice();

  const std::string& path() const { return path_; }  // to be read
  const std::vector<Warning>& warnings() const { return warnings_; }
  // An error about path(), told with the name that the user knows.
  Error renamed(Error error) const;

 private:
  ReadableTwice(std::string name, std::string path, int fd)
      : name_(std::move(name)), path_(std::move(path)), fd_(fd) {}

  std::string name_, path_;
  int fd_ = -1;  // of the copy
  std::vector<Warning> warnings_;
};

}  // namespace deadheat::cli
