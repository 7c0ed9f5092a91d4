// STD text (T0|r(V1)|45) as a stream of blocks, in one pass.
#pragma once

#include <memory>
#include <string>

#include "deadheat/trace.h"
#include "trace/byte_input.h"

namespace deadheat::trace {

// `name` is what errors call the input. `head` holds bytes already taken from it. Every block but the last
// has `block_events` events.
Result<std::unique_ptr<Source>> open_std(std::unique_ptr<ByteInput> input, std::string name, std::string head,
                                         const ReadOptions& options, std::size_t block_events = kBlockEvents);

}  // namespace deadheat::trace
