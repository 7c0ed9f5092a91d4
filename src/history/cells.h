// What is remembered of each variable, by the bytes of its cell. Accesses of one size to one place, which is
// nearly all of them, find one state; accesses that overlap in part split it, so that two accesses meet in a
// state if and only if they share bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/zero_pages.h"
#include "deadheat/event.h"
#include "history/access.h"

namespace deadheat::history {

// State: all zeros, as default-constructed, is "never accessed". It can be moved by copying its bytes, has
// `ByteMask mask` (0: not in use), `std::uint32_t next` (0: none), and clone(), which shares nothing with the
// original, for cells that are split. Cells are found by place: dense numbers.
template <class State>
class Cells {
 public:
  // Calls f(state) for each part of the cell that the bytes touch; together the parts are those bytes.
  template <class F>
  void visit(std::uint32_t place, ByteMask bytes, F&& f) {
    State& first = cell(place);
    if (first.mask == bytes) [[likely]] {
      f(first);
    } else if (first.mask == 0) {
      first.mask = bytes;
      f(first);
    } else {
      visit_parts(first, bytes, f);
    }
  }
  // The same for the parts that were accessed before: nothing new is made.
  template <class F>
  void visit_known(std::uint32_t place, ByteMask bytes, F&& f) {
    if (!exists(place) || cell(place).mask == 0) return;
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
  void prefetch(std::uint32_t place) const {
    const std::size_t page = place >> kPageBits;
    if (page < pages_.size()) __builtin_prefetch(pages_[page] + (place & kPageMask), 1);
  }
  std::size_t bytes() const {
    return owned_.size() * kPageStates * sizeof(State) + parts_.capacity() * sizeof(State);
  }
  // f(state) for every state there is.
  template <class F>
  void for_each(F&& f) {
    for (State* const page : pages_) {
      if (page != none()) std::for_each_n(page, kPageStates, f);
    }
    for (State& state : parts_) f(state);
  }

 private:
  static constexpr unsigned kPageBits = 16;
  static constexpr std::size_t kPageStates = std::size_t{1} << kPageBits;
  static constexpr std::uint32_t kPageMask = kPageStates - 1;

  // Stands for pages that were never touched: prefetching it is harmless.
  static State* none() {
    static State page[1];
    return page;
  }
  bool exists(std::uint32_t place) const {
    const std::size_t page = place >> kPageBits;
    return page < pages_.size() && pages_[page] != none();
  }
  State& cell(std::uint32_t place) {
    const std::size_t page = place >> kPageBits;
    if (page >= pages_.size() || pages_[page] == none()) [[unlikely]]
      make_page(page);
    return pages_[page][place & kPageMask];
  }
  [[gnu::noinline]] void make_page(std::size_t page) {
    if (page >= pages_.size()) pages_.resize(page + 1, none());
    // Small traces touch the first page only, and little of it.
    owned_.emplace_back(kPageStates * sizeof(State),
                        page == 0 ? base::ZeroPages::Size::small : base::ZeroPages::Size::huge);
    pages_[page] = static_cast<State*>(owned_.back().data());
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

  std::vector<State*> pages_;
  std::vector<base::ZeroPages> owned_;
  std::vector<State> parts_ = std::vector<State>(1);  // 0 is none
};

}  // namespace deadheat::history
