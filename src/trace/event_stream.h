// The events of a .dht in the order of the file, with the names that come with them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "deadheat/trace.h"
#include "trace/block_io.h"
#include "trace/byte_input.h"
#include "trace/events_codec.h"
#include "trace/index_codec.h"

namespace deadheat::trace {

class EventStream {
 public:
  EventStream(BlockStream::Fill fill, std::string name);

  Status read_file_header();
  Result<const BlockView*> next();
  // After next() gave nullptr, one of them: a whole footer was there, or the blocks ended without.
  bool finished() const { return finished_; }
  bool unfinished() const { return unfinished_; }
  // Known when finished.
  const Completeness& completeness() const { return completeness_; }
  std::uint64_t torn_bytes() const { return blocks_.torn_bytes(); }
  std::uint64_t offset() const { return blocks_.offset(); }
  std::uint64_t events() const { return expected_; }  // up to here

  // Goes on at the event block at `offset`, whose first event is `first`. Names blocks are then passed over.
  void restart(std::uint64_t offset, std::uint64_t first);
  void ignore_names() { follow_names_ = false; }

  Names& names() { return names_; }
  const Names& names() const { return names_; }
  const Bounds& bounds() const { return decoder_.bounds(); }

 private:
  Status read_events(const RawBlock& block);
  Status read_end(const RawBlock& block);
  Error in_file(Error error, std::uint64_t offset) const;

  std::string name_;
  BlockStream blocks_;
  EventsDecoder decoder_;
  Names names_;
  BlockView view_;
  Completeness completeness_;
  std::uint64_t expected_ = 0;  // number of the next event
  bool follow_names_ = true;
  bool finished_ = false, unfinished_ = false;
  bool input_failed_ = false;
};

// For warnings of readers.
std::string unfinished_message(std::uint64_t events, std::uint64_t torn_bytes);

// A .dht that comes as a stream: a pipe, or unpacked from .gz or .zst.
Result<std::unique_ptr<Source>> open_dht_stream(std::unique_ptr<ByteInput> input, std::string name,
                                                std::string head);

}  // namespace deadheat::trace
