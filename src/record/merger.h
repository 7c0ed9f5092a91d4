// Merges the streams of a session into one order of all events, as runtime/session.h defines it.
//
// Every event has a key: twice its stamp and one; an access twice its position, so that it stands before the
// event of that number. A round takes all events whose keys are at most twice the watermark, least key first.
// A stream is in the order of its keys, so that a heap of the streams' first keys is enough.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "record/shared_session.h"

namespace deadheat::record {

struct Stream {
  std::uint32_t slot = 0;
  std::uint32_t thread = 0;       // its number
  std::uint32_t node = 0;         // of the depot: who called
  std::uint32_t chunk_index = 0;  // 0: no chunk yet
  runtime::Chunk* chunk = nullptr;
  std::uint32_t at = 0;  // next record of the chunk
  bool is_closed = false;
  std::uint64_t position = 0;
};

class Merger {
 public:
  explicit Merger(SharedSession& session) : session_(session) {}

  // Takes what may be taken now. Sink:
  //   void access(const Stream&, const Record&);   read or write, at most 255 bytes
  //   void event(const Stream&, const Record&, std::uint64_t operand, std::uint64_t second);   all others
  // Returns false if nothing was there to be taken.
  template <class Sink>
  bool round(Sink& sink);
  // The same when the program is no more: everything, whatever it meant to write before.
  template <class Sink>
  void finish(Sink& sink);

  // Lets the program have more memory if it cannot go on, and the last round gave none back.
  void relieve();

  // Of what was written by halves when the program ended.
  std::uint64_t broken_records() const { return broken_records_; }
  // Chunks beyond the bound given by the user, because every chunk was in use.
  std::uint64_t chunks_beyond() const { return chunks_beyond_; }
  std::uint32_t most_streams() const { return most_streams_; }
  // The program wrote into the session what makes no sense: what was read until then is all there is.
  bool is_damaged() const { return is_damaged_; }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  // Records in one round, so that its caller has a say now and then.
  static constexpr std::uint64_t kRoundRecords = std::uint64_t{1} << 20;

  struct Head {
    std::uint64_t key;
    std::uint32_t stream;
    friend bool operator<(const Head& a, const Head& b) { return a.key > b.key; }  // least on top
  };

  static std::uint64_t key_of(const Stream& stream, runtime::Kind kind) {
    return 2 * stream.position + (runtime::has_stamp(kind) ? 1 : 0);
  }
  static bool is_there(const runtime::Record& record) {
    return __atomic_load_n(&record.code, __ATOMIC_ACQUIRE) != 0;
  }

  // Nothing more is read of the stream, nor is its chunk given back.
  bool damage(Stream& stream);
  std::uint64_t watermark();
  void find_streams();
  bool refresh(Stream& stream);
  bool step(Stream& stream);
  const runtime::Record* peek(Stream& stream);
  const runtime::Record* operand(const Stream& stream, unsigned number) const;
  bool skip(Stream& stream, unsigned records);
  std::uint64_t first_key(Stream& stream);
  void retire(std::uint32_t at);
  template <class Sink>
  bool merge(std::uint64_t limit, Sink& sink);
  template <class Sink>
  std::uint64_t take(Stream& stream, std::uint64_t limit, Sink& sink);

  SharedSession& session_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<bool> known_;  // by slot: there is a stream of it
  std::vector<Head> heads_;
  std::uint64_t budget_ = 0;
  std::uint64_t given_back_ = 0;
  std::uint64_t given_back_before_ = 0;
  std::uint64_t broken_records_ = 0, chunks_beyond_ = 0;
  std::uint32_t most_streams_ = 0;
  unsigned starved_rounds_ = 0;
  bool is_over_ = false;
  bool is_damaged_ = false;
};

template <class Sink>
bool Merger::round(Sink& sink) {
  const std::uint64_t below = watermark();
  find_streams();
  const bool worked = merge(2 * below, sink);
  session_.wake_for_chunks();
  return worked;
}

template <class Sink>
void Merger::finish(Sink& sink) {
  is_over_ = true;
  find_streams();
  while (merge(kNever - 1, sink)) {
  }
}

template <class Sink>
bool Merger::merge(std::uint64_t limit, Sink& sink) {
  budget_ = kRoundRecords;
  heads_.clear();
  for (std::uint32_t i = 0; i < streams_.size();) {
    Stream& stream = *streams_[i];
    const bool is_closed = refresh(stream);  // before the records: what is closed has all of them
    const std::uint64_t key = first_key(stream);
    if (key == kNever && is_closed) {
      retire(i);  // the last one moves here
      continue;
    }
    if (key <= limit) heads_.push_back({key, i});
    ++i;
  }
  if (heads_.empty()) return false;
  std::make_heap(heads_.begin(), heads_.end());
  while (!heads_.empty() && budget_ > 0) {
    std::pop_heap(heads_.begin(), heads_.end());
    Head& head = heads_.back();
    const std::uint64_t next = heads_.size() > 1 ? std::min(limit, heads_.front().key) : limit;
    head.key = take(*streams_[head.stream], next, sink);
    if (head.key > limit) {
      heads_.pop_back();
    } else {
      std::push_heap(heads_.begin(), heads_.end());
    }
  }
  return true;
}

// Takes the events with keys up to the limit, and returns the key behind them.
template <class Sink>
std::uint64_t Merger::take(Stream& stream, std::uint64_t limit, Sink& sink) {
  using runtime::Kind;
  using runtime::Record;
  while (budget_ > 0) {
    const Record* record = peek(stream);
    if (record == nullptr) return kNever;
    const Kind kind = record->kind();
    const std::uint64_t key = key_of(stream, kind);
    if (key > limit) return key;
    if (kind <= Kind::write) {
      // Accesses come in rows, all of one position.
      const Record* const first = record;
      const std::uint64_t most = std::min<std::uint64_t>(budget_, runtime::Chunk::kRecords - stream.at);
      const Record* const end = record + most;
      do {
        sink.access(stream, *record);
        ++record;
      } while (record != end && is_there(*record) && record->kind() <= Kind::write);
      const auto taken = static_cast<std::uint32_t>(record - first);
      stream.at += taken;
      budget_ -= taken;
      continue;
    }
    const unsigned operands = runtime::operands(kind);
    // Looked for again: they were there, unless the program is overwriting them.
    const Record* const one = operands > 0 ? this->operand(stream, 1) : record;
    const Record* const other = operands > 1 ? this->operand(stream, 2) : record;
    if (one == nullptr || other == nullptr) {
      damage(stream);
      return kNever;
    }
    const std::uint64_t operand = operands > 0 ? one->what : 0;
    const std::uint64_t second = operands > 1 ? other->what : 0;
    sink.event(stream, *record, operand, second);
    if (!skip(stream, 1 + operands)) return kNever;
    if (runtime::has_stamp(kind)) ++stream.position;
    --budget_;
  }
  return first_key(stream);
}

}  // namespace deadheat::record
