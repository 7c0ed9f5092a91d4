// A file that appears under its name only when it is whole. Until then it has no name, so that nothing is
// left of it if the process is killed; where the file system cannot do that, it has another name beside the
// target, which is removed if the work fails or is interrupted (SIGINT, SIGTERM, SIGHUP).
#pragma once

#include <sys/types.h>

#include <string>

#include "deadheat/result.h"

namespace deadheat::base {

class PartialFile {
 public:
  enum class Existing : unsigned char { replace, refuse };
  enum class Others : unsigned char { write_through, refuse };  // pipes and devices
  enum class Naming : unsigned char { when_whole, beside };
  struct Options {
    Existing existing = Existing::replace;
    Others others = Others::write_through;
    mode_t mode = 0;  // 0: that of the file that is replaced, or what the umask leaves
    Naming naming = Naming::when_whole;
  };

  // Refuses a directory, and a file that may not be written. "-", pipes and devices have no other name: what
  // is written there is there.
  static Result<PartialFile> create(const std::string& target) { return create(target, Options{}); }
  static Result<PartialFile> create(const std::string& target, const Options& options);
  PartialFile(PartialFile&& other) noexcept;
  PartialFile& operator=(PartialFile&&) = delete;
  ~PartialFile();  // removes what was not committed

  const std::string& path() const { return path_; }      // to be written
  const std::string& target() const { return target_; }  // the name says how it is to be compressed
  Status commit();                                       // now it is whole
  // An error about path(), told with the name that the user knows.
  Error renamed(Error error) const;

 private:
  PartialFile(std::string target, std::string path, int nameless, Existing existing);
  Status name();
  Status rename();
  void forget();

  std::string target_, path_;
  int nameless_ = -1;  // descriptor of a file without a name
  Existing existing_ = Existing::replace;
  bool pending_ = false;
};

// True if both are names of one file.
bool is_same_file(const std::string& a, const std::string& b);
// The same, also if there is no such file yet: what is written to one overwrites the other. "-" is only "-".
bool is_same_target(const std::string& a, const std::string& b);

}  // namespace deadheat::base
