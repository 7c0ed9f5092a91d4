#include "filter/rex.h"

#include <algorithm>
#include <bit>

#include "filter/contexts.h"
#include "filter/remembered.h"

namespace deadheat::filter {

namespace {

// Of more cells than this an access is always looked at: its cells would drive out all else.
constexpr std::uint64_t kMostCells = 1024;

}  // namespace

bool Rest::pass(std::size_t events, std::uint64_t seen, std::uint64_t left_out) {
  if (window_ == 0) return false;
  seen_ += seen;
  left_out_ += left_out;
  if (resting_) rested_ += events;
  left_ -= events;
  if (left_ > 0) return false;
  const bool wakes = resting_;
  if (resting_) {
    resting_ = false;
    left_ = window_;
  } else if (kOneIn * left_out_ < seen_) {
    resting_ = true;
    left_ = windows_ * window_;
    windows_ = std::min(2 * windows_, kLongest);
  } else {
    left_ = window_;
    windows_ = 1;
  }
  seen_ = left_out_ = 0;
  return wakes;
}

template <class Contexts, class Memory>
void Rex<Contexts, Memory>::filter(const SortedBlock& block, EventSet& kept) {
  // More than a block and all threads can use up.
  if (!contexts_.numbers_left(2 * kMaxBlockEvents + 2 * std::uint64_t{block.threads})) {
    memory_.clear();
    contexts_.restart();
  }
  contexts_.reserve(block.threads);
  for (std::size_t at = 0; at < block.events.size();) {
    const std::size_t events = rest_.stretch(block.events.size() - at);
    seen_ = left_out_ = 0;
    if (!rest_.resting()) {
      look(block, at, at + events, kept);
    } else if constexpr (Contexts::kFollowsLocks) {
      follow_locks(block, at, at + events);
    }
    // What happened meanwhile is not known: nothing from before counts.
    if (rest_.pass(events, seen_, left_out_)) contexts_.renew();
    at += events;
  }
}

template <class Contexts, class Memory>
void Rex<Contexts, Memory>::look(const SortedBlock& block, std::size_t begin, std::size_t end,
                                 EventSet& kept) {
  const std::uint16_t* const ops = block.events.op.data();
  const std::uint32_t* const threads = block.events.thread.data();
  const std::uint32_t* const objects = block.events.object.data();
  const engine::OpClass* const classes = block.classes.data();
  std::uint64_t seen = 0, left_out = 0;
  for (std::size_t i = begin; i < end;) {
    std::uint64_t& word = kept.words()[i / 64];
    const std::uint64_t there = word;
    const std::size_t stop = std::min(end, (i / 64 + 1) * 64);
    std::uint64_t gone = 0;
    for (; i < stop; ++i) {
      if ((there >> (i % 64) & 1) == 0) [[unlikely]]
        continue;
      const engine::OpClass c = classes[ops[i]];
      bool repeats;
      if (c.kind != engine::OpClass::other) [[likely]] {
        const std::uint32_t t = threads[i];
        repeats = memory_.repeats({objects[i], c.site, c.event, c.bytes}, t, contexts_.now(t));
        ++seen;
      } else {
        repeats = repeats_with_care(block, i);
      }
      gone |= std::uint64_t{repeats} << (i % 64);
    }
    word = there & ~gone;
    left_out += static_cast<std::uint64_t>(std::popcount(gone));
  }
  seen_ += seen;
  left_out_ += left_out;
}

template <class Contexts, class Memory>
void Rex<Contexts, Memory>::follow_locks(const SortedBlock& block, std::size_t begin, std::size_t end) {
  const auto order = block.order();
  for (auto at = std::ranges::lower_bound(order, begin); at != order.end() && *at < end; ++at) {
    const Op& op = block.events.ops[block.events.op[*at]];
    if (object_kind(op.kind) != ObjectKind::lock) continue;
    contexts_.event(block.events.thread[*at], op, block.events.object[*at]);
  }
}

// All but plain accesses of one cell.
template <class Contexts, class Memory>
[[gnu::noinline]] bool Rex<Contexts, Memory>::repeats_with_care(const SortedBlock& block, std::size_t i) {
  const Op& op = block.events.ops[block.events.op[i]];
  const std::uint32_t t = block.events.thread[i], object = block.events.object[i];
  bool repeats = false;
  if (is_access(op.kind)) {
    ++seen_;
    if (cells(op) <= kMostCells) {
      repeats = true;
      model::ByteRange{VarId{object}, op}.each_cell([&](std::uint32_t cell, model::ByteMask bytes) {
        repeats &= memory_.repeats({cell, op.site, op.kind, bytes}, t, contexts_.now(t));
      });
    }
  } else if (op.kind == EventKind::alloc) {
    memory_.renew(object, cells(op));
    return false;
  } else if (op.kind == EventKind::free) {
    return false;
  } else if (block.is_inner(static_cast<std::uint32_t>(i))) {
    return false;
  }
  // An atomic passes on itself, too: this comes after it.
  contexts_.event(t, op, object);
  return repeats;
}

template <class Contexts, class Memory>
std::vector<Counter> Rex<Contexts, Memory>::counters() const {
  return {{"accesses forgotten for others", memory_.forgotten()},
          {"contexts forgotten", contexts_.forgotten()},
          {"events not asked for since little was left out", rest_.rested()}};
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
    return std::make_unique<Rex<OwnReleases, Remembered>>(OwnReleases(), sizes->bytes, sizes->window);
  }
  constexpr std::uint64_t kNodeBytes = 64;  // at most, in a table that is half full when it has grown
  return std::make_unique<Rex<SharedReleases, RememberedTwo>>(SharedReleases(sizes->bytes / kNodeBytes),
                                                              sizes->bytes, sizes->window);
}

Result<std::unique_ptr<Filter>> make_rex_lockset(const engine::Settings& settings) {
  const auto sizes = sizes_of(settings);
  if (!sizes) return fail(sizes.error());
  return std::make_unique<Rex<LocksHeld, Remembered>>(LocksHeld(), sizes->bytes, sizes->window);
}

}  // namespace deadheat::filter
