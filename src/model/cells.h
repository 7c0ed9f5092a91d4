// What is remembered of each variable, by the bytes of its cell. Accesses of one size to one place, which is
// nearly all of them, find one state; accesses that overlap in part split it, so that two accesses meet in a
// state if and only if they share bytes. What is done to much memory at once, of which little may ever be
// visited, is kept by stretches, and given to a cell when it is first visited.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/zero_array.h"
#include "deadheat/event.h"
#include "model/bytes.h"
#include "model/stretches.h"

namespace deadheat::model {

// State: all zeros, as default-constructed, is "never accessed". It can be moved by copying its bytes, has
// `ByteMask mask` (0: not in use), `std::uint32_t next` (0: none), and clone(), which shares nothing with the
// original, for cells that are split. Cells are found by place: dense numbers.
template <class State>
class Cells {
 public:
  // Places below this may be asked for from now on.
  void reserve(std::uint64_t places) {
    if (places <= first_.size()) return;
    first_.grow(places);
    in_use_.resize((first_.size() >> kChunkBits) / 64 + 1);
  }
  // The first part of a cell.
  State& cell(std::uint32_t place) { return first_[place]; }
  const State& cell(std::uint32_t place) const { return first_[place]; }
  // Calls f(state) for each part of the cell that the bytes touch; together the parts are those bytes.
  template <class F>
  void visit(std::uint32_t place, ByteMask bytes, F&& f) {
    State& first = cell(place);
    if (first.mask == bytes) [[likely]] {
      f(first);
    } else if (first.mask == 0) {
      use(place);
      if (take_over(place)) [[unlikely]]
        return visit_parts(first, bytes, f);
      first.mask = bytes;
      f(first);
    } else {
      visit_parts(first, bytes, f);
    }
  }
  // f(state) for the parts of a divided cell that the bytes touch, if the bytes are no less and no more than
  // these parts, and ready(state) holds of all; else nothing is done, and the answer is false.
  template <class Ready, class F>
  bool visit_whole_parts(std::uint32_t place, ByteMask bytes, Ready&& ready, F&& f) {
    State& first = cell(place);
    if (first.next == 0) return false;
    const auto fits = [&](const State& part) { return (part.mask & ~bytes) == 0 && ready(part); };
    const bool at_first = (first.mask & bytes) != 0;
    if (at_first && !fits(first)) return false;
    const unsigned rest = bytes & ~static_cast<unsigned>(first.mask);
    if ((first.next & kInBlock) == 0) {
      State& other = single_[first.next];
      if (rest != 0 && ((other.mask & rest) != rest || !fits(other))) return false;
      if (at_first) f(first);
      if (rest != 0) f(other);
      return true;
    }
    Block& block = blocks_[first.next & ~kInBlock];
    for (unsigned left = rest; left != 0;) {
      const int at = std::countr_zero(left);
      State& part = block[static_cast<unsigned>(at)];
      if ((part.mask >> at & 1) == 0 || !fits(part)) return false;
      left &= ~static_cast<unsigned>(part.mask);
    }
    if (at_first) f(first);
    for (unsigned left = rest; left != 0;) {
      State& part = block[static_cast<unsigned>(std::countr_zero(left))];
      left &= ~static_cast<unsigned>(part.mask);
      f(part);
    }
    return true;
  }
  // f(place) for the cells from `begin` to `end` that were ever visited, in order: in time of what was
  // visited, however many cells there are.
  template <class F>
  void each_visited(std::uint64_t begin, std::uint64_t end, F&& f) const {
    end = std::min<std::uint64_t>(end, first_.size());
    for (std::uint64_t chunk = begin >> kChunkBits; chunk << kChunkBits < end; ++chunk) {
      const std::uint64_t rest = in_use_[chunk / 64] >> (chunk % 64);
      if (rest == 0) {
        chunk |= 63;  // none of these
        continue;
      }
      chunk += static_cast<std::uint64_t>(std::countr_zero(rest));
      const std::uint64_t from = std::max(begin, chunk << kChunkBits);
      const std::uint64_t to = std::min(end, (chunk + 1) << kChunkBits);
      for (std::uint64_t place = from; place < to; ++place) {
        if (first_[place].mask != 0) f(static_cast<std::uint32_t>(place));
      }
    }
  }
  // The same for the parts that were accessed before: nothing new is made.
  template <class F>
  void visit_known(std::uint32_t place, ByteMask bytes, F&& f) {
    if (cell(place).mask == 0 && !take_over(place)) return;
    const unsigned known = known_bytes(cell(place));
    if ((known & bytes) != 0) visit(place, static_cast<ByteMask>(known & bytes), f);
  }
  // These bytes are as if never accessed. forget(state) is called before a state is lost.
  template <class F>
  void forget(std::uint32_t place, ByteMask bytes, F&& forget) {
    visit_known(place, bytes, [&](State& state) {
      forget(state);
      const ByteMask mask = state.mask;
      const std::uint32_t next = state.next;
      state = State{};
      state.mask = mask;
      state.next = next;
    });
  }

  // If the cell is not visited yet: it gets what was done to the stretches it is in. True if there was any.
  bool take_over(std::uint32_t place) {
    return !unvisited_.empty() && cell(place).mask == 0 && take_over_stretches(place);
  }
  // Of all cells of the stretch that were never visited: f(state, part) for parts that together are it. One
  // state stands for all of these cells in its part.
  template <class F>
  void visit_unvisited(Stretch stretch, F&& f) {
    unvisited_.visit(stretch, f);
  }
  // The same for parts that were known before.
  template <class F>
  void visit_unvisited_known(Stretch stretch, F&& f) const {
    unvisited_.visit_known(stretch, f);
  }
  template <class F>
  void forget_unvisited(Stretch stretch, F&& forget) {
    unvisited_.forget(stretch, forget);
  }
  // Of a stretch that is not empty.
  std::optional<std::uint32_t> first_unvisited(Stretch stretch) const {
    for (std::uint64_t place = stretch.begin / kCellBytes; place * kCellBytes < stretch.end; ++place) {
      if (first_[place].mask == 0) return static_cast<std::uint32_t>(place);
    }
    return std::nullopt;
  }

  void prefetch(std::uint32_t place) const { __builtin_prefetch(&first_[place], 1); }
  std::size_t bytes() const {
    std::size_t chunks = 0;
    for (const std::uint64_t bits : in_use_) chunks += static_cast<std::size_t>(std::popcount(bits));
    return (chunks << kChunkBits) * sizeof(State) + single_.capacity() * sizeof(State) +
           blocks_.capacity() * sizeof(Block) + unvisited_.bytes();
  }
  // f(state) for every state in use.
  template <class F>
  void for_each(F&& f) {
    each_visited(0, first_.size(), [&](std::uint32_t place) { f(first_[place]); });
    for (State& state : single_) f(state);
    for (Block& block : blocks_) {
      for (State& state : block) f(state);
    }
    unvisited_.for_each(f);
  }
  template <class F>
  void for_each(F&& f) const {
    each_visited(0, first_.size(), [&](std::uint32_t place) { f(first_[place]); });
    for (const State& state : single_) f(state);
    for (const Block& block : blocks_) {
      for (const State& state : block) f(state);
    }
    unvisited_.for_each(f);
  }

 private:
  static constexpr unsigned kChunkBits = 7;

  void use(std::uint32_t place) {
    const std::size_t chunk = place >> kChunkBits;
    in_use_[chunk / 64] |= std::uint64_t{1} << (chunk % 64);
  }
  [[gnu::noinline]] bool take_over_stretches(std::uint32_t place) {
    const std::uint64_t begin = std::uint64_t{place} * kCellBytes;
    unvisited_.visit_known({begin, begin + kCellBytes}, [&](const State& state, Stretch part) {
      const unsigned below_end = (1u << (part.end - begin)) - 1, below = (1u << (part.begin - begin)) - 1;
      const auto mask = static_cast<ByteMask>(below_end & ~below);
      State& first = first_[place];
      const State copy = state.clone();
      if (first.mask == 0) {
        first = copy;
        first.mask = mask;
      } else {
        add_part(first, copy, mask);
      }
    });
    if (first_[place].mask == 0) return false;
    use(place);
    return true;
  }
  // Of a cell that is divided `next` of the first part is the number of the only other one, or of a block, if
  // there are more. In a block each part is at its lowest byte, where it is found at once.
  static constexpr std::uint32_t kInBlock = std::uint32_t{1} << 31;
  using Block = std::array<State, kCellBytes>;

  static unsigned lowest(unsigned mask) { return static_cast<unsigned>(std::countr_zero(mask)); }
  unsigned known_bytes(const State& first) const {
    unsigned known = first.mask;
    if (first.next == 0) return known;
    if ((first.next & kInBlock) == 0) return known | single_[first.next].mask;
    for (const State& part : blocks_[first.next & ~kInBlock]) known |= part.mask;
    return known;
  }
  // The part besides the first that has this byte; nullptr if there is none.
  State* other_with(const State& first, unsigned byte) {
    if (first.next == 0) return nullptr;
    if ((first.next & kInBlock) == 0) {
      State& other = single_[first.next];
      return (other.mask >> byte & 1) != 0 ? &other : nullptr;
    }
    Block& block = blocks_[first.next & ~kInBlock];
    for (unsigned at = byte + 1; at-- > 0;) {
      if ((block[at].mask >> byte & 1) != 0) return &block[at];
    }
    return nullptr;
  }
  // Of bytes that no other part has, if the first is not asked.
  void add_part(State& first, State part, unsigned mask) {
    part.mask = static_cast<ByteMask>(mask);
    part.next = 0;
    if (first.next == 0) {
      first.next = take_single();
      single_[first.next] = part;
      return;
    }
    if ((first.next & kInBlock) == 0) {
      const auto number = static_cast<std::uint32_t>(blocks_.size());
      State& other = blocks_.emplace_back()[lowest(single_[first.next].mask)];
      other = give_back_single(first.next);
      first.next = number | kInBlock;
    }
    blocks_[first.next & ~kInBlock][lowest(mask)] = part;
  }
  std::uint32_t take_single() {
    if (free_single_ == 0) {
      single_.emplace_back();
      return static_cast<std::uint32_t>(single_.size() - 1);
    }
    const std::uint32_t number = free_single_;
    free_single_ = single_[number].next;
    return number;
  }
  State give_back_single(std::uint32_t number) {
    const State state = single_[number];
    single_[number] = State{};
    single_[number].next = free_single_;
    free_single_ = number;
    return state;
  }
  // Divides another part than the first: some of its bytes, and the rest.
  void split_other(State& first, State& part, unsigned some) {
    const unsigned rest = part.mask & ~some;
    const bool some_move = lowest(rest) < lowest(some);
    const State copy = part.clone();
    part.mask = static_cast<ByteMask>(some_move ? rest : some);
    add_part(first, copy, some_move ? some : rest);
  }

  template <class F>
  [[gnu::noinline]] void visit_parts(State& first, ByteMask bytes, F& f) {
    unsigned rest = bytes;
    if (const unsigned shared = first.mask & bytes; shared != 0) {
      if (shared != first.mask) {
        const unsigned other = first.mask & ~shared;
        const State copy = first.clone();
        first.mask = static_cast<ByteMask>(shared);
        add_part(first, copy, other);
      }
      f(first);
      rest &= ~shared;
    }
    while (rest != 0) {
      State* part = other_with(first, lowest(rest));
      if (part == nullptr) {
        add_part(first, State{}, rest & ~known_bytes(first));
        part = other_with(first, lowest(rest));
      }
      const unsigned shared = part->mask & bytes;
      if (shared != part->mask) {
        split_other(first, *part, shared);
        part = other_with(first, lowest(shared));
      }
      f(*part);
      rest &= ~shared;
    }
  }

  base::ZeroArray<State> first_;
  std::vector<std::uint64_t> in_use_;                  // a bit for each chunk of cells
  std::vector<State> single_ = std::vector<State>(1);  // 0 is none
  std::uint32_t free_single_ = 0;                      // a list, by `next`
  std::vector<Block> blocks_;
  Stretches<State> unvisited_;  // of no meaning for cells that are visited
};

}  // namespace deadheat::model
