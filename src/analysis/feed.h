// Blocks of a trace for several threads at work: each is put into a slot, and stays there until the slot is
// filled again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "deadheat/trace.h"

namespace deadheat::analysis {

class Feed {
 public:
  virtual ~Feed() = default;
  // The block of that number, or nullptr behind the last. Called with rising numbers for each slot.
  virtual Result<const BlockView*> load(std::uint64_t number, std::uint32_t slot) = 0;
  // Whether blocks of different slots may be loaded side by side and in any order.
  virtual bool side_by_side() const = 0;
  virtual Progress progress() const = 0;
  virtual std::vector<Warning> warnings() const = 0;
  virtual Completeness completeness() const = 0;

  // A .dht file is decoded side by side if there are several slots, and it can be opened as often; all else
  // comes in order.
  static Result<std::unique_ptr<Feed>> open(const std::string& path, const ReadOptions& options,
                                            std::uint32_t slots);
};

}  // namespace deadheat::analysis
