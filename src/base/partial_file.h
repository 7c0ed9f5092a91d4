// A file that appears under its name only when it is whole. Until then it has another name beside it, which
// is removed if the work fails or is interrupted (SIGINT, SIGTERM, SIGHUP).
#pragma once

#include <string>

#include "deadheat/result.h"

namespace deadheat::base {

class PartialFile {
 public:
  // Refuses a directory, and a file that may not be written. "-", pipes and devices have no other name: what
  // is written there is there.
  static Result<PartialFile> create(const std::string& target);
  PartialFile(PartialFile&& other) noexcept;
  PartialFile& operator=(PartialFile&&) = delete;
  ~PartialFile();  // removes what was not committed

  const std::string& path() const { return path_; }  // to be written; ends in .gz or .zst if the target does
  Status commit();                                   // now it is whole
  // An error about path(), told with the name that the user knows.
  Error renamed(Error error) const;

 private:
  PartialFile(std::string target, std::string path);
  void forget();

  std::string target_, path_;
  bool pending_ = false;
};

// True if both are names of one file.
bool is_same_file(const std::string& a, const std::string& b);
// The same, also if there is no such file yet: what is written to one overwrites the other. "-" is only "-".
bool is_same_target(const std::string& a, const std::string& b);

}  // namespace deadheat::base
