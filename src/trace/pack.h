// Plain bytes as compressed ones.
#pragma once

#include <memory>
#include <string>

#include "trace/byte_output.h"
#include "trace/unpack.h"

namespace deadheat::trace {

// `name` is what errors call the output.
Result<std::unique_ptr<ByteOutput>> pack(std::unique_ptr<ByteOutput> output, Packing packing,
                                         std::string name);

}  // namespace deadheat::trace
