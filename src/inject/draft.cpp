#include "inject/draft.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "solve/holders.h"

namespace deadheat::inject {

namespace {

constexpr Id kNoEvent = UINT32_MAX;

}  // namespace

Draft::Draft(const BaseTrace& base)
    : base_(&base), order_(base.events.size()), unchanged_(base.events.size()) {
  std::iota(order_.begin(), order_.end(), Id{0});
}

std::uint64_t Draft::place_of(Id id) const {
  return static_cast<std::uint64_t>(std::ranges::find(order_, id) - order_.begin());
}

std::vector<Event> Draft::events() const {
  std::vector<Event> out;
  out.reserve(order_.size());
  for (const Id id : order_) out.push_back(event(id));
  return out;
}

void Draft::insert_pair(std::uint64_t place, const Event& left, const Event& right) {
  const auto first = static_cast<Id>(base_->events.size() + added_.size());
  added_.push_back(left);
  added_.push_back(right);
  const Id both[] = {first, first + 1};
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(place), std::begin(both), std::end(both));
  unchanged_ = std::min(unchanged_, place);
  // Where other pairs meet, an access comes when its thread is there.
  for (InjectedPair& pair : pairs_) {
    if (pair.from > place) {
      pair.from += 2;
      continue;
    }
    for (const Id id : both) {
      // Before what its thread does next, and before the thread is joined.
      const ThreadId thread = event(id).thread;
      Id next = kNoEvent;
      for (std::uint64_t i = place + 2; i < order_.size() && next == kNoEvent; ++i) {
        const Event& e = event(order_[i]);
        const bool joins = e.op.kind == EventKind::join && e.object == index(thread);
        if (e.thread == thread || joins) next = order_[i];
      }
      const auto at = std::ranges::find(pair.then, next);
      const bool before_pair = next == pair.earlier || next == pair.later;
      if (at != pair.then.end() || before_pair) pair.then.insert(at, id);
    }
  }
  pairs_.push_back({first, first + 1, place, {}});
}

void Draft::meet(std::uint64_t place, std::uint64_t count) {
  const auto first = order_.begin() + static_cast<std::ptrdiff_t>(place);
  pairs_.back().from = place;
  pairs_.back().then.assign(first, first + static_cast<std::ptrdiff_t>(count));
}

void Draft::reorder(std::uint64_t place, const std::vector<Index>& order) {
  const std::vector<Id> before(order_.begin() + static_cast<std::ptrdiff_t>(place),
                               order_.begin() + static_cast<std::ptrdiff_t>(place + order.size()));
  for (InjectedPair& pair : pairs_) {
    if (pair.from <= place) continue;
    std::vector<Id> then(order_.begin() + static_cast<std::ptrdiff_t>(place),
                         order_.begin() + static_cast<std::ptrdiff_t>(pair.from));
    then.insert(then.end(), pair.then.begin(), pair.then.end());
    pair.then = std::move(then);
    pair.from = place;
  }
  for (std::size_t i = 0; i < order.size(); ++i) order_[place + i] = before[order[i]];
  unchanged_ = std::min(unchanged_, place);
}

void Draft::move_behind(Id event, Id other) {
  const std::uint64_t from = place_of(event);
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(from));
  const std::uint64_t to = place_of(other) + 1;
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(to), event);
  unchanged_ = std::min({unchanged_, from, to});
}

std::vector<solve::Window::Held> Draft::held_before(std::uint64_t place) const {
  const std::uint64_t from = std::min(place, unchanged_) / BaseTrace::kStep * BaseTrace::kStep;
  solve::Holders holders;
  for (const solve::Window::Held& h : base_->held_before(from)) holders.hold(h);
  for (std::uint64_t i = from; i < place; ++i) holders.see((*this)[i]);
  return holders.all();
}

witness::Witness Draft::witness(const InjectedPair& pair) const {
  witness::Witness out{.from = pair.from};
  std::unordered_map<Id, std::uint64_t> places;
  places.reserve(pair.then.size());
  for (const Id id : pair.then) places.emplace(id, 0);
  places.emplace(pair.earlier, 0);
  places.emplace(pair.later, 0);
  for (std::uint64_t place = 0; place < order_.size(); ++place) {
    if (const auto at = places.find(order_[place]); at != places.end()) at->second = place;
  }
  for (const Id id : pair.then) {
    const std::uint64_t place = places[id];
    if (out.then.empty() && place == out.from) {
      ++out.from;
    } else {
      out.then.push_back(place);
    }
  }
  const auto [earlier, later] = std::minmax(places[pair.earlier], places[pair.later]);
  out.earlier = earlier;
  out.later = later;
  return out;
}

}  // namespace deadheat::inject
