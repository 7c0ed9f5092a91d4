// A vector of times whose entries are also a list, last changed first: who knows how many changes it has not
// seen need look at so many entries only. Freestanding: see test/freestanding.
// "Ordered lists", section 5 of the paper on sampling timestamps (see versioned_clocks.h), figure 4.
#pragma once

#include <cstddef>
#include <cstdint>

#include "clock/time.h"
#include "clock/times.h"

namespace deadheat::clock {

class OrderedList {
 public:
  std::uint32_t references;
  std::uint32_t width;

  static std::size_t bytes_of(std::uint32_t width) {
    return sizeof(OrderedList) + width * sizeof(Time) + (width + std::size_t{1}) * sizeof(Link);
  }

  Time get(std::uint32_t u) const { return times()[u]; }
  // Goes to the head.
  void set(std::uint32_t u, Time time) {
    const std::uint32_t at = u + 1;
    Link* const link = links();
    if (is_listed(at)) {
      link[link[at].before].behind = link[at].behind;
      link[link[at].behind].before = link[at].before;
    } else {
      ++count_;
    }
    times()[u] = time;
    link[at] = {0, link[0].behind};
    link[link[0].behind].before = at;
    link[0].behind = at;
  }
  // Of the thread whose list this is: it is no news to anybody who looks at the list.
  void set_unlisted(std::uint32_t u, Time time) { times()[u] = time; }
  std::uint64_t count() const { return count_; }  // entries in the list
  // f(thread, time) for the `news` entries that were changed last, or for all of which that of `than`, which
  // is not narrower, is smaller: to compare all of them at once is quicker than to follow many links.
  template <class F>
  void walk(std::uint64_t news, const OrderedList& than, F&& f) const {
    if ((news < count_ ? news : count_) > kFew + width / kAtOnce) {
      return each_later(times(), than.times(), width, f);
    }
    for (std::uint32_t at = links()[0].behind; at != 0 && news > 0; at = links()[at].behind, --news) {
      f(at - 1, times()[at - 1]);
    }
  }
  template <class F>
  void for_each(F&& f) const {
    for (std::uint32_t at = links()[0].behind; at != 0; at = links()[at].behind) f(at - 1, times()[at - 1]);
  }

  // In memory of bytes_of(width).
  void start(std::uint32_t entries) {
    references = 1;
    width = entries;
    count_ = 0;
    for (std::uint32_t u = 0; u < width; ++u) times()[u] = 0;
    for (std::uint32_t at = 0; at <= width; ++at) links()[at] = Link{};
  }
  // The same as another that is not wider.
  void copy(const OrderedList& from, std::uint32_t entries) {
    references = 1;
    width = entries;
    count_ = from.count_;
    __builtin_memcpy(times(), from.times(), from.width * sizeof(Time));
    for (std::uint32_t u = from.width; u < width; ++u) times()[u] = 0;
    __builtin_memcpy(static_cast<void*>(links()), from.links(), (from.width + std::size_t{1}) * sizeof(Link));
    for (std::uint32_t at = from.width + 1; at <= width; ++at) links()[at] = Link{};
  }

 private:
  // So many links are followed before entries are compared, kAtOnce in the time of one link.
  static constexpr std::uint32_t kFew = 4, kAtOnce = 12;
  // Of the entry of thread u: number u + 1. Number 0 is both ends.
  struct Link {
    std::uint32_t before = 0, behind = 0;
  };
  Time* times() { return reinterpret_cast<Time*>(this + 1); }
  const Time* times() const { return reinterpret_cast<const Time*>(this + 1); }
  bool is_listed(std::uint32_t at) const { return links()[at].before != 0 || links()[0].behind == at; }
  Link* links() { return reinterpret_cast<Link*>(times() + width); }
  const Link* links() const { return reinterpret_cast<const Link*>(times() + width); }

  std::uint64_t count_;
};
static_assert(sizeof(OrderedList) == 16);

}  // namespace deadheat::clock
