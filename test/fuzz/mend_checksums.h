// Puts the checksums of a .dht right: no fuzzer guesses them, and a hostile file has good ones.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "trace/block_io.h"
#include "trace/bytes.h"
#include "trace/format.h"

namespace deadheat::fuzz {

template <class T>
void store(char* to, const T& value) {
  std::memcpy(to, &value, sizeof value);
}

inline void mend_checksums(std::vector<char>& bytes) {
  if (bytes.size() < sizeof(trace::FileHeader)) return;
  auto file = trace::load<trace::FileHeader>(bytes.data());
  std::memcpy(file.magic.data(), trace::kFileMagic.data(), trace::kFileMagic.size());
  file.major = trace::kMajor;
  store(bytes.data(), file);
  std::size_t at = sizeof(trace::FileHeader);
  std::uint64_t footer = 0;
  while (at + sizeof(trace::BlockHeader) <= bytes.size()) {
    auto block = trace::load<trace::BlockHeader>(bytes.data() + at);
    block.magic = trace::kBlockMagic;
    const std::size_t rest = bytes.size() - at - sizeof block;
    if (block.stored_bytes <= rest) {
      block.payload_hash = trace::hash_bytes(bytes.data() + at + sizeof block, block.stored_bytes);
    }
    block.header_hash = trace::hash_bytes(&block, offsetof(trace::BlockHeader, header_hash));
    store(bytes.data() + at, block);
    if (block.type == trace::BlockType::footer) footer = at;
    if (block.stored_bytes > rest) return;
    at += sizeof block + block.stored_bytes;
  }
  if (bytes.size() - at == sizeof(trace::Trailer) && footer != 0) {
    trace::Trailer trailer{};
    trailer.footer_offset = footer;
    std::memcpy(trailer.magic.data(), trace::kTrailerMagic.data(), trace::kTrailerMagic.size());
    trailer.hash = trace::hash_bytes(&trailer, offsetof(trace::Trailer, hash));
    store(bytes.data() + at, trailer);
  }
}

}  // namespace deadheat::fuzz
