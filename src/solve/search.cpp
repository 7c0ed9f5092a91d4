// Each event gets a place in the order, an integer; events that may be done or not, a boolean besides. What
// the rules need is a difference of two places; where they leave a choice, a clause. There can be too many
// clauses to write down: beyond some, only those that the solver's last answer breaks are added, until it
// breaks none.
// Events that have a part in no rule between threads are left out, and done right before the next one of
// their thread that has.
#include "solve/search.h"

#include <z3++.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "solve/replay.h"

namespace deadheat::solve {

namespace {

using Clock = std::chrono::steady_clock;
using Mode = model::HeldLocks::Mode;

class Encoding {
 public:
  Encoding(const Rules& rules, const Goal& goal, const Saturation& forced, std::uint64_t at_once,
           Clock::time_point until, unsigned steps)
      : rules_(rules),
        goal_(goal),
        forced_(forced),
        at_once_(at_once),
        until_(until),
        solver_(z3_, z3::solver::simple()) {
    z3::params params(z3_);
    params.set("auto_config", false);
    params.set("arith.solver", 1u);  // differences only, on a sparse graph: the fastest here
    if (steps > 0) params.set("rlimit", steps);
    solver_.set(params);
  }

  Search run() {
    place_events();
    state_needs();
    state_finals();
    state_choices();
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until_ - Clock::now()).count();
      if (left <= 0) return end(Search::End::time_is_up);
      solver_.set("timeout", static_cast<unsigned>(std::min<std::int64_t>(left, 1'000'000'000)));
      ++found_.checks;
      const z3::check_result result = solver_.check();
      if (result == z3::unsat) return end(Search::End::none);
      if (result == z3::unknown)
        return end(Clock::now() >= until_ || solver_.reason_unknown() == "timeout" ? Search::End::time_is_up
                                                                                   : Search::End::gave_up);
      const Order order = read_order(solver_.get_model());
      if (!add_broken(order)) {
        found_.order = with_the_rest(order);
        return end(Search::End::found);
      }
    }
  }

 private:
  Search end(Search::End how) {
    found_.end = how;
    return std::move(found_);
  }

  bool may(Index i) const { return rules_.in(goal_.may, i); }
  bool must(Index i) const { return rules_.in(forced_.must(), i); }

  void place_events() {
    std::vector<bool> matters(rules_.size());
    for (const auto* needs : {&rules_.across(), &forced_.found()}) {
      for (const Rules::Need& n : *needs) matters[n.before] = matters[n.after] = true;
    }
    variable_.assign(rules_.size(), kNone);
    for (Index t = 0; t < rules_.threads(); ++t) {
      Index previous = kNone;
      for (Index rank = 0; rank < goal_.may[t]; ++rank) {
        const Index i = rules_.events_of(t)[rank];
        if (!matters[i] && rules_.lock(i) == kNone && rules_.reads(i).empty() && rules_.sets(i).empty())
          continue;
        place(i);
        if (previous != kNone) {
          solver_.add(before(previous, i));
          if (!must(i)) solver_.add(z3::implies(done(i), done(previous)));
        }
        previous = i;
      }
    }
  }
  void place(Index i) {
    variable_[i] = static_cast<Index>(places_.size());
    placed_.push_back(i);
    const auto name = [&](char kind) { return kind + std::to_string(i); };
    places_.push_back(z3_.int_const(name('p').c_str()));
    dones_.push_back(must(i) ? z3_.bool_val(true) : z3_.bool_const(name('d').c_str()));
  }
  z3::expr before(Index a, Index b) { return places_[variable_[a]] < places_[variable_[b]]; }
  z3::expr done(Index i) { return dones_[variable_[i]]; }

  void state_needs() {
    for (const Rules::Need& n : rules_.across()) {
      if (!may(n.after)) continue;
      // Also if they are not done: the others leave room for them at the end.
      solver_.add(before(n.before, n.after));
      if (!must(n.after)) solver_.add(z3::implies(done(n.after), done(n.before)));
    }
    for (const Rules::Need& n : forced_.found()) solver_.add(before(n.before, n.after));
  }

  void state_finals() {
    for (const Rules::Value& final : goal_.finals) {
      for (const Part::Sets& sets : rules_.parts()[final.part].sets) {
        for (const Index s : sets.events) {
          if (!may(s) || s == final.source) continue;
          solver_.add(final.source == kNone ? !done(s) : !done(s) || before(s, final.source));
        }
      }
    }
  }

  bool known(Index a, Index b) const {
    return rules_.needs(b, a) || (must(a) && must(b) && forced_.before(a, b));
  }

  // As many as are written down at once.
  void state_choices() {
    for (const Lock& lock : rules_.locks()) {
      for (std::size_t a = 0; a < lock.threads.size(); ++a) {
        for (std::size_t b = a + 1; b < lock.threads.size(); ++b) {
          const auto &x = lock.threads[a], &y = lock.threads[b];
          state_sections(x.exclusive, y.exclusive);
          state_sections(x.exclusive, y.shared);
          state_sections(x.shared, y.exclusive);
        }
      }
    }
    for (const Part& part : rules_.parts()) {
      for (const Part::Read& r : part.reads) {
        if (!may(r.event)) continue;
        for (const Part::Sets& sets : part.sets) {
          for (const Index s : sets.events) {
            if (found_.clauses >= at_once_) return;
            if (may(s)) keep_value(r.event, r.source, s);
          }
        }
      }
    }
  }
  void state_sections(const std::vector<Section>& these, const std::vector<Section>& those) {
    for (const Section& x : these) {
      if (x.acquire == kNone || !may(x.acquire)) continue;
      for (const Section& y : those) {
        if (found_.clauses >= at_once_) return;
        if (y.acquire != kNone && may(y.acquire)) keep_apart(x, y);
      }
    }
  }

  // Both begin inside the window: who holds a lock at its start is dealt with by needs.
  void keep_apart(const Section& x, const Section& y) {
    const auto ends_before = [&](const Section& a, const Section& b) {
      return a.release != kNone && may(a.release) && known(a.release, b.acquire);
    };
    if (ends_before(x, y) || ends_before(y, x)) return;
    if (!stated_.insert({x.acquire, y.acquire, kNone}).second) return;
    z3::expr_vector either(z3_);
    for (const auto& [a, b] : {std::pair(x, y), std::pair(y, x)}) {
      if (!must(a.acquire)) either.push_back(!done(a.acquire));
      if (a.release == kNone || !may(a.release)) continue;
      const z3::expr apart = before(a.release, b.acquire);
      either.push_back(must(a.release) ? apart : apart && done(a.release));
    }
    solver_.add(z3::mk_or(either));
    ++found_.clauses;
  }
  // s does not come between the read r and its source w.
  void keep_value(Index r, Index w, Index s) {
    if (s == w || s == r || known(r, s) || (w != kNone && known(s, w))) return;
    if (!stated_.insert({r, w, s}).second) return;
    z3::expr_vector either(z3_);
    if (!must(r)) either.push_back(!done(r));
    if (!must(s)) either.push_back(!done(s));
    either.push_back(before(r, s));
    if (w != kNone) either.push_back(before(s, w));
    solver_.add(z3::mk_or(either));
    ++found_.clauses;
  }

  Order read_order(const z3::model& model) {
    std::vector<std::pair<std::int64_t, Index>> places;
    for (const Index i : placed_) {
      if (!must(i) && !model.eval(done(i), true).is_true()) continue;
      places.emplace_back(model.eval(places_[variable_[i]], true).get_numeral_int64(), i);
    }
    std::ranges::sort(places);
    Order order;
    for (const auto& [place, i] : places) order.push_back(i);
    return order;
  }

  // The choices that this order breaks; false: none.
  bool add_broken(const Order& order) {
    const std::size_t stated = found_.clauses;
    Replay replay(rules_);
    std::vector<std::vector<Index>> history(rules_.parts().size());
    for (const Index i : order) {
      for (const Rules::Value& v : rules_.reads(i)) {
        const auto& sets = history[v.part];
        for (auto s = sets.rbegin(); s != sets.rend() && *s != v.source; ++s) keep_value(i, v.source, *s);
      }
      if (rules_.lock(i) != kNone && is_acquire(rules_.event(i).op.kind)) {
        for (const Section& held : replay.in_the_way(i)) {
          if (held.acquire != kNone) keep_apart(rules_.section(held.acquire), rules_.section(i));
        }
      }
      for (const Index part : rules_.sets(i)) history[part].push_back(i);
      replay.do_event(i);
    }
    return found_.clauses > stated;
  }

  Order with_the_rest(const Order& order) const {
    Order all;
    Cut done(rules_.threads());
    const auto up_to = [&](Index t, Index end) {
      for (; done[t] < end; ++done[t]) all.push_back(rules_.events_of(t)[done[t]]);
    };
    for (const Index i : order) up_to(rules_.thread(i), rules_.rank(i) + 1);
    for (Index t = 0; t < rules_.threads(); ++t) up_to(t, forced_.must()[t]);
    return all;
  }

  const Rules& rules_;
  const Goal& goal_;
  const Saturation& forced_;
  std::uint64_t at_once_;
  Clock::time_point until_;
  z3::context z3_;
  z3::solver solver_;
  std::vector<Index> variable_;  // by event: where it is below
  std::vector<Index> placed_;    // events
  std::vector<z3::expr> places_, dones_;
  std::set<std::tuple<Index, Index, Index>> stated_;
  Search found_{};
};

}  // namespace

Search search(const Rules& rules, const Goal& goal, const Saturation& forced, std::uint64_t clauses,
              Clock::time_point until, unsigned steps) {
  try {
    return Encoding(rules, goal, forced, clauses, until, steps).run();
  } catch (const z3::exception&) {
    return {Search::End::gave_up, {}, 0, 0};
  }
}

}  // namespace deadheat::solve
