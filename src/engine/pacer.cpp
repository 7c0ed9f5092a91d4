#include "engine/pacer.h"

#include <algorithm>

#include "base/random.h"
#include "engine/check.h"
#include "engine/clock_counters.h"
#include "engine/dispatch.h"
#include "engine/in_place_now.h"

namespace deadheat::engine {

namespace {

// A history for accesses that are not kept.
struct Passing {
  history::FullHistory& history;
  template <class Now, class F>
  void read(const history::Access& a, const Now& now, F&& race) {
    history.pass(a, now, race);
  }
  template <class Now, class F>
  void write(const history::Access& a, const Now& now, F&& race) {
    history.pass(a, now, race);
  }
  template <class Now, class F>
  void atomic(const history::Access& a, const Now& now, F&& race) {
    history.pass(a, now, race);
  }
  template <class Now, class F>
  void write_unaccessed(model::Stretch stretch, const history::Access& a, const Now& now, F&& race) {
    history.pass_unaccessed(stretch, a, now, race);
  }
  void alloc(const history::Access& a) { history.alloc(a); }
  void alloc_unaccessed(model::Stretch stretch) { history.alloc_unaccessed(stretch); }
  bool take_over(std::uint32_t place) { return history.take_over(place); }
  template <class Now>
  bool quick(const history::Access&, const Now&) {
    return false;
  }
  template <class F>
  void each_accessed(std::uint64_t begin, std::uint64_t end, F&& f) const {
    history.each_accessed(begin, end, f);
  }
};

}  // namespace

// By the number alone, so that it does not matter how a trace is cut.
void Pacer::begin_period(std::uint64_t number) {
  base::Random chance(options_.seed);
  base::Random mixed(chance() ^ number * 0xD1342543DE82EF95u);
  sampling_ = mixed.unit() < options_.rate;
  period_end_ = (number + 1) * options_.period;
  ++periods_;
  sampled_periods_ += sampling_ ? 1 : 0;
}

void Pacer::order(const SortedBlock& block, RaceSink& races) {
  order_.begin_block(0, block.threads);
  history_.reserve(block.variables);
  const BlockView& events = block.events;
  const std::size_t n = events.size();
  const bool writes_end_sequences = block.atomics || order_.has_atomics();
  for (std::uint32_t i = 0; i < n; ++i) {
    if (events.first + i >= period_end_) begin_period((events.first + i) / options_.period);
    if (i + SortedBlock::kSlack < n) history_.prefetch(events.object[i + SortedBlock::kSlack]);
    const OpClass c = block.classes[events.op[i]];
    const ThreadId t{events.thread[i]};
    const clock::Time time = clock::time_of(events.first + i);
    // Time passes for others in sampled periods only.
    if (sampling_) order_.sampled(t, time);
    if (c.kind == OpClass::other || (c.kind == OpClass::write && writes_end_sequences)) {
      if (!block.is_inner(i)) dispatch(order_, t, events.ops[events.op[i]], events.object[i], time);
      if (!is_of_memory(c.event)) continue;
    }
    if (block.is_checked(i)) check_event(block, i, races);
  }
}

void Pacer::check_event(const SortedBlock& block, std::uint32_t i, RaceSink& races) {
  const BlockView& events = block.events;
  const OpClass c = block.classes[events.op[i]];
  const ThreadId t{events.thread[i]};
  if (!sampling_ && c.kind != OpClass::other && !history_.keeps(events.object[i])) {
    ++passed_;
    return;
  }
  const InPlaceNow<Order> now{order_.clock_of(t)};
  if (!sampling_) {
    ++met_;
    Passing passing{history_};
    return check_with_care(passing, block, {Sharding{}, 0, many_cells_, t}, i, now, races);
  }
  ++kept_;
  const history::Access a{t, clock::time_of(events.first + i), events.object[i], c.bytes, c.event, c.site};
  if (c.kind == OpClass::other || !history_.quick(a, now)) {
    check_with_care(history_, block, {Sharding{}, 0, many_cells_, t}, i, now, races);
  }
}

std::vector<Counter> Pacer::counters() const {
  std::vector<Counter> counters = {{"periods", periods_},
                                   {"periods sampled", sampled_periods_},
                                   {"accesses kept", kept_},
                                   {"accesses not kept, checked", met_},
                                   {"accesses not kept, of variables of which nothing was", passed_}};
  const std::vector<Counter> clocks = counters_of(order_.work());
  counters.insert(counters.end(), clocks.begin(), clocks.end());
  return counters;
}

Result<std::unique_ptr<Engine>> make_pacer(const Settings& settings, Shape shape) {
  const auto rate = settings.real("rate", 0, 1);
  if (!rate) return fail(rate.error());
  const auto period = settings.number("period", 1, std::uint64_t{1} << 40);
  if (!period) return fail(period.error());
  const auto seed = settings.number("seed", 0, UINT64_MAX);
  if (!seed) return fail(seed.error());
  return std::make_unique<Pacer>(Pacer::Options{*rate, *period, *seed}, shape);
}

}  // namespace deadheat::engine
