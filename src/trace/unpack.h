// Compressed bytes as plain ones.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "trace/byte_input.h"

namespace deadheat::trace {

enum class Packing { none, gzip, zstd };

// As the first bytes of a file tell; four are enough.
Packing packing_of(std::string_view head);
inline constexpr std::size_t kPackingMagicBytes = 4;

// `name` is what errors call the input. One file may hold several gzip members or zstd frames.
Result<std::unique_ptr<ByteInput>> unpack(std::unique_ptr<ByteInput> input, Packing packing,
                                          std::string name);

}  // namespace deadheat::trace
