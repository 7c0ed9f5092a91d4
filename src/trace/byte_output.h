// Bytes to a file or standard output, compressed where the path says so.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "deadheat/result.h"

namespace deadheat::trace {

class ByteOutput {
 public:
  virtual ~ByteOutput() = default;
  virtual Status write(std::string_view bytes) = 0;
  // Nothing is complete before this; only once.
  virtual Status finish() = 0;
};

// Opens a path for writing, over what was there ("-": standard output). A path that ends in .gz or .zst is
// compressed. Every error names the output. A closed pipe is an error, provided that SIGPIPE is ignored.
Result<std::unique_ptr<ByteOutput>> open_output(const std::string& path);
// The same, where another name than the path says how it is compressed.
Result<std::unique_ptr<ByteOutput>> open_output(const std::string& path, std::string_view packed_as);

}  // namespace deadheat::trace
