// Events to the payload of an event block, and back. docs/trace-format.md describes the sections.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "deadheat/event.h"
#include "deadheat/result.h"
#include "trace/format.h"

namespace deadheat::trace {

class EventsEncoder {
 public:
  // Appends the payload of the block to `out`, and raises `bounds` to cover it. An id or size beyond the
  // format's reach is an error.
  Status encode(const BlockView& block, Bounds& bounds, std::vector<char>& out);
  // Of the block encoded last: the threads with events in it, in order of appearance.
  std::span<const std::uint32_t> threads() const { return own_threads_; }

 private:
  struct OpState {
    std::uint32_t base, last, most;
    bool used;
  };

  Status prepare_ops(const BlockView& block);
  void find_threads(const BlockView& block);
  void find_deltas(const BlockView& block);
  Status raise_bounds(const BlockView& block, Bounds& bounds) const;
  void write_dictionary(const BlockView& block, std::vector<char>& out) const;
  void write_threads(const BlockView& block, const EventsHeader& header, std::vector<char>& out) const;
  void write_ops(const BlockView& block, const EventsHeader& header, std::vector<char>& out) const;
  void write_objects(EventsHeader& header, std::vector<char>& out) const;

  std::vector<OpState> ops_;
  std::vector<std::uint32_t> deltas_;
  std::array<std::uint32_t, 5> lengths_{};
  std::vector<std::uint32_t> own_threads_;
  std::vector<std::uint32_t> thread_stamp_;  // by ThreadId: the block that last saw it
  std::vector<std::uint16_t> thread_code_;   // by ThreadId, valid if the stamp is this block's
  std::uint32_t stamp_ = 0;
  struct Run {
    std::uint16_t code;
    std::uint8_t length;  // less one
  };
  std::vector<Run> runs_;
};

class EventsDecoder {
 public:
  // Decodes a payload that holds `events` events, the first of which is number `first`. Nothing in the
  // payload is trusted: what it gives is well typed (codes, ids and attributes in range), or it fails. The
  // view is valid until the next call.
  Result<BlockView> decode(std::span<const char> payload, std::uint64_t first, std::uint32_t events);
  // Of the block decoded last.
  const Bounds& bounds() const { return bounds_; }

 private:
  struct OpState {
    std::uint32_t last;
    std::uint32_t bound;  // objects must be smaller
  };

  void make_room(std::uint32_t events);
  Status read_dictionary(const EventsHeader& header, std::span<const char> bytes);
  std::uint32_t object_bound(const Op& op) const;
  Status read_threads(const EventsHeader& header, std::span<const char> bytes, std::uint32_t events);
  Status read_ops(const EventsHeader& header, std::span<const char> bytes, std::uint32_t events);
  Status read_objects(const EventsHeader& header, const char* control, const char* data,
                      std::uint32_t events);

  Bounds bounds_;
  std::vector<Op> op_table_;
  std::vector<OpState> op_state_;
  std::vector<std::uint32_t> own_threads_;
  std::vector<std::uint32_t> thread_, object_;
  std::vector<std::uint16_t> op_;
};

}  // namespace deadheat::trace
