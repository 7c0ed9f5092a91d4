// Accesses that were kept, by who did what where in which context, in a table of fixed size. An entry is
// exact, so that no access is taken for another; the last one at a place is the one remembered, so that some
// are forgotten, and looked at once more. One load and one store an access, without a branch. Neighbours of
// one site and thread are beside each other.
//
// Made to be used by many threads at once: the place depends on the thread, a table of each thread's own is
// the same with a part of the places; only renew() is told by others, and a number that rises is read.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/zero_array.h"
#include "deadheat/event.h"
#include "model/bytes.h"

namespace deadheat::filter {

// One cell of an access.
struct What {
  std::uint32_t cell;
  SiteId site;
  EventKind kind;  // read, write or atomic
  model::ByteMask bytes;
};

// How often memory was made new: what was done to it before then does not count. By groups of cells, and in
// fixed memory: groups far apart share a count.
class Renewals {
 public:
  static constexpr unsigned kBits = 21;

  std::uint32_t of(std::uint32_t cell) const { return counts_[cell / kTogether % counts_.size()]; }
  // False if there are no more numbers.
  [[nodiscard]] bool renew(std::uint32_t first, std::uint64_t cells) {
    const std::uint64_t from = first / kTogether;
    const std::uint64_t to = std::min((first + cells - 1) / kTogether, from + counts_.size() - 1);
    bool left = true;
    for (std::uint64_t group = from; group <= to; ++group) {
      left &= ++counts_[group % counts_.size()] < (1u << kBits) - 1;
    }
    return left;
  }
  void restart() { counts_.fill(0); }

 private:
  static constexpr std::uint32_t kTogether = 64;
  std::array<std::uint32_t, 4096> counts_{};
};

// What an entry is besides its cell and site, in a word.
inline std::uint64_t when(const What& what, std::uint32_t context, const Renewals& renewals) {
  static_assert(static_cast<unsigned>(EventKind::atomic_rmw) < 8);
  return std::uint64_t{context} << 32 | std::uint64_t{renewals.of(what.cell)} << 11 |
         static_cast<std::uint64_t>(what.kind) << 8 | what.bytes;
}
inline std::uint64_t where(const What& what) { return std::uint64_t{what.cell} << 32 | index(what.site); }

inline std::uint32_t mixed(const What& what, std::uint32_t thread) {
  return (index(what.site) * 0x9E3779B1u + static_cast<std::uint32_t>(what.kind) * 0x85EBCA77u +
          what.bytes * 0xC2B2AE3Du + thread * 0x27D4EB2Fu) >>
         7;
}

// The number of entries that so many bytes hold, a power of two.
template <class Entry>
std::size_t entries_in(std::uint64_t bytes) {
  return std::bit_floor(std::max<std::uint64_t>(bytes / sizeof(Entry), 1));
}

class Remembered {
 public:
  explicit Remembered(std::uint64_t bytes) : mask_(entries_in<Entry>(bytes) - 1) { entries_.grow(mask_ + 1); }

  // Whether the thread's access is a repetition of one that is remembered; it is now, in any case.
  bool repeats(const What& what, std::uint32_t thread, std::uint32_t context) {
    Entry& entry = entries_[(what.cell + mixed(what, thread)) & mask_];
    const Entry wanted{where(what), when(what, context, renewals_)};
    const bool same = entry.where == wanted.where;
    const bool known = same & (entry.when == wanted.when);
    forgotten_ += !same & (entry.when != 0);
    entry = wanted;
    return known;
  }
  void renew(std::uint32_t first, std::uint64_t cells) {
    if (!renewals_.renew(first, cells)) clear();
  }
  void clear() {
    std::fill_n(&entries_[0], mask_ + 1, Entry{});
    renewals_.restart();
  }
  std::uint64_t bytes() const { return (mask_ + 1) * sizeof(Entry) + sizeof renewals_; }
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  struct Entry {
    std::uint64_t where = 0, when = 0;  // contexts are not 0
  };

  std::size_t mask_;
  base::ZeroArray<Entry> entries_;
  std::uint64_t forgotten_ = 0;
  Renewals renewals_;
};

// The same for contexts that threads share: the first two threads of an entry are known, and stand for all.
class RememberedTwo {
 public:
  explicit RememberedTwo(std::uint64_t bytes) : mask_(entries_in<Entry>(bytes) - 1) {
    entries_.grow(mask_ + 1);
  }

  bool repeats(const What& what, std::uint32_t thread, std::uint32_t context) {
    Entry& entry = entries_[(what.cell + mixed(what, context)) & mask_];
    const Entry wanted{where(what), when(what, context, renewals_), thread + 1, 0};
    if (entry.where != wanted.where || entry.when != wanted.when) {
      forgotten_ += entry.where != wanted.where && entry.when != 0;
      entry = wanted;
      return false;
    }
    if (entry.first == thread + 1 || entry.second != 0) return true;
    entry.second = thread + 1;
    return false;
  }
  void renew(std::uint32_t first, std::uint64_t cells) {
    if (!renewals_.renew(first, cells)) clear();
  }
  void clear() {
    std::fill_n(&entries_[0], mask_ + 1, Entry{});
    renewals_.restart();
  }
  std::uint64_t bytes() const { return (mask_ + 1) * sizeof(Entry) + sizeof renewals_; }
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  struct Entry {
    std::uint64_t where = 0, when = 0;
    std::uint32_t first = 0, second = 0;  // threads plus one; 0 is nobody
  };

  std::size_t mask_;
  base::ZeroArray<Entry> entries_;
  std::uint64_t forgotten_ = 0;
  Renewals renewals_;
};

}  // namespace deadheat::filter
