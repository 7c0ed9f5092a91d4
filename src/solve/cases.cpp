#include "solve/cases.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "solve/replay.h"

namespace deadheat::solve {

namespace {

using Clock = std::chrono::steady_clock;
using Need = Rules::Need;

// What must be done, in the order of the trace, but for what is forced to come before.
Order in_order(const Rules& rules, const Saturation& forced) {
  Order order;
  Cut done(rules.threads());
  std::vector<Index> waiting;
  for (Index i = 0; i < rules.size(); ++i) {
    if (!rules.in(forced.must(), i) || rules.in(done, i)) continue;
    waiting.assign(1, i);
    while (!waiting.empty()) {
      const Index next = waiting.back();
      const auto before = forced.before(next);
      Index first = kNone;
      for (Index t = 0; t < rules.threads(); ++t) {
        const Index end = t == rules.thread(next) ? before[t] - 1 : before[t];
        if (done[t] < end) first = std::min(first, rules.events_of(t)[done[t]]);
      }
      if (first != kNone) {
        waiting.push_back(first);
        continue;
      }
      waiting.pop_back();
      if (rules.in(done, next)) continue;
      ++done[rules.thread(next)];
      order.push_back(next);
    }
  }
  return order;
}

// Two orders, one of which there must be; the one that the trace has first.
struct Choice {
  Need first, second;
};

// The first choice that this order ignores; none: it is right.
std::optional<Choice> ignored(const Rules& rules, const Order& order) {
  Replay replay(rules);
  const auto by_trace = [](Need a, Need b) { return a.before < a.after ? Choice{a, b} : Choice{b, a}; };
  for (const Index i : order) {
    for (const Rules::Value& v : rules.reads(i)) {
      const Index s = replay.last(v.part);
      if (s != v.source) return by_trace({s, v.source}, {i, s});
    }
    if (rules.lock(i) != kNone && is_acquire(rules.event(i).op.kind)) {
      for (const Section& held : replay.in_the_way(i)) {
        const Section own = rules.section(i);
        return by_trace({rules.section(held.acquire).release, own.acquire}, {own.release, held.acquire});
      }
    }
    replay.do_event(i);
  }
  return std::nullopt;
}

}  // namespace

Cases search_cases(const Rules& rules, const Saturation& forced, std::uint64_t most,
                   Clock::time_point until) {
  struct Chosen {
    Need need;
    std::optional<Need> other;  // still to be tried
  };
  std::vector<Chosen> chosen;
  Saturation now = forced;
  Cases cases{Cases::End::none};
  for (;;) {
    if (!now.possible()) {
      while (!chosen.empty() && !chosen.back().other) chosen.pop_back();
      if (chosen.empty()) return cases;
      chosen.back() = {*chosen.back().other, std::nullopt};
      now = forced;
      std::vector<Need> needs;
      for (const Chosen& c : chosen) needs.push_back(c.need);
      now.assume(needs);
      continue;
    }
    Order order = in_order(rules, now);
    const auto choice = ignored(rules, order);
    if (!choice) {
      cases.end = Cases::End::found;
      cases.order = std::move(order);
      return cases;
    }
    if (++cases.tried > most || Clock::now() >= until) {
      cases.end = cases.tried > most ? Cases::End::too_many : Cases::End::time_is_up;
      return cases;
    }
    chosen.push_back({choice->first, choice->second});
    now.assume({&choice->first, 1});
  }
}

}  // namespace deadheat::solve
