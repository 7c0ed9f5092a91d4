// A trace as STD text, or as its extension to all event kinds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "deadheat/trace.h"

namespace deadheat::trace {

class TextWriter : public Sink {
 public:
  // "-" is standard output. A path ending in .gz or .zst is compressed.
  static Result<std::unique_ptr<TextWriter>> create(const std::string& path, const TextOptions& options);
  // With options.lossy: what was left out or changed, by reason.
  virtual std::vector<Warning> losses() const = 0;
};

}  // namespace deadheat::trace
