// Accesses that were kept, by who did what where in which context. A cell has a few places for the last of
// them; an entry is exact, so that no access is taken for another, and what was driven out is looked at once
// more. A cell's entries are in one line, which can be fetched ahead.
//
// Fit for threads that run side by side: an entry is a word, to be read and written as a relaxed atomic. A
// thread that overwrites another's makes that one look once more; a context is one thread's alone, so nobody
// takes another's entry for his own. Only renew() must come before the memory is given out.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/zero_array.h"
#include "deadheat/event.h"
#include "model/bytes.h"

namespace deadheat::filter {

// What is done to a cell, in a word: site, kind and bytes. 0: not to be remembered.
inline constexpr std::uint32_t kMostSites = 1u << 21;
inline std::uint32_t deed(SiteId site, EventKind kind, model::ByteMask bytes) {
  static_assert(static_cast<unsigned>(EventKind::atomic_rmw) < 8, "3 bits");
  if (index(site) >= kMostSites) return 0;
  return index(site) << 11 | static_cast<std::uint32_t>(kind) << 8 | bytes;
}

inline constexpr std::size_t kWays = 4;  // entries of a cell, the latest first

// Puts an entry in front, and drives out the last.
template <class Entry>
void put_first(Entry* entries, const Entry& entry) {
  for (std::size_t i = kWays - 1; i > 0; --i) entries[i] = entries[i - 1];
  entries[0] = entry;
}

// An access of one thread. All zeros is none: contexts are not 0.
struct ByOneThread {
  std::uint64_t key;

  // Whether it is among them; it is now, in any case. All of them are compared: no branch can be foretold
  // less than where it is.
  static bool repeats(ByOneThread* entries, std::uint64_t wanted, std::uint32_t /*thread*/) {
    unsigned known = 0;
    for (std::size_t i = 0; i < kWays; ++i) known |= entries[i].key == wanted ? 1u : 0u;
    if (known == 0) put_first(entries, {wanted});
    return known != 0;
  }
};

// An access in a context that threads share: the first two threads are known, and stand for all.
struct ByTwoThreads {
  std::uint64_t key;
  std::uint32_t first, second;  // plus one; 0 is nobody

  static bool repeats(ByTwoThreads* entries, std::uint64_t wanted, std::uint32_t thread) {
    ByTwoThreads* const end = entries + kWays;
    ByTwoThreads* const at = std::find_if(entries, end, [&](const auto& e) { return e.key == wanted; });
    if (at == end) {
      put_first(entries, {wanted, thread + 1, 0});
      return false;
    }
    if (at->first == thread + 1 || at->second != 0) return true;
    at->second = thread + 1;
    return false;
  }
};

template <class Entry>
class Remembered {
 public:
  // Of cells of higher numbers than so many bytes hold nothing is remembered.
  explicit Remembered(std::uint64_t bytes) : most_cells_(bytes / (kWays * sizeof(Entry))) {}

  // Ids of variables are below this from now on.
  void reserve(std::uint64_t cells) {
    cells = std::min(cells, most_cells_);
    if (cells <= cells_) return;
    entries_.grow(cells * kWays);
    cells_ = std::min<std::uint64_t>(entries_.size() / kWays, most_cells_);
  }

  // What a loop keeps in registers.
  class Hand {
   public:
    bool knows(std::uint32_t cell) const { return cell < cells_; }
    // Whether the thread's access is a repetition of one that is remembered; it is remembered now. Of cells
    // that it knows, and deeds that are not 0.
    bool repeats(std::uint32_t cell, std::uint32_t deed, std::uint32_t thread, std::uint32_t context) {
      return Entry::repeats(entries_ + cell * kWays, std::uint64_t{context} << 32 | deed, thread);
    }
    // Of any number: what is not there is not fetched.
    void prefetch(std::uint32_t cell) const {
      const auto at =
          reinterpret_cast<std::uintptr_t>(entries_) + std::uint64_t{cell} * kWays * sizeof(Entry);
      __builtin_prefetch(reinterpret_cast<const void*>(at), 1);  // NOLINT(performance-no-int-to-ptr)
    }

   private:
    friend Remembered;
    Hand(Entry* entries, std::uint64_t cells) : entries_(entries), cells_(cells) {}
    Entry* entries_;
    std::uint64_t cells_;
  };
  Hand hand() { return {&entries_[0], cells_}; }

  // What was done to these cells does not count any more. For few cells.
  void forget(std::uint64_t first, std::uint64_t cells) {
    const std::uint64_t end = std::min(first + cells, cells_);
    if (first < end) std::fill(&entries_[first * kWays], &entries_[0] + end * kWays, Entry{});
  }
  void clear() { forget(0, cells_); }
  std::uint64_t bytes() const { return entries_.size() * sizeof(Entry); }

 private:
  std::uint64_t most_cells_, cells_ = 0;
  base::ZeroArray<Entry> entries_;
};

}  // namespace deadheat::filter
