// Moves two accesses that stand side by side apart, as the RaceInjector does (Wang, Srikant, Samak &
// O'Reilly, SOAP 2023): windows slide over a stretch of the trace, and each is put into an order in which
// what the left access needs comes first and what needs the right one comes last. All stays a correct
// reordering: what is held, and what is written last, is the same at the edges of every window as before.
// Departs from the paper: an order is looked for by what the rules force, then by cases, and only then by the
// solver; messages, barriers and allocations keep their order too, so that what is made can be undone; and
// sections of a lock can be turned round on purpose.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/random.h"
#include "solve/rules.h"
#include "solve/saturation.h"

namespace deadheat::inject {

using solve::Index;

// A stretch of a trace in which the pair meets: left, then right, side by side.
struct Scene {
  std::vector<Event> events;
  std::vector<solve::Window::Held> held;  // at its start
  Index left = 0;                         // right is the next one
  // Whether what an event of it sets may be read behind it.
  std::function<bool(const Event&)> read_later;
};

struct Effort {
  std::uint64_t windows = 0;   // that were put into another order
  std::uint64_t solver = 0;    // of them, by the solver
  std::uint64_t given_up = 0;  // windows that neither cases nor solver could decide
  std::uint64_t no_order = 0;  // windows where what is forced looked possible and was not

  Effort& operator+=(const Effort& more) {
    windows += more.windows;
    solver += more.solver;
    given_up += more.given_up;
    no_order += more.no_order;
    return *this;
  }
};

class Spread {
 public:
  Spread(Scene scene, std::size_t window, std::uint64_t cases, base::Random& random);

  // Lets a section of the left thread, which ends behind the left access, come before a section of the same
  // lock that the right thread begins before the right one: then happens-before orders the two. `holding`:
  // first of all those that one of the accesses is inside of. False: there is no such lock in reach.
  bool turn_round(bool holding);
  // Tries to turn round any two sections of a lock near the pair, so many times: no two traces are alike
  // then.
  void stir(unsigned times);
  // Until so many events are between the two, or no more can be.
  void run(std::uint64_t distance);

  std::uint64_t distance() const { return place_of(right_) - place_of(left_) - 1; }
  const std::vector<Index>& order() const { return order_; }  // events of the scene
  const Effort& effort() const { return effort_; }

 private:
  struct Turn {
    Index release, acquire;  // the first is to be before the second
    bool holding;
  };

  Index place_of(Index event) const;
  std::vector<Turn> turns() const;
  bool try_turn(const Turn& turn);
  bool push_left();
  bool push_right();
  bool solve(std::size_t begin, std::size_t end);
  struct Parting;
  Parting part(const solve::Rules& rules, std::size_t begin, std::size_t size) const;
  void part_as_far_as_can_be(solve::Saturation& forced, Parting& parting);
  std::optional<solve::Order> order_of(const solve::Rules& rules, const solve::Goal& goal,
                                       const solve::Saturation& forced);
  std::vector<solve::Rules::Need> kept_orders(const std::vector<Event>& events, std::size_t begin,
                                              std::size_t size) const;
  void add_readers(std::vector<Event>& events, std::size_t size) const;
  void apply(std::size_t begin, std::size_t size, const solve::Order& order);

  Scene scene_;
  Index left_, right_;
  std::size_t window_;
  std::uint64_t cases_;
  base::Random& random_;
  std::vector<std::uint8_t> side_;  // by event: which part it has
  std::vector<Index> order_;        // as it is now
  std::vector<Event> now_;          // the same as events
  std::vector<Turn> turned_;
  solve::Rules all_;  // of the scene as it was
  Effort effort_;
};

}  // namespace deadheat::inject
