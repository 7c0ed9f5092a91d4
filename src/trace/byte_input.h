// Bytes from a file, standard input, or a compressed one of them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/file.h"
#include "deadheat/result.h"
#include "deadheat/trace.h"

namespace deadheat::trace {

class ByteInput {
 public:
  virtual ~ByteInput() = default;
  // Up to `bytes` bytes, at least one unless at the end (then 0).
  virtual Result<std::size_t> read(char* buffer, std::size_t bytes) = 0;
  virtual Progress progress() const { return {}; }
};

// The same of a file that is open already, from where it stands.
Result<std::unique_ptr<ByteInput>> open_input(base::File file);
// Opens a path ("-": standard input), and unpacks gzip or zstd where the first bytes say so.
// A directory, a missing or an empty file is an error that says so. Every error names the input.
Result<std::unique_ptr<ByteInput>> open_input(const std::string& path);

}  // namespace deadheat::trace
