// A trace as STD text, or as its extension to all event kinds. docs/std-text.md has the format.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "deadheat/trace.h"
#include "trace/byte_output.h"

namespace deadheat::trace {

class TextWriter : public Sink {
 public:
  // "-" is standard output. A path ending in .gz or .zst is compressed.
  static Result<std::unique_ptr<TextWriter>> create(const std::string& path, const TextOptions& options);
  // The same, where another name than the path says how it is compressed.
  static Result<std::unique_ptr<TextWriter>> create(const std::string& path, std::string_view packed_as,
                                                    const TextOptions& options);
  // `name` is what errors call the output.
  static std::unique_ptr<TextWriter> to(std::unique_ptr<ByteOutput> output, std::string name,
                                        const TextOptions& options);
  // What was left out or changed, by reason. Without options.lossy only what does no harm.
  virtual std::vector<Warning> losses() const = 0;
};

}  // namespace deadheat::trace
