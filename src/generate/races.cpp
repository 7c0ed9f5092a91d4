#include "generate/races.h"

#include <algorithm>
#include <bit>

namespace deadheat::generate {

namespace {
constexpr std::uint64_t kMostPlaces = 1024;  // pairs of sites that are told apart
}

Races::Races(Emitter& out, Random& random, const Parameters& p, std::uint32_t first_variable,
             std::uint32_t first_place, Truth truth)
    : out_(out),
      random_(random),
      truth_(std::move(truth)),
      count_(p.races),
      distance_(p.race_distance),
      events_(p.events),
      first_variable_(first_variable),
      pool_(static_cast<std::uint32_t>(std::min(p.races, kMostPlaces))),
      threads_(p.threads),
      alive_(p.threads) {
  const std::uint64_t size = p.sized ? 8 : 0;
  for (std::uint32_t i = 0; i < 2 * pool_; ++i) {
    const std::uint32_t op = out.add_op({.kind = EventKind::read, .value = size}, first_place + i);
    out.add_op({.kind = EventKind::write, .value = size}, first_place + i);
    if (i == 0) first_op_ = op;
  }
  schedule_next();
}

// Spread over the first nine tenths: one in each of `count_` equal parts.
void Races::schedule_next() {
  if (planted_ == count_) {
    next_at_ = UINT64_MAX;
    return;
  }
  // Whole numbers: the same everywhere.
  const std::uint64_t span = events_ / 10 * 9;
  const std::uint64_t part = span / count_;
  const std::uint64_t within = random_.below(1u << 20);
  next_at_ = part * planted_ + (part >> 20) * within + ((part & 0xFFFFF) * within >> 20);
}

bool Races::plant(std::uint32_t t) {
  if (living_ < 2) return false;
  if (spent_ == ~std::uint64_t{0}) {
    if (open_ != 0) return false;
    // All marks become stale at once.
    spent_ = 0;
    ++sweep_;
    std::fill(threads_.begin(), threads_.end(), 0);
  }
  const auto bit = static_cast<unsigned>(std::countr_one(spent_));
  const std::uint64_t now = out_.emitted();
  constexpr std::array<std::array<EventKind, 2>, 3> kKinds = {{{EventKind::write, EventKind::write},
                                                               {EventKind::write, EventKind::read},
                                                               {EventKind::read, EventKind::write}}};
  const auto kinds = kKinds[random_.below(3)];
  pairs_[bit] = {.event1 = now,
                 .due = now + distance_,
                 .number = planted_,
                 .thread1 = t,
                 .unmarked = living_ - 1,
                 .kind1 = kinds[0],
                 .kind2 = kinds[1]};
  out_.emit(t, op_of(planted_, 0, kinds[0]), first_variable_ + static_cast<std::uint32_t>(planted_));
  threads_[t] |= std::uint64_t{1} << bit;
  open_ |= std::uint64_t{1} << bit;
  spent_ |= std::uint64_t{1} << bit;
  ++planted_;
  ++done_;
  schedule_next();
  return true;
}

void Races::take_turn(std::uint32_t t) {
  for (std::uint64_t bits = open_ & ~threads_[t]; bits != 0; bits &= bits - 1) {
    const auto bit = static_cast<unsigned>(std::countr_zero(bits));
    if (out_.emitted() >= pairs_[bit].due) finish(bit, t);
  }
}

void Races::settle(const std::vector<std::uint32_t>& alive) {
  while (open_ != 0) {
    const auto bit = static_cast<unsigned>(std::countr_zero(open_));
    const auto unmarked = std::find_if(alive.begin(), alive.end(),
                                       [&](std::uint32_t t) { return (threads_[t] >> bit & 1) == 0; });
    DEADHEAT_ASSERT(unmarked != alive.end(), "an open pair has a thread for its second access");
    finish(bit, *unmarked);
  }
  while (planted_ < count_) {
    const std::uint32_t first = random_.below(static_cast<std::uint32_t>(alive.size()));
    const std::uint32_t other = random_.below(static_cast<std::uint32_t>(alive.size() - 1));
    const bool planted = plant(alive[first]);
    DEADHEAT_ASSERT(planted, "two threads are alive and no pair is open");
    finish(static_cast<unsigned>(std::countr_zero(open_)), alive[other < first ? other : other + 1]);
  }
}

void Races::born(std::uint32_t t) {
  alive_[t] = true;
  ++living_;
  for (std::uint64_t bits = open_ & ~threads_[t]; bits != 0; bits &= bits - 1) {
    ++pairs_[static_cast<unsigned>(std::countr_zero(bits))].unmarked;
  }
}

void Races::forked(std::uint32_t parent, std::uint32_t child) {
  threads_[child] = threads_[parent];
  born(child);
}

void Races::ends(std::uint32_t t) {
  for (std::uint64_t bits = open_ & ~threads_[t]; bits != 0; bits &= bits - 1) {
    loses_one(static_cast<unsigned>(std::countr_zero(bits)), t);
  }
  alive_[t] = false;
  --living_;
}

void Races::learn(std::uint32_t t, std::uint64_t bits) {
  const std::uint64_t news = bits & ~threads_[t] & open_;
  if (news == 0) return;
  if (alive_[t]) {
    for (std::uint64_t left = news; left != 0; left &= left - 1) {
      loses_one(static_cast<unsigned>(std::countr_zero(left)), t);
    }
  }
  threads_[t] |= news;
}

void Races::loses_one(unsigned bit, std::uint32_t t) {
  if (--pairs_[bit].unmarked == 0) finish(bit, t);
}

void Races::finish(unsigned bit, std::uint32_t t) {
  const Pair& pair = pairs_[bit];
  const std::uint64_t now = out_.emitted();
  const auto variable = first_variable_ + static_cast<std::uint32_t>(pair.number);
  const std::uint32_t op1 = op_of(pair.number, 0, pair.kind1), op2 = op_of(pair.number, 1, pair.kind2);
  out_.emit(t, op2, variable);
  open_ &= ~(std::uint64_t{1} << bit);
  ++done_;
  if (!truth_) return;
  truth_({.event1 = pair.event1,
          .event2 = now,
          .thread1 = ThreadId{pair.thread1},
          .thread2 = ThreadId{t},
          .variable = VarId{variable},
          .kind1 = pair.kind1,
          .kind2 = pair.kind2,
          .site1 = out_.site_of(op1),
          .site2 = out_.site_of(op2)});
}

std::uint32_t Races::op_of(std::uint64_t number, unsigned side, EventKind kind) const {
  const auto place = static_cast<std::uint32_t>(2 * (number % pool_) + side);
  return first_op_ + 2 * place + (kind == EventKind::write ? 1 : 0);
}

}  // namespace deadheat::generate
