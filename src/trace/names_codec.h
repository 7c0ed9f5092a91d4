// Names, sites and stacks to the payload of a names block, and back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deadheat/names.h"
#include "deadheat/result.h"

namespace deadheat::trace {

// Writes what a table gained since the last call.
class NamesEncoder {
 public:
  // Appends at most about `most_bytes` (one name may go beyond) to `out`. False: there was nothing to write.
  // An over-long name is an error.
  Result<bool> encode(const Names& names, std::size_t most_bytes, std::vector<char>& out);

 private:
  void write_addresses(const Names& names, std::size_t most_bytes, std::vector<char>& out);

  // The entries 0 are in every table from the start.
  std::uint32_t strings_ = 1, sites_ = 1, stacks_ = 1, modules_ = 1, addresses_ = 1, regions_ = 0,
                mappings_ = 0;
  std::uint32_t tables_[5] = {};
  std::uint32_t renamed_[5] = {};
};

// Adds the entries of one names block. Blocks must come in the order of the file.
Status decode_names(std::span<const char> payload, Names& names);

}  // namespace deadheat::trace
