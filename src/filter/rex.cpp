#include "filter/rex.h"

#include <algorithm>
#include <bit>

#include "filter/contexts.h"

namespace deadheat::filter {

namespace {

// What has more cells than this is not gone through.
constexpr std::uint64_t kFewCells = 4096;

constexpr std::size_t kAhead = 16;  // events

}  // namespace

bool Rest::pass(std::size_t events, std::uint64_t left_out) {
  if (window_ == 0) return false;
  left_out_ += left_out;
  if (resting_) rested_ += events;
  left_ -= events;
  if (left_ > 0) return false;
  const bool wakes = resting_;
  if (resting_) {
    resting_ = false;
    left_ = window_;
  } else if (100 * left_out_ < worth_ * window_) {
    resting_ = true;
    left_ = windows_ * window_;
    windows_ = std::min(2 * windows_, kLongest);
  } else {
    left_ = window_;
    windows_ = 1;
  }
  left_out_ = 0;
  return wakes;
}

template <class Contexts, class Entry>
void Rex<Contexts, Entry>::filter(const SortedBlock& block, EventSet& kept) {
  // More than a block and all threads can use up.
  if (!contexts_.numbers_left(2 * kMaxBlockEvents + 2 * std::uint64_t{block.threads})) {
    memory_.clear();
    contexts_.restart();
  }
  contexts_.reserve(block.threads);
  memory_.reserve(block.variables);
  for (std::size_t at = 0; at < block.events.size();) {
    const std::size_t events = rest_.stretch(block.events.size() - at);
    std::uint64_t left_out = 0;
    if (!rest_.resting()) left_out = look(block, at, at + events, kept);
    // What happened meanwhile is not known: nothing from before counts.
    if (rest_.pass(events, left_out)) contexts_.renew();
    at += events;
  }
}

template <class Contexts, class Entry>
std::uint64_t Rex<Contexts, Entry>::look(const SortedBlock& block, std::size_t begin, std::size_t end,
                                         EventSet& kept) {
  if (deeds_.size() < block.classes.size()) deeds_.resize(block.classes.size());
  for (std::size_t code = 0; code < block.classes.size(); ++code) {
    const engine::OpClass& c = block.classes[code];
    deeds_[code] = c.kind == engine::OpClass::other ? 0 : deed(c.site, c.event, c.bytes);
  }
  const std::uint16_t* const ops = block.events.op.data();
  const std::uint32_t* const threads = block.events.thread.data();
  const std::uint32_t* const objects = block.events.object.data();
  const std::uint32_t* const deeds = deeds_.data();
  const std::span<std::uint64_t> words = kept.words();
  const std::size_t size = block.events.size();
  auto memory = memory_.hand();
  std::uint64_t left_out = 0;
  for (std::size_t i = begin; i < end;) {
    const std::size_t first = i / 64 * 64, stop = std::min(end, first + 64);
    const std::uint64_t there = words[first / 64];
    std::uint64_t gone = 0;
    const std::size_t ahead = stop + kAhead <= size ? kAhead : 0;
    for (; i < stop; ++i) {
      memory.prefetch(objects[i + ahead]);
      if ((there >> (i % 64) & 1) == 0) [[unlikely]]
        continue;
      const std::uint32_t what = deeds[ops[i]], cell = objects[i];
      bool repeats;
      if (what != 0 && memory.knows(cell)) [[likely]] {
        const std::uint32_t t = threads[i];
        repeats = memory.repeats(cell, what, t, contexts_.now(t));
      } else {
        repeats = repeats_with_care(block, i);
      }
      gone |= std::uint64_t{repeats} << (i % 64);
    }
    words[first / 64] = there & ~gone;
    left_out += static_cast<std::uint64_t>(std::popcount(gone));
  }
  return left_out;
}

// All but plain accesses of one cell.
template <class Contexts, class Entry>
[[gnu::noinline]] bool Rex<Contexts, Entry>::repeats_with_care(const SortedBlock& block, std::size_t i) {
  const Op& op = block.events.ops[block.events.op[i]];
  const std::uint32_t t = block.events.thread[i], object = block.events.object[i];
  switch (op.kind) {
    case EventKind::alloc:
      renew(object, cells(op));
      return false;
    case EventKind::free:
      return false;
    default:
      break;
  }
  if (!is_access(op.kind)) {
    if (!block.is_inner(static_cast<std::uint32_t>(i))) contexts_.event(t, op, object);
    return false;
  }
  bool repeats =
      cells(op) <= kFewCells && memory_.hand().knows(object + static_cast<std::uint32_t>(cells(op)) - 1);
  if (repeats) {
    auto memory = memory_.hand();
    model::ByteRange{VarId{object}, op}.each_cell([&](std::uint32_t cell, model::ByteMask bytes) {
      const std::uint32_t what = deed(op.site, op.kind, bytes);
      repeats &= what != 0 && memory.repeats(cell, what, t, contexts_.now(t));
    });
  } else {
    ++unknown_;
  }
  // An atomic may pass on, itself too: this comes after it.
  contexts_.event(t, op, object);
  return repeats;
}

template <class Contexts, class Entry>
void Rex<Contexts, Entry>::renew(std::uint32_t first, std::uint64_t cells) {
  if (cells <= kFewCells) return memory_.forget(first, cells);
  // Rather than to go through all of it.
  contexts_.renew();
  ++renewed_;
}

template <class Contexts, class Entry>
std::vector<Counter> Rex<Contexts, Entry>::counters() const {
  return {{"accesses too wide or too far up in memory to be remembered", unknown_},
          {"large allocs, for which all was forgotten", renewed_},
          {"contexts forgotten", contexts_.forgotten()},
          {"events not asked about, since too little was left out", rest_.rested()}};
}

namespace {

struct Sizes {
  std::uint64_t bytes, window;
};
Result<Sizes> sizes_of(const engine::Settings& settings) {
  const auto memory = settings.number("memory", 1, 1 << 20);
  if (!memory) return fail(memory.error());
  const auto window = settings.number("window", 0, UINT64_MAX / 64);
  if (!window) return fail(window.error());
  return Sizes{*memory << 20, *window};
}

}  // namespace

Result<std::unique_ptr<Filter>> make_rex(const engine::Settings& settings) {
  const auto sizes = sizes_of(settings);
  if (!sizes) return fail(sizes.error());
  if (!settings.on("cross-thread")) {
    return std::make_unique<Rex<OwnReleases, ByOneThread>>(OwnReleases(), sizes->bytes, sizes->window);
  }
  constexpr std::uint64_t kNodeBytes = 64;  // at most, in a table that is half full when it has grown
  return std::make_unique<Rex<SharedReleases, ByTwoThreads>>(SharedReleases(sizes->bytes / kNodeBytes),
                                                             sizes->bytes, sizes->window);
}

Result<std::unique_ptr<Filter>> make_rex_lockset(const engine::Settings& settings) {
  const auto sizes = sizes_of(settings);
  if (!sizes) return fail(sizes.error());
  return std::make_unique<Rex<LocksHeld, ByOneThread>>(LocksHeld(), sizes->bytes, sizes->window);
}

}  // namespace deadheat::filter
