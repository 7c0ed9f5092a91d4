// The blocks that make a .dht seekable: index, thread table, footer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deadheat/result.h"
#include "deadheat/trace.h"
#include "trace/format.h"

namespace deadheat::trace {

// Where up to kBlocksPerIndex consecutive event blocks are, and the names blocks between them.
struct Index {
  std::vector<IndexEntry> blocks;
  std::vector<std::vector<std::uint32_t>> threads;  // by block: the threads with events in it, ascending
  std::vector<std::uint64_t> names;                 // offsets of names blocks
};

void encode_index(const Index& index, std::vector<char>& out);
Result<Index> decode_index(std::span<const char> payload);

void encode_threads(std::span<const Summary::Thread> threads, std::vector<char>& out);
// Adds to `out`; more than `most` in all is an error.
Status decode_threads(std::span<const char> payload, std::size_t most, std::vector<Summary::Thread>& out);

// One index or threads block, as the footer lists it.
struct Pointer {
  std::uint64_t offset;
  std::uint64_t first;  // event or thread
};

struct Footer {
  Summary summary;  // without per_thread
  std::vector<Pointer> indexes;
  std::vector<Pointer> threads;
  Completeness completeness;
};

void encode_footer(const Footer& footer, std::vector<char>& out);
Result<Footer> decode_footer(std::span<const char> payload);

}  // namespace deadheat::trace
