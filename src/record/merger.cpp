#include "record/merger.h"

namespace deadheat::record {

using runtime::Chunk;
using runtime::Kind;
using runtime::Record;
using runtime::Slot;

// The counter first, then the floors; the records after both (runtime/session.h says why).
std::uint64_t Merger::watermark() {
  std::uint64_t below = __atomic_load_n(&session_->stamp, __ATOMIC_SEQ_CST);
  const std::uint32_t slots = __atomic_load_n(&session_->slots_used, __ATOMIC_SEQ_CST);
  for (std::uint32_t i = 0; i < slots && i < runtime::kSlots; ++i) {
    below = std::min(below, __atomic_load_n(&session_->slots[i].floor, __ATOMIC_SEQ_CST));
  }
  return below;
}

void Merger::find_streams() {
  const std::uint32_t slots =
      std::min(__atomic_load_n(&session_->slots_used, __ATOMIC_ACQUIRE), runtime::kSlots);
  if (known_.size() < slots) known_.resize(slots);
  for (std::uint32_t i = 0; i < slots; ++i) {
    if (known_[i]) continue;
    const Slot& slot = session_->slots[i];
    const std::uint32_t state = __atomic_load_n(&slot.state, __ATOMIC_ACQUIRE);
    if (state != Slot::open && state != Slot::closed) continue;
    known_[i] = true;
    if (slot.thread >= runtime::kMostThreads) {
      is_damaged_ = true;
      continue;
    }
    streams_.push_back(std::make_unique<Stream>(Stream{.slot = i, .thread = slot.thread}));
  }
  most_streams_ = std::max(most_streams_, static_cast<std::uint32_t>(streams_.size()));
}

// Whether nothing more will be written to the stream.
bool Merger::refresh(Stream& stream) {
  if (!stream.is_closed) {
    const Slot& slot = session_->slots[stream.slot];
    stream.is_closed = is_over_ || __atomic_load_n(&slot.state, __ATOMIC_ACQUIRE) == Slot::closed;
    if (stream.chunk == nullptr) {
      stream.chunk_index = __atomic_load_n(&slot.first_chunk, __ATOMIC_ACQUIRE);
      if (stream.chunk_index != 0) stream.chunk = session_.chunk(stream.chunk_index);
      if (stream.chunk_index != 0 && stream.chunk == nullptr) damage(stream);
    }
  }
  return stream.is_closed;
}

bool Merger::damage(Stream& stream) {
  is_damaged_ = true;
  stream.chunk = nullptr;
  stream.is_closed = true;
  return false;
}

// On to the next chunk, if there is one.
bool Merger::step(Stream& stream) {
  if (stream.chunk == nullptr) return false;
  const std::uint32_t next = __atomic_load_n(&stream.chunk->next, __ATOMIC_ACQUIRE);
  if (next == 0) return false;
  if (next == stream.chunk_index || session_.chunk(next) == nullptr) return damage(stream);
  // A record written between the look at it and the look at `next`.
  if (stream.at < Chunk::kRecords && is_there(stream.chunk->records[stream.at])) return true;
  session_.give_back(stream.chunk_index);
  ++given_back_;
  stream.chunk_index = next;
  stream.chunk = session_.chunk(next);
  stream.at = 0;
  return true;
}

// The next event, whole. What only changes the state of the stream is gone through.
const Record* Merger::peek(Stream& stream) {
  if (stream.chunk == nullptr) return nullptr;
  for (std::uint32_t steps = 0;;) {
    if (stream.at == Chunk::kRecords || !is_there(stream.chunk->records[stream.at])) {
      // Chunks that lead in a circle have no end.
      if (++steps > session_.most_chunks()) damage(stream);
      if (!step(stream)) return nullptr;
      continue;
    }
    const Record& record = stream.chunk->records[stream.at];
    switch (record.kind()) {
      case Kind::position:
        stream.position = record.object();
        break;
      case Kind::stack:
        stream.node = static_cast<std::uint32_t>(record.object());
        break;
      default: {
        const unsigned operands = runtime::operands(record.kind());
        if (operands != 0 && operand(stream, operands) == nullptr) return nullptr;
        return &record;
      }
    }
    ++stream.at;
  }
}

// The record so many behind the next one, or nullptr if it is not there yet. May be in the next chunk.
const Record* Merger::operand(const Stream& stream, unsigned number) const {
  const Chunk* chunk = stream.chunk;
  std::uint32_t at = stream.at;
  for (std::uint32_t steps = 0; chunk != nullptr;) {
    while (at == Chunk::kRecords || !is_there(chunk->records[at])) {
      const std::uint32_t next = __atomic_load_n(&chunk->next, __ATOMIC_ACQUIRE);
      if (next == 0 || ++steps > session_.most_chunks()) return nullptr;
      if (at < Chunk::kRecords && is_there(chunk->records[at])) break;
      chunk = session_.chunk(next);
      if (chunk == nullptr) return nullptr;
      at = 0;
    }
    if (number-- == 0) return &chunk->records[at];
    ++at;
  }
  return nullptr;
}

bool Merger::skip(Stream& stream, unsigned records) {
  for (; records > 0; --records) {
    while (stream.at == Chunk::kRecords || !is_there(stream.chunk->records[stream.at])) {
      if (!step(stream)) return damage(stream);
    }
    ++stream.at;
  }
  return true;
}

std::uint64_t Merger::first_key(Stream& stream) {
  const Record* const record = peek(stream);
  return record == nullptr ? kNever : key_of(stream, record->kind());
}

void Merger::retire(std::uint32_t at) {
  Stream& stream = *streams_[at];
  if (stream.chunk != nullptr) {
    // A record without its operands: the program ended while writing it.
    if (stream.at < Chunk::kRecords && is_there(stream.chunk->records[stream.at])) ++broken_records_;
    session_.give_back(stream.chunk_index);
    ++given_back_;
  }
  Slot& slot = session_->slots[stream.slot];
  slot.first_chunk = 0;
  known_[stream.slot] = false;
  __atomic_store_n(&slot.floor, runtime::kIdle, __ATOMIC_RELAXED);
  __atomic_store_n(&slot.state, Slot::empty, __ATOMIC_RELEASE);
  std::swap(streams_[at], streams_.back());
  streams_.pop_back();
}

void Merger::relieve() {
  const bool idle = given_back_ == given_back_before_;
  given_back_before_ = given_back_;
  if (!idle || !session_.is_starved()) {
    starved_rounds_ = 0;
    return;
  }
  // Twice, for who asked after the round began may be helped by the next.
  if (++starved_rounds_ < 2) return;
  starved_rounds_ = 0;
  const std::uint32_t wanted = __atomic_load_n(&session_->chunks_wanted, __ATOMIC_RELAXED);
  chunks_beyond_ += session_.allow_more(std::max(wanted, 1u));
}

}  // namespace deadheat::record
