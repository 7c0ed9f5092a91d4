// The .dht file, version 1: the fixed parts. docs/trace-format.md describes every byte.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "deadheat/event.h"

namespace deadheat::trace {

// Like PNG's: tells a text-mode copy (CR LF changed), a 7-bit channel, and a foreign file apart.
inline constexpr std::string_view kFileMagic{
    "\x89"
    "DHT\r\n\x1a\n",
    8};
inline constexpr std::uint16_t kMajor = 1;  // a reader refuses another one
inline constexpr std::uint16_t kMinor = 3;  // may grow without harm to old readers

// Those that every version has. Newer ones are told of in footers only where there are such events.
inline constexpr std::size_t kFirstEventKinds = 20;

struct FileHeader {
  std::array<char, 8> magic;
  std::uint16_t major, minor;
  std::uint32_t reserved;
};
static_assert(sizeof(FileHeader) == 16);

enum class BlockType : std::uint8_t { events = 1, names = 2, index = 3, threads = 4, footer = 5 };

inline constexpr std::uint32_t kBlockMagic = 0x4B424844;  // "DHBK"
inline constexpr std::uint8_t kZstd = 1;                  // flag: the payload is a zstd frame

// In front of every block. All blocks are whole in themselves: nothing else is needed to decode one.
struct BlockHeader {
  std::uint32_t magic;
  BlockType type;
  std::uint8_t flags;
  std::uint16_t reserved;
  std::uint32_t stored_bytes;  // of the payload, in the file
  std::uint32_t raw_bytes;     // of the payload, unpacked
  std::uint64_t first;         // event blocks: number of the first event; others: events before this place
  std::uint32_t events;        // event blocks; others 0
  std::uint32_t reserved2;
  std::uint64_t payload_hash;  // XXH3 of the stored payload
  std::uint64_t header_hash;   // XXH3 of the 40 bytes above
};
static_assert(sizeof(BlockHeader) == 48);

// No honest block comes near: names of 16 MiB, events of at most some 100 bytes.
inline constexpr std::uint32_t kMaxPayload = std::uint32_t{1} << 26;
inline constexpr std::size_t kMaxName = std::size_t{1} << 24;

// All ids up to here are smaller than these. Events without an object have object 0, so the bound of that
// kind is 1.
struct Bounds {
  std::array<std::uint32_t, kObjectKinds> objects{1};
  std::uint32_t sites = 1, stacks = 1;

  std::uint32_t& of(ObjectKind kind) { return objects[static_cast<std::size_t>(kind)]; }
  std::uint32_t of(ObjectKind kind) const { return objects[static_cast<std::size_t>(kind)]; }
};
static_assert(sizeof(Bounds) == 32);

// Packing is for events and names, and believed only so far: a file of some kilobytes must not become
// gigabytes in memory. A writer stores a block that packs better as it is.
constexpr bool plausible_packing(BlockType type, std::uint64_t raw_bytes, std::uint64_t stored_bytes) {
  if (type == BlockType::events) return raw_bytes <= 256 * stored_bytes + (std::uint64_t{1} << 19);
  return type == BlockType::names && raw_bytes <= 64 * stored_bytes + 4096;
}

// The start of an event block's payload. The sections follow in the order of docs/trace-format.md.
struct EventsHeader {
  Bounds bounds;
  std::uint32_t ops;          // entries of the dictionary
  std::uint32_t own_threads;  // threads with events in this block
  std::uint32_t runs;         // 0: one thread code an event
  std::uint8_t thread_bits;   // width of a thread code: 4 (only without runs), 8 or 16
  std::uint8_t op_bits;       // width of an operation code: what `ops` codes need
  std::uint8_t omitted;       // which of the lengths 0..4 the object column does not use
  std::uint8_t reserved;
  std::uint32_t dictionary_bytes;
  std::uint32_t object_bytes;  // data bytes of the object column
};
static_assert(sizeof(EventsHeader) == 56);

// Behind the object column, so that sixteen bytes can be loaded at its last value.
inline constexpr std::size_t kPadding = 16;

struct IndexEntry {
  std::uint64_t offset, first;
  std::uint32_t events, bytes;
};
static_assert(sizeof(IndexEntry) == 24);

inline constexpr std::size_t kBlocksPerIndex = 256;
inline constexpr std::size_t kThreadsPerBlock = 65536;

inline constexpr std::string_view kTrailerMagic{"DHTEND\r\n", 8};
// The last bytes of a finished file.
struct Trailer {
  std::uint64_t footer_offset;
  std::array<char, 8> magic;
  std::uint64_t hash;  // XXH3 of the 16 bytes above
};
static_assert(sizeof(Trailer) == 24);

// Ids other than variables are numbered as they appear, so they cannot outrun the events by much. A file that
// says otherwise is hostile, and would make a reader's tables large for nothing.
constexpr bool plausible_bound(std::uint64_t bound, std::uint64_t events) {
  return bound <= 2 * events + 65536;
}

}  // namespace deadheat::trace
