// Blocks to and from bytes: headers, checksums, compression. What is in a block is not known here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "deadheat/result.h"
#include "trace/format.h"

struct ZSTD_DCtx_s;
struct ZSTD_CCtx_s;

namespace deadheat::trace {

std::uint64_t hash_bytes(const void* data, std::size_t bytes);

class BlockWriter {
 public:
  BlockWriter(base::File file, int zstd_level);
  ~BlockWriter();

  Status write_file_header();
  // The buffer to put a payload into before write(); empty at first.
  std::vector<char>& payload();
  // One write call a block, so that a killed writer leaves whole blocks.
  Status write(BlockType type, std::uint64_t first, std::uint32_t events);
  Status write_trailer(std::uint64_t footer_offset);
  Status close() { return file_.close(); }

  std::uint64_t offset() const { return offset_; }  // bytes written so far

 private:
  Status put(const char* data, std::size_t bytes);

  base::File file_;
  std::uint64_t offset_ = 0;
  int zstd_level_;
  ZSTD_CCtx_s* zstd_ = nullptr;
  std::vector<char> buffer_;  // header room, then the payload
  std::vector<char> packed_;
};

// A block with its payload checked and unpacked.
struct RawBlock {
  BlockHeader header;
  std::uint64_t offset;  // in the file
  std::uint64_t bytes;   // in the file, with header
  std::span<const char> payload;
};

// Blocks one after the other, from wherever bytes come.
class BlockStream {
 public:
  // Puts up to so many bytes into the buffer; 0 at the end.
  using Fill = std::function<Result<std::size_t>(char*, std::size_t)>;
  explicit BlockStream(Fill fill);
  ~BlockStream();

  Status read_file_header();
  // The next block, or nothing where there are no more whole ones. Valid until the next call.
  Result<std::optional<RawBlock>> next();
  // After the footer: its trailer, and nothing behind it.
  Status read_trailer(std::uint64_t footer_offset);

  // After next() gave nothing: what is left over of a block that was being written.
  std::uint64_t torn_bytes() const { return have_ - at_; }
  std::uint64_t offset() const { return offset_; }
  // Goes on at another place; the caller has moved what Fill reads from.
  void restart(std::uint64_t offset);

 private:
  // Makes `bytes` bytes contiguous, fewer only at the end.
  Result<std::size_t> want(std::size_t bytes);
  Result<std::span<const char>> unpack(const BlockHeader& header, std::span<const char> stored);

  Fill fill_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, have_ = 0;
  std::uint64_t offset_ = 0;  // of buffer_[at_]
  bool at_end_ = false;
  ZSTD_DCtx_s* zstd_ = nullptr;
  std::vector<char> raw_;
};

// What is wrong with the bytes at the start of a file, or nothing.
Status check_file_header(std::span<const char> bytes);
// What is wrong with a block header, or nothing.
Status check_block_header(const BlockHeader& header);

}  // namespace deadheat::trace
