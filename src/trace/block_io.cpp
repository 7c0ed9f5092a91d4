#include "trace/block_io.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "trace/bytes.h"

namespace deadheat::trace {

namespace {
constexpr std::size_t kHashedHeader = offsetof(BlockHeader, header_hash);
constexpr std::size_t kFirstRead = std::size_t{1} << 14;
}  // namespace

std::uint64_t hash_bytes(const void* data, std::size_t bytes) { return XXH3_64bits(data, bytes); }

// ---- writing ----

BlockWriter::BlockWriter(base::File file, int zstd_level) : file_(std::move(file)), zstd_level_(zstd_level) {
  if (zstd_level_ != 0) zstd_ = ZSTD_createCCtx();
}

BlockWriter::~BlockWriter() { ZSTD_freeCCtx(zstd_); }

Status BlockWriter::put(const char* data, std::size_t bytes) {
  if (auto ok = file_.write_all(data, bytes); !ok) return ok;
  offset_ += bytes;
  return {};
}

Status BlockWriter::write_file_header() {
  FileHeader header{};
  std::memcpy(header.magic.data(), kFileMagic.data(), kFileMagic.size());
  header.major = kMajor;
  header.minor = kMinor;
  return put(reinterpret_cast<const char*>(&header), sizeof header);
}

std::vector<char>& BlockWriter::payload() {
  buffer_.resize(sizeof(BlockHeader));
  return buffer_;
}

Status BlockWriter::write(BlockType type, std::uint64_t first, std::uint32_t events) {
  const std::size_t raw = buffer_.size() - sizeof(BlockHeader);
  DEADHEAT_ASSERT(raw <= kMaxPayload, "blocks are kept far below the limit");
  BlockHeader header{};
  header.magic = kBlockMagic;
  header.type = type;
  header.raw_bytes = header.stored_bytes = static_cast<std::uint32_t>(raw);
  header.first = first;
  header.events = events;
  std::vector<char>* whole = &buffer_;
  if (zstd_ != nullptr) {
    packed_.resize(sizeof header + ZSTD_compressBound(raw));
    const std::size_t packed =
        ZSTD_compressCCtx(zstd_, packed_.data() + sizeof header, packed_.size() - sizeof header,
                          buffer_.data() + sizeof header, raw, zstd_level_);
    if (ZSTD_isError(packed) == 0U && packed < raw && plausible_packing(type, raw, packed)) {
      packed_.resize(sizeof header + packed);
      header.flags = kZstd;
      header.stored_bytes = static_cast<std::uint32_t>(packed);
      whole = &packed_;
    }
  }
  header.payload_hash = hash_bytes(whole->data() + sizeof header, header.stored_bytes);
  header.header_hash = hash_bytes(&header, kHashedHeader);
  std::memcpy(whole->data(), &header, sizeof header);
  return put(whole->data(), whole->size());
}

Status BlockWriter::write_trailer(std::uint64_t footer_offset) {
  Trailer trailer{};
  trailer.footer_offset = footer_offset;
  std::memcpy(trailer.magic.data(), kTrailerMagic.data(), kTrailerMagic.size());
  trailer.hash = hash_bytes(&trailer, offsetof(Trailer, hash));
  return put(reinterpret_cast<const char*>(&trailer), sizeof trailer);
}

// ---- reading ----

Status check_file_header(std::span<const char> bytes) {
  if (bytes.size() < sizeof(FileHeader)) return input_error("too short for a .dht trace");
  const auto header = load<FileHeader>(bytes.data());
  const std::string_view magic(header.magic.data(), header.magic.size());
  if (magic != kFileMagic) {
    if (magic.substr(0, 4) == kFileMagic.substr(0, 4)) {
      return input_error(
          "this .dht trace was changed on its way, as by a copy in text mode; copy it again in binary");
    }
    return input_error("not a .dht trace");
  }
  if (header.major != kMajor) {
    return input_error(fmt::format("written in version {} of the .dht format; this deadheat reads version {}",
                                   header.major, kMajor));
  }
  return {};
}

Status check_block_header(const BlockHeader& header) {
  if (header.magic != kBlockMagic) return input_error("no block starts here; the file is damaged");
  if (header.header_hash != hash_bytes(&header, kHashedHeader)) {
    return input_error("the checksum of the block's header differs; the file is damaged");
  }
  if (header.stored_bytes > kMaxPayload || header.raw_bytes > kMaxPayload || (header.flags & ~kZstd) != 0 ||
      ((header.flags & kZstd) == 0 && header.stored_bytes != header.raw_bytes) ||
      ((header.flags & kZstd) != 0 &&
       !plausible_packing(header.type, header.raw_bytes, header.stored_bytes))) {
    return input_error("the block's header makes no sense");
  }
  return {};
}

BlockStream::BlockStream(Fill fill) : fill_(std::move(fill)) {}

BlockStream::~BlockStream() { ZSTD_freeDCtx(zstd_); }

void BlockStream::restart(std::uint64_t offset) {
  at_ = have_ = 0;
  at_end_ = false;
  offset_ = offset;
}

Result<std::size_t> BlockStream::want(std::size_t bytes) {
  while (have_ - at_ < bytes && !at_end_) {
    if (at_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + at_, have_ - at_);
      have_ -= at_;
      at_ = 0;
    }
    // Grows only as bytes really come: a size in a header is not believed.
    if (have_ == buffer_.size()) buffer_.resize(std::max(kFirstRead, 2 * buffer_.size()));
    const auto got = fill_(buffer_.data() + have_, buffer_.size() - have_);
    if (!got) return fail(got.error());
    at_end_ = *got == 0;
    have_ += *got;
  }
  return std::min(bytes, have_ - at_);
}

Status BlockStream::read_file_header() {
  const auto got = want(sizeof(FileHeader));
  if (!got) return fail(got.error());
  if (auto ok = check_file_header({buffer_.data() + at_, *got}); !ok) return ok;
  at_ += sizeof(FileHeader);
  offset_ += sizeof(FileHeader);
  return {};
}

Result<std::optional<RawBlock>> BlockStream::next() {
  auto got = want(sizeof(BlockHeader));
  if (!got) return fail(got.error());
  if (*got < sizeof(BlockHeader)) return std::nullopt;
  const auto header = load<BlockHeader>(buffer_.data() + at_);
  if (auto ok = check_block_header(header); !ok) return fail(ok.error());
  const std::size_t whole = sizeof header + header.stored_bytes;
  got = want(whole);
  if (!got) return fail(got.error());
  if (*got < whole) return std::nullopt;
  const std::span<const char> stored(buffer_.data() + at_ + sizeof header, header.stored_bytes);
  if (hash_bytes(stored.data(), stored.size()) != header.payload_hash) {
    return input_error("the block's checksum differs; the file is damaged");
  }
  const auto payload = unpack(header, stored);
  if (!payload) return fail(payload.error());
  const RawBlock block{header, offset_, whole, *payload};
  at_ += whole;
  offset_ += whole;
  return block;
}

Result<std::span<const char>> BlockStream::unpack(const BlockHeader& header, std::span<const char> stored) {
  if ((header.flags & kZstd) == 0) return stored;
  if (zstd_ == nullptr) zstd_ = ZSTD_createDCtx();
  raw_.resize(header.raw_bytes);
  const std::size_t n = ZSTD_decompressDCtx(zstd_, raw_.data(), raw_.size(), stored.data(), stored.size());
  if (ZSTD_isError(n) != 0U || n != header.raw_bytes)
    return input_error("the block does not unpack to its size");
  return std::span<const char>(raw_);
}

Status BlockStream::read_trailer(std::uint64_t footer_offset) {
  const auto got = want(sizeof(Trailer) + 1);
  if (!got) return fail(got.error());
  if (*got < sizeof(Trailer)) return input_error("the end of the file is missing after its footer");
  const auto trailer = load<Trailer>(buffer_.data() + at_);
  if (trailer.hash != hash_bytes(&trailer, offsetof(Trailer, hash)) ||
      trailer.footer_offset != footer_offset) {
    return input_error("the end of the file does not fit its footer; the file is damaged");
  }
  if (*got > sizeof(Trailer)) return input_error("more bytes follow the end of the trace");
  at_ += sizeof(Trailer);
  offset_ += sizeof(Trailer);
  return {};
}

}  // namespace deadheat::trace
