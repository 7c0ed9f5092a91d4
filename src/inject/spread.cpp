#include "inject/spread.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <tuple>

#include "inject/limits.h"
#include "inject/overlap.h"
#include "solve/cases.h"
#include "solve/prove.h"
#include "solve/search.h"

namespace deadheat::inject {

namespace {

using solve::kNone;
using Need = solve::Rules::Need;

enum Side : std::uint8_t { kBetween, kLeft, kRight };

// Threads that a trace does not have: they stand for where the left part of a window ends and the right one
// begins, and for who reads later what the window writes.
constexpr ThreadId kEndOfLeft{UINT32_MAX - 1}, kStartOfRight{UINT32_MAX - 2}, kReader{UINT32_MAX - 3};

constexpr std::uint64_t kClauses = 20'000;
// Sections are turned round in one step, also if that takes a larger window.
constexpr std::size_t kTurnWindows = 8;

bool keep_order(const Event& a, const Event& b) {
  if (a.thread == b.thread || a.object != b.object) return false;
  if (a.op.kind == EventKind::recv && b.op.kind == EventKind::send) return true;
  return is_barrier(a.op.kind) && is_barrier(b.op.kind) &&
         (a.op.kind != b.op.kind || a.op.value != b.op.value);
}
bool keep_memory(const Event& a, const Event& b) {
  return (is_allocation(a.op.kind) || is_allocation(b.op.kind)) && a.thread != b.thread && overlap(a, b);
}

template <class T>
void shuffle(std::vector<T>& all, base::Random& random) {
  for (std::size_t i = all.size(); i > 1; --i) {
    std::swap(all[i - 1], all[random.below(static_cast<std::uint32_t>(i))]);
  }
}

// What the rules force if `more` is given besides; nothing, if that cannot be.
bool try_with(solve::Saturation& now, std::span<const Need> more) {
  solve::Saturation next = now;
  next.assume(more);
  if (!next.possible()) return false;
  now = std::move(next);
  return true;
}

}  // namespace

Spread::Spread(Scene scene, std::size_t window, std::uint64_t cases, base::Random& random)
    : scene_(std::move(scene)),
      left_(scene_.left),
      right_(scene_.left + 1),
      window_(window),
      cases_(cases),
      random_(random),
      side_(scene_.events.size(), kBetween),
      order_(scene_.events.size()),
      now_(scene_.events),
      all_(solve::Window{0, scene_.events, scene_.held}) {
  for (Index i = 0; i < order_.size(); ++i) {
    order_[i] = i;
    if (all_.needs(left_, i)) side_[i] = kLeft;
    if (all_.needs(i, right_)) side_[i] = kRight;
  }
}

Index Spread::place_of(Index event) const {
  return static_cast<Index>(std::ranges::find(order_, event) - order_.begin());
}

// Who sets the same bytes as another thread, and is read behind the window, must be the last to do so.
void Spread::add_readers(std::vector<Event>& events, std::size_t size) const {
  std::set<std::tuple<std::uint32_t, std::uint8_t, std::uint64_t>> known;
  for (std::size_t i = 0; i < size; ++i) {
    const Event e = events[i];
    if (!solve::sets(e.op.kind) || !known.insert({e.object, e.op.offset, e.op.value}).second) continue;
    const bool shared = std::any_of(
        events.begin(), events.begin() + static_cast<std::ptrdiff_t>(size), [&](const Event& other) {
          return other.thread != e.thread && solve::sets(other.op.kind) && overlap(e, other);
        });
    if (!shared) continue;
    const bool here = std::any_of(now_.begin(), now_.end(), [&](const Event& other) {
      return solve::reads(other.op.kind) && overlap(e, other);
    });
    if (!here && !scene_.read_later(e)) continue;
    Event read = e;
    read.thread = kReader;
    read.op.kind = EventKind::read;
    read.op.order = MemoryOrder::relaxed;
    events.push_back(read);
  }
}

// What stays as it is, besides what the rules say.
std::vector<Need> Spread::kept_orders(const std::vector<Event>& events, std::size_t begin,
                                      std::size_t size) const {
  std::vector<Need> kept;
  for (Index i = 0; i < size; ++i) {
    const EventKind kind = events[i].op.kind;
    const bool memory = is_of_memory(kind);
    if (!memory && !is_barrier(kind) && kind != EventKind::recv) continue;
    for (Index j = i + 1; j < size; ++j) {
      const bool both_memory = memory && is_of_memory(events[j].op.kind);
      if (both_memory ? keep_memory(events[i], events[j]) : !memory && keep_order(events[i], events[j])) {
        kept.push_back({i, j});
      }
    }
  }
  const auto inside = [&](Index event) {
    const auto at = std::find(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                              order_.begin() + static_cast<std::ptrdiff_t>(begin + size), event);
    const auto place = static_cast<std::size_t>(at - order_.begin()) - begin;
    return place < size ? static_cast<Index>(place) : kNone;
  };
  for (const Turn& turn : turned_) {
    const Index release = inside(turn.release), acquire = inside(turn.acquire);
    if (release != kNone && acquire != kNone) kept.push_back({release, acquire});
  }
  return kept;
}

void Spread::apply(std::size_t begin, std::size_t size, const solve::Order& order) {
  std::vector<Index> changed;
  for (const Index i : order) {
    if (i < size) changed.push_back(order_[begin + i]);
  }
  std::ranges::copy(changed, order_.begin() + static_cast<std::ptrdiff_t>(begin));
  for (std::size_t i = 0; i < size; ++i) now_[begin + i] = scene_.events[order_[begin + i]];
}

// What of a window goes to its front and to its back, and what of each thread is in between.
struct Spread::Parting {
  Index end_of_left, start_of_right;  // marks among the events
  std::vector<Need> given;
  struct Others {
    std::vector<Index> not_left, not_right;  // of one thread, in order
  };
  std::vector<Others> others;
  bool any_left = false, any_right = false;
};

Spread::Parting Spread::part(const solve::Rules& rules, std::size_t begin, std::size_t size) const {
  const auto marks = static_cast<Index>(rules.size() - 2);
  Parting parting{
      .end_of_left = marks, .start_of_right = marks + 1, .given = {{marks, marks + 1}}, .others = {}};
  for (Index t = 0; t < rules.threads(); ++t) {
    const auto& own = rules.events_of(t);
    if (own.front() >= size) continue;
    Parting::Others others;
    for (const Index i : own) {
      const std::uint8_t side = side_[order_[begin + i]];
      if (side != kLeft) others.not_left.push_back(i);
      if (side != kRight) others.not_right.push_back(i);
    }
    if (const std::size_t left = own.size() - others.not_left.size(); left > 0) {
      parting.any_left = true;
      parting.given.push_back({own[left - 1], parting.end_of_left});
    }
    if (others.not_right.size() < own.size()) {
      parting.any_right = true;
      parting.given.push_back({parting.start_of_right, own[others.not_right.size()]});
    }
    const bool readers = marks > size;
    if (readers) parting.given.push_back({own.back(), static_cast<Index>(size)});  // the first of them
    parting.others.push_back(std::move(others));
  }
  for (Parting::Others& others : parting.others) {
    if (!parting.any_left) others.not_left.clear();
    if (!parting.any_right) others.not_right.clear();
  }
  return parting;
}

// All that is not of the left part behind it, and before the right one; or of each thread as many as can be,
// of which what holds for one holds for those behind it.
void Spread::part_as_far_as_can_be(solve::Saturation& forced, Parting& parting) {
  std::vector<Need> wishes;
  for (const Parting::Others& others : parting.others) {
    if (!others.not_left.empty()) wishes.push_back({parting.end_of_left, others.not_left.front()});
    if (!others.not_right.empty()) wishes.push_back({others.not_right.back(), parting.start_of_right});
  }
  if (try_with(forced, wishes)) return;
  shuffle(parting.others, random_);
  for (const auto& [not_left, not_right] : parting.others) {
    for (std::size_t low = 0, high = not_left.size(); low < high;) {
      const std::size_t middle = (low + high) / 2;
      const Need need{parting.end_of_left, not_left[middle]};
      try_with(forced, {&need, 1}) ? high = middle : low = middle + 1;
    }
    for (std::size_t low = 0, high = not_right.size(); low < high;) {
      const std::size_t middle = (low + high + 1) / 2;
      const Need need{not_right[middle - 1], parting.start_of_right};
      try_with(forced, {&need, 1}) ? low = middle : high = middle - 1;
    }
  }
}

// None: there is no such order, or none was found.
std::optional<solve::Order> Spread::order_of(const solve::Rules& rules, const solve::Goal& goal,
                                             const solve::Saturation& forced) {
  constexpr auto kNoHurry = std::chrono::steady_clock::time_point::max();
  if (cases_ > 0) {
    solve::Cases cases = solve::search_cases(rules, forced, cases_, kNoHurry);
    if (cases.end == solve::Cases::End::found) return std::move(cases.order);
    if (cases.end == solve::Cases::End::none) return ++effort_.no_order, std::nullopt;
  }
  solve::Search found = solve::search(rules, goal, forced, kClauses, kNoHurry, kSolverSteps);
  if (found.end == solve::Search::End::found) return ++effort_.solver, std::move(found.order);
  ++(found.end == solve::Search::End::none ? effort_.no_order : effort_.given_up);
  return std::nullopt;
}

// False: the window stays as it is.
bool Spread::solve(std::size_t begin, std::size_t end) {
  const std::size_t size = end - begin;
  const solve::Window window = solve::part_of({0, now_, scene_.held}, begin, end);
  std::vector<Event> events(window.events.begin(), window.events.end());
  add_readers(events, size);
  for (const ThreadId mark : {kEndOfLeft, kStartOfRight}) {
    events.push_back({mark, {.kind = EventKind::fence}, 0});
  }
  const solve::Rules rules(solve::Window{0, events, window.held});
  solve::Goal goal;
  for (Index t = 0; t < rules.threads(); ++t) {
    goal.must.push_back(static_cast<Index>(rules.events_of(t).size()));
  }
  goal.may = goal.must;

  Parting parting = part(rules, begin, size);
  std::ranges::copy(kept_orders(events, begin, size), std::back_inserter(parting.given));
  solve::Saturation forced(rules, goal);
  forced.assume(parting.given);
  if (!forced.possible()) return false;
  part_as_far_as_can_be(forced, parting);
  const auto order = order_of(rules, goal, forced);
  if (!order) return false;
  apply(begin, size, *order);
  ++effort_.windows;
  return true;
}

// In each window what the left access needs goes to the front. Where that fills it, windows before it are
// gone through first, more and more of them.
bool Spread::push_left() {
  const Index before = place_of(left_);
  const std::size_t step = std::max<std::size_t>(window_ / 2, 1);
  for (std::size_t back = 0;; back = back == 0 ? step : 2 * back) {
    std::size_t begin = before + 1 - std::min<std::size_t>(before + 1, window_ + back);
    for (;; begin += step) {
      const std::size_t place = place_of(left_), end = std::min(begin + window_, place + 1);
      if (begin >= end) break;
      solve(begin, end);
      if (end == place + 1) break;
    }
    const Index place = place_of(left_);
    if (place + window_ / 8 < before || place == 0) return place < before;
    if (before + 1 <= window_ + back || back > 8 * window_) return place < before;
  }
}

bool Spread::push_right() {
  const Index before = place_of(right_);
  const std::size_t step = std::max<std::size_t>(window_ / 2, 1), size = order_.size();
  for (std::size_t ahead = 0;; ahead = ahead == 0 ? step : 2 * ahead) {
    std::size_t end = std::min(size, before + window_ + ahead);
    for (;; end -= std::min(end, step)) {
      const std::size_t place = place_of(right_);
      const std::size_t begin = std::max(end - std::min(end, window_), place);
      if (begin >= end) break;
      solve(begin, end);
      if (begin == place) break;
    }
    const Index place = place_of(right_);
    if (place > before + window_ / 8 || place + 1 == size) return place > before;
    if (before + window_ + ahead >= size || ahead > 8 * window_) return place > before;
  }
}

void Spread::run(std::uint64_t distance) {
  const auto around = [&] {
    const std::size_t left = place_of(left_), right = place_of(right_);
    const std::size_t room = window_ > right - left + 1 ? (window_ - (right - left + 1)) / 2 : 0;
    const std::size_t begin = left - std::min(left, room);
    solve(begin, std::min(order_.size(), right + 1 + room));
  };
  if (this->distance() < distance && window_ >= this->distance() + 2) around();
  for (bool left_moves = true, right_moves = true; left_moves || right_moves;) {
    const bool left_first = random_.one_in(2);
    for (const bool left : {left_first, !left_first}) {
      if (this->distance() >= distance) return;
      bool& moves = left ? left_moves : right_moves;
      if (moves) moves = left ? push_left() : push_right();
    }
  }
}

std::vector<Spread::Turn> Spread::turns() const {
  std::vector<Turn> found;
  const Index left_thread = all_.thread(left_), right_thread = all_.thread(right_);
  for (const solve::Lock& lock : all_.locks()) {
    const auto of = [&](Index thread) -> const std::vector<solve::Section>* {
      const auto at = std::ranges::find(lock.threads, thread, &solve::Lock::OfThread::thread);
      return at == lock.threads.end() ? nullptr : &at->exclusive;
    };
    const auto *theirs = of(right_thread), *ours = of(left_thread);
    if (theirs == nullptr || ours == nullptr) continue;
    for (const solve::Section& own : *ours) {
      if (own.release == kNone || own.release < left_) continue;
      for (auto other = theirs->rbegin(); other != theirs->rend(); ++other) {
        if (other->acquire == kNone || other->acquire > right_) continue;
        const bool holding = (own.acquire != kNone && own.acquire < left_) || other->release == kNone ||
                             other->release > right_;
        if (own.release > other->acquire && own.release - other->acquire < kTurnWindows * window_)
          found.push_back({own.release, other->acquire, holding});
        break;
      }
      if (found.size() >= 64) return found;
    }
  }
  return found;
}

bool Spread::turn_round(bool holding) {
  std::vector<Turn> all = turns();
  shuffle(all, random_);
  if (holding) std::partition(all.begin(), all.end(), [](const Turn& turn) { return turn.holding; });
  return std::ranges::any_of(all, [this](const Turn& turn) { return try_turn(turn); });
}

// In the smallest window that has both, and in one of the usual size if that is larger.
bool Spread::try_turn(const Turn& turn) {
  const std::size_t first = place_of(turn.acquire), last = place_of(turn.release);
  const std::size_t span = last - first + 1, room = window_ > span ? (window_ - span) / 2 : 0;
  turned_.push_back(turn);
  if (solve(first - std::min(first, room), std::min(order_.size(), last + 1 + room))) return true;
  turned_.pop_back();
  return false;
}

void Spread::stir(unsigned times) {
  const auto& locks = all_.locks();
  for (unsigned n = 0; n < times && !locks.empty(); ++n) {
    const solve::Lock& lock = locks[random_.below(static_cast<std::uint32_t>(locks.size()))];
    const auto any = [&]() -> const solve::Section* {
      const auto& of = lock.threads[random_.below(static_cast<std::uint32_t>(lock.threads.size()))].exclusive;
      return of.empty() ? nullptr : &of[random_.below(static_cast<std::uint32_t>(of.size()))];
    };
    const solve::Section *first = any(), *second = any();
    if (first == nullptr || second == nullptr || first->thread == second->thread) continue;
    if (first->acquire == kNone || second->release == kNone) continue;
    const Index acquire = place_of(first->acquire), release = place_of(second->release);
    if (acquire < release && release - acquire < window_) {
      try_turn({second->release, first->acquire, false});
    }
  }
}

}  // namespace deadheat::inject
