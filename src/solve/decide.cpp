#include "solve/decide.h"

#include <algorithm>
#include <optional>

#include "base/assert.h"
#include "solve/cases.h"
#include "solve/keeping_the_trace.h"
#include "solve/saturation.h"
#include "solve/search.h"

namespace deadheat::solve {

namespace {

Answer yes(const Rules& rules, Means means, const Order& order) {
  Answer answer{Verdict::yes, means, {}};
  for (const Index i : order) answer.order.push_back(rules.first() + i);
  return answer;
}
Answer no(Means means) { return {Verdict::no, means, {}}; }

// Leaves event i, and all that needs it, to be done later.
void leave_out(const Rules& rules, Cut& may, Index i) {
  for (Index t = 0; t < rules.threads(); ++t) {
    const auto& events = rules.events_of(t);
    const auto end = std::partition_point(events.begin(), events.begin() + may[t],
                                          [&](Index other) { return !rules.needs(other, i); });
    may[t] = static_cast<Index>(end - events.begin());
  }
}

// Sets of a part that cannot be before its final one.
void leave_out_later_sets(const Rules& rules, Cut& may, const Rules::Value& final) {
  for (const Part::Sets& sets : rules.parts()[final.part].sets) {
    const auto later = std::ranges::partition_point(sets.events, [&](Index s) {
      return final.source != kNone && (s == final.source || !rules.needs(s, final.source));
    });
    if (later != sets.events.end()) leave_out(rules, may, *later);
  }
}

// None: the later access does not see what it saw if the earlier one comes right before it.
std::optional<std::vector<Rules::Value>> finals_of(const Rules& rules, Index e, Index f) {
  std::vector<Rules::Value> finals = rules.reads(e);
  for (const Rules::Value& value : rules.reads(f)) {
    if (value.source == e) continue;
    if (std::ranges::find(rules.sets(e), value.part) != rules.sets(e).end()) return std::nullopt;
    finals.push_back(value);
  }
  return finals;
}

// None: it cannot be reached.
std::optional<Goal> goal_of(const Rules& rules, const Question& question) {
  const auto e = static_cast<Index>(question.earlier - rules.first());
  const auto f = static_cast<Index>(question.later - rules.first());
  DEADHEAT_ASSERT(e < f && f < rules.size() && rules.thread(e) != rules.thread(f),
                  "a pair of a window is asked about");
  Goal goal;
  goal.must = rules.before(e);
  const Cut more = rules.before(f);
  for (Index t = 0; t < rules.threads(); ++t) {
    goal.must[t] = std::max(goal.must[t], more[t]);
    goal.may.push_back(static_cast<Index>(rules.events_of(t).size()));
  }
  leave_out(rules, goal.may, e);
  leave_out(rules, goal.may, f);
  if (question.notion == Notion::adjacent) {
    auto finals = finals_of(rules, e, f);
    if (!finals) return std::nullopt;
    goal.finals = std::move(*finals);
    for (const Rules::Value& final : goal.finals) {
      if (final.source != kNone) rules.add(goal.must, final.source);
      leave_out_later_sets(rules, goal.may, final);
    }
  }
  if (!std::ranges::equal(goal.must, goal.may, [](Index a, Index b) { return a <= b; })) return std::nullopt;
  return goal;
}

Answer by_solver(const Rules& rules, const Goal& goal, const Saturation& forced, const Limits& limits,
                 std::chrono::steady_clock::time_point until) {
  const Search found = search(rules, goal, forced, limits.clauses, until, limits.steps);
  Answer answer;
  if (found.end == Search::End::found) answer = yes(rules, Means::solver, found.order);
  if (found.end == Search::End::none) answer = no(Means::solver);
  if (found.end == Search::End::gave_up) answer.means = Means::gave_up;
  answer.checks = found.checks;
  answer.clauses = found.clauses;
  return answer;
}

}  // namespace

Answer decide(const Rules& rules, const Question& question, const Limits& limits) {
  const auto until = std::chrono::steady_clock::now() + limits.time;
  const auto goal = goal_of(rules, question);
  if (!goal) return no(Means::needs);
  if (limits.use == Limits::Use::solver) {
    return by_solver(rules, *goal, Saturation(rules, *goal, Saturation::Depth::needs), limits, until);
  }
  const bool all = limits.use == Limits::Use::all;
  if (const auto order = all ? keeping_the_trace(rules, *goal) : std::nullopt) {
    return yes(rules, Means::trace, *order);
  }
  const Saturation forced(rules, *goal);
  if (!forced.possible()) return no(Means::saturation);
  const Cases cases = search_cases(rules, forced, limits.cases, until);
  Answer answer;
  if (cases.end == Cases::End::found) answer = yes(rules, Means::cases, cases.order);
  if (cases.end == Cases::End::none) answer = no(Means::cases);
  if (cases.end == Cases::End::too_many) answer = by_solver(rules, *goal, forced, limits, until);
  answer.cases = cases.tried;
  return answer;
}

}  // namespace deadheat::solve
