#include "clock/flat_clocks.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace deadheat::clock {

namespace {

constexpr std::size_t kFirstBytes = std::size_t{16} << 10, kMostBytes = std::size_t{1} << 20;  // of a chunk
constexpr std::size_t kLine = 64;
constexpr std::size_t kFetched = 16 * kLine;  // of a vector that is longer, the processor foresees the rest

}  // namespace

FlatClocks::~FlatClocks() {
  for (const Chunk& chunk : chunks_) std::free(chunk.memory);
}

void FlatClocks::destroy(Vector* vector) {
  Chunk& chunk = chunks_[vector->chunk];
  if (--chunk.vectors > 0) return;
  std::free(chunk.memory);
  bytes_ -= chunk.bytes;
  chunk = {};
}

void FlatClocks::make_chunk() {
  const std::size_t size = size_of(width_);
  const std::size_t wanted = std::max(size, std::clamp(bytes_ / 4, kFirstBytes, kMostBytes));
  Chunk chunk{.bytes = wanted / size * size, .vectors = wanted / size};
  chunk.memory = static_cast<char*>(std::aligned_alloc(alignof(Vector), chunk.bytes));
  if (chunk.memory == nullptr) throw std::bad_alloc();
  bytes_ += chunk.bytes;
  chunks_.push_back(chunk);
  for (std::size_t i = chunk.vectors; i-- > 0;) {
    auto* const vector = reinterpret_cast<Vector*>(chunk.memory + i * size);
    vector->width = width_;
    vector->chunk = chunks_.size() - 1;
    free_.push_back(vector);
  }
}

void FlatClocks::begin(std::uint32_t slot) {
  slot_ = slot;
  for (Vector* vector : limbo_[slot]) {
    if (vector->width == width_) {
      free_.push_back(vector);
    } else {
      destroy(vector);
    }
  }
  limbo_[slot].clear();
}

bool FlatClocks::reserve(std::uint32_t threads) {
  if (threads <= width_) return false;
  width_ = static_cast<std::uint32_t>(whole_steps(std::max<std::size_t>(threads, 2 * std::size_t{width_})));
  for (Vector* vector : free_) destroy(vector);
  free_.clear();
  return true;
}

FlatClocks::Vector* FlatClocks::make() {
  if (free_.empty()) make_chunk();
  Vector* const vector = free_.back();
  free_.pop_back();
  vector->references = 1;
  if (!free_.empty()) {
    // The next one may have been out of use for long: time enough to fetch it until it is written.
    const char* const next = reinterpret_cast<const char*>(free_.back());
    for (std::size_t at = 0; at < std::min(size_of(width_), kFetched); at += kLine)
      __builtin_prefetch(next + at, 1);
  }
  return vector;
}

void FlatClocks::widen(Own& own) {
  Vector* const wide = make();
  std::size_t known = 0;
  if (own.vector != nullptr) {
    known = own.vector->width;
    std::copy_n(own.vector->times(), known, wide->times());
    drop(own.vector);
  }
  std::fill(wide->times() + known, wide->times() + width_, Time{0});
  own.vector = wide;
}

void FlatClocks::join_new(Own& own, const Message& message) {
  const Vector* const from = message.vector;
  // The message may be from when there were fewer threads.
  const bool sum = message.last.none();
  if (sum && !any_later(from->times(), own.vector->times(), from->width)) return;
  Vector* const joined = make();
  join_times(joined->times(), own.vector->times(), from->times(), from->width);
  std::copy(own.vector->times() + from->width, own.vector->times() + width_, joined->times() + from->width);
  if (!sum) {
    Time& entry = joined->times()[index(message.last.thread())];
    entry = std::max(entry, message.last.time());
  }
  drop(own.vector);
  own.vector = joined;
}

Time* FlatClocks::as_sum(Message& message) {
  if (message.last.none() && message.vector->references == 1 && message.vector->width == width_) {
    return message.vector->times();
  }
  Own copy{message.vector};
  ++message.vector->references;
  widen(copy);
  drop(message.vector);
  message.vector = copy.vector;
  if (!message.last.none()) {
    Time& entry = message.vector->times()[index(message.last.thread())];
    entry = std::max(entry, message.last.time());
    message.last = {};
  }
  return message.vector->times();
}

void FlatClocks::add(Message& message, const Own& own, ThreadId t, Time time) {
  // What this thread knows already, or said before, need not be kept beside what it says now.
  const ThreadId u = message.last.thread();
  if (message.vector == nullptr || (!message.last.none() && (u == t || get(own, u) >= message.last.time()))) {
    return assign(message, own, t, time);
  }
  Time* const sum = as_sum(message);
  join_times(sum, sum, own.vector->times(), width_);
  sum[index(t)] = std::max(sum[index(t)], time);
}

void FlatClocks::add(Message& message, const Message& other) {
  if (other.vector == nullptr || message.vector == other.vector) {
    if (other.vector == nullptr || message.last == other.last) return;
  }
  if (message.vector == nullptr) return assign(message, other);
  Time* const sum = as_sum(message);
  join_times(sum, sum, other.vector->times(), other.vector->width);
  if (!other.last.none()) {
    Time& entry = sum[index(other.last.thread())];
    entry = std::max(entry, other.last.time());
  }
}

}  // namespace deadheat::clock
