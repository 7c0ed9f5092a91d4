// What has become of each attempt to make a trace: a file of lines, written as it goes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "deadheat/result.h"
#include "inject/injection.h"

namespace deadheat::inject {

struct Attempt {
  std::uint64_t number = 0;
  std::uint64_t point = 0;
  Failure failure = Failure::none;
  bool again = false;          // the same trace was made before
  bool twin = false;           // one was made too
  std::uint64_t distance = 0;  // of its first pair
  std::uint64_t digest = 0;    // of its events
};

class Attempts {
 public:
  static constexpr std::string_view kName = "attempts.tsv";

  // Opens the file of a folder, or begins it. `options` are what the set is made with; an error, if it was
  // begun with others.
  static Result<Attempts> open(const std::string& folder, const std::string& options);

  const std::vector<Attempt>& before() const { return before_; }  // those found in it
  Status add(const Attempt& attempt);

 private:
  Attempts(base::File file, std::vector<Attempt> before)
      : file_(std::move(file)), before_(std::move(before)) {}

  base::File file_;
  std::vector<Attempt> before_;
};

}  // namespace deadheat::inject
