// What is remembered of each variable, by the bytes of its cell. Accesses of one size to one place, which is
// nearly all of them, find one state; accesses that overlap in part split it, so that two accesses meet in a
// state if and only if they share bytes. What is done to much memory at once, of which little may ever be
// visited, is kept by stretches, and given to a cell when it is first visited.
#pragma once

#include <algorithm>
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
  // f(state) for the parts of the cell that the bytes touch, if the bytes are no less and no more than these
  // parts, and ready(state) holds of all; else nothing is done, and the answer is false.
  template <class Ready, class F>
  bool visit_whole_parts(std::uint32_t place, ByteMask bytes, Ready&& ready, F&& f) {
    unsigned rest = bytes;
    for (State* part = &cell(place);; part = &parts_[part->next]) {
      if ((part->mask & bytes) != 0) {
        if ((part->mask & ~bytes) != 0 || !ready(*part)) return false;
        rest &= ~static_cast<unsigned>(part->mask);
      }
      if (part->next == 0 || rest == 0) break;
    }
    if (rest != 0) return false;
    rest = bytes;
    for (State* part = &cell(place); rest != 0; part = &parts_[part->next]) {
      if ((part->mask & bytes) == 0) continue;
      rest &= ~static_cast<unsigned>(part->mask);
      f(*part);
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
    unsigned known = 0;
    for (std::uint32_t at = 0;;) {
      const State& part = at == 0 ? cell(place) : parts_[at];
      known |= part.mask;
      if (part.next == 0) break;
      at = part.next;
    }
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
    return (chunks << kChunkBits) * sizeof(State) + parts_.capacity() * sizeof(State) + unvisited_.bytes();
  }
  // f(state) for every state in use.
  template <class F>
  void for_each(F&& f) {
    each_visited(0, first_.size(), [&](std::uint32_t place) { f(first_[place]); });
    for (State& state : parts_) f(state);
    unvisited_.for_each(f);
  }
  template <class F>
  void for_each(F&& f) const {
    each_visited(0, first_.size(), [&](std::uint32_t place) { f(first_[place]); });
    for (const State& state : parts_) f(state);
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
        first.next = make_part(copy, mask, first.next);
      }
    });
    if (first_[place].mask == 0) return false;
    use(place);
    return true;
  }
  std::uint32_t make_part(const State& like, ByteMask mask, std::uint32_t next) {
    const auto at = static_cast<std::uint32_t>(parts_.size());
    parts_.push_back(like);
    parts_[at].mask = mask;
    parts_[at].next = next;
    return at;
  }
  template <class F>
  [[gnu::noinline]] void visit_parts(State& first, ByteMask bytes, F& f) {
    unsigned rest = bytes;
    for (std::uint32_t at = 0;;) {
      // By number, since parts_ may move when it grows.
      const auto part = [&]() -> State& { return at == 0 ? first : parts_[at]; };
      const unsigned shared = part().mask & bytes;
      if (shared != 0) {
        if (shared != part().mask) {
          const auto other = static_cast<ByteMask>(part().mask & ~shared);
          const State copy = part().clone();
          const std::uint32_t split = make_part(copy, other, part().next);
          part().mask = static_cast<ByteMask>(shared);
          part().next = split;
        }
        f(part());
        rest &= ~shared;
        if (rest == 0) return;
      }
      if (part().next == 0) {
        const std::uint32_t fresh = make_part(State{}, static_cast<ByteMask>(rest), 0);
        part().next = fresh;
        return f(parts_[fresh]);
      }
      at = part().next;
    }
  }

  base::ZeroArray<State> first_;
  std::vector<std::uint64_t> in_use_;                 // a bit for each chunk of cells
  std::vector<State> parts_ = std::vector<State>(1);  // 0 is none
  Stretches<State> unvisited_;                        // of no meaning for cells that are visited
};

}  // namespace deadheat::model
