#include "clock/flat_clocks.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <new>

namespace deadheat::clock {

namespace {

constexpr std::size_t kFirstBytes = std::size_t{16} << 10, kMostBytes = std::size_t{4} << 20;  // of a chunk
constexpr std::size_t kLine = 64, kHugePage = std::size_t{2} << 20;
constexpr std::size_t kFetched = 16 * kLine;  // of a vector that is longer, the processor foresees the rest

}  // namespace

FlatClocks::~FlatClocks() {
  for (const auto& [first, chunk] : chunks_) std::free(chunk.memory);
}

void FlatClocks::destroy(Vector* vector) {
  const auto at = std::prev(chunks_.upper_bound(vector));
  Chunk& chunk = at->second;
  if (--chunk.vectors > 0) return;
  std::free(chunk.memory);
  bytes_ -= chunk.bytes;
  chunks_.erase(at);
}

void FlatClocks::make_chunk() {
  const std::size_t size = size_of(width_);
  const std::size_t wanted = std::max(size, std::clamp(bytes_ / 4, kFirstBytes, kMostBytes));
  const std::size_t count = wanted / size;
  // In huge pages if it is large: vectors come from anywhere, and a page walk costs as much as a cache miss.
  const std::size_t alignment = count * size >= kHugePage ? kHugePage : kLine;
  Chunk chunk{.bytes = (count * size + alignment - 1) / alignment * alignment, .vectors = count};
  chunk.memory = static_cast<char*>(std::aligned_alloc(alignment, chunk.bytes));
  if (chunk.memory == nullptr) throw std::bad_alloc();
  if (alignment == kHugePage) ::madvise(chunk.memory, chunk.bytes, MADV_HUGEPAGE);  // a wish
  bytes_ += chunk.bytes;
  auto* const times = reinterpret_cast<Time*>(chunk.memory);
  auto* const vectors = reinterpret_cast<Vector*>(times + count * width_);
  chunks_.emplace(vectors, chunk);
  for (std::size_t i = count; i-- > 0;) {
    vectors[i] = {0, width_, times + i * width_};
    free_.push_back(&vectors[i]);
  }
}

void FlatClocks::checked(std::uint32_t slot) {
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
    const char* const next = reinterpret_cast<const char*>(free_.back()->times());
    for (std::size_t at = 0; at < std::min(width_ * sizeof(Time), kFetched); at += kLine)
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
  renew(own, wide);
}

void FlatClocks::join_new(Own& own, const Message& message) {
  const Vector* const from = message.vector;
  // The message may be from when there were fewer threads.
  const bool sum = message.last.none();
  if (sum && !any_later(from->times(), own.times(), from->width)) return;
  Vector* const joined = make();
  join_times(joined->times(), own.times(), from->times(), from->width);
  std::copy(own.times() + from->width, own.times() + width_, joined->times() + from->width);
  if (!sum) {
    Time& entry = joined->times()[index(message.last.thread())];
    entry = std::max(entry, message.last.time());
  }
  drop(own.vector);
  renew(own, joined);
}

Time* FlatClocks::as_sum(Message& message) {
  if (message.last.none() && message.vector->references == 1 && message.vector->width == width_) {
    return message.vector->times();
  }
  Own copy{message.vector, message.vector->times()};
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
  join_times(sum, sum, own.times(), width_);
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
