#include "inject/injection.h"

#include <algorithm>

#include "inject/judge.h"
#include "inject/limits.h"
#include "inject/misses.h"
#include "inject/twin.h"

namespace deadheat::inject {

namespace {

constexpr unsigned kStirs = 24;

// Where attempt `number` puts its first race: all switches come, in an order of chance, before any comes
// again.
std::uint64_t point_of(const BaseTrace& base, std::uint64_t seed, std::uint64_t number) {
  // A permutation by its rounds: four of a small Feistel network, walked until within the range.
  const std::uint64_t count = base.switches.size();
  unsigned half = 1;
  while ((std::uint64_t{1} << (2 * half)) < count) ++half;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  std::uint64_t at = number % count;
  do {
    std::uint64_t left = at >> half, right = at & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      base::Random mix(seed ^ (round << 60) ^ right * 0x9E3779B97F4A7C15u);
      const std::uint64_t next = left ^ (mix() & mask);
      left = right;
      right = next;
    }
    at = left << half | right;
  } while (at >= count);
  return base.switches[at];
}

Event access(const BaseTrace& base, ThreadId thread, char kind, std::uint32_t race, bool later) {
  Event e;
  e.thread = thread;
  e.op.kind = kind == 'r' ? EventKind::read : EventKind::write;
  e.op.site = base.site(race, later);
  e.object = index(base.variable(race));
  return e;
}

struct Step {
  Failure failure = Failure::none;
  Effort effort;
};

Step put_race(Draft& draft, const Wishes& wishes, std::uint64_t place, std::uint32_t race, unsigned stirs,
              base::Random& random) {
  const BaseTrace& base = draft.base();
  const std::string& kinds = wishes.kinds[random.below(static_cast<std::uint32_t>(wishes.kinds.size()))];
  // The thread that goes on behind the switch was idle before: it moves freely to the left, mostly.
  ThreadId left = draft[place].thread, right = draft[place - 1].thread;
  if (random.below(wishes.hard ? 2 : 4) == 0) std::swap(left, right);
  draft.insert_pair(place, access(base, left, kinds[0], race, false),
                    access(base, right, kinds[1], race, true));

  const std::uint64_t wanted = wishes.distance + random.below64(wishes.distance + 1);
  // What is known of each event of the scene takes as many numbers as there are threads, some times over.
  const std::uint64_t reach =
      std::min<std::uint64_t>(2 * wanted + 4 * wishes.window, kMostNumbers / (2 * base.threads));
  const std::uint64_t begin = place - std::min(place, reach);
  const std::uint64_t end = std::min<std::uint64_t>(draft.size(), place + 2 + reach);
  Scene scene;
  for (std::uint64_t i = begin; i < end; ++i) scene.events.push_back(draft[i]);
  scene.held = draft.held_before(begin);
  scene.left = static_cast<Index>(place - begin);
  // Numbers of the base: those of the draft behind this place are not smaller.
  const std::uint64_t behind = end - std::min<std::uint64_t>(end, draft.size() - base.events.size());
  scene.read_later = [&base, behind](const Event& e) { return base.read_behind(e, behind); };

  Spread spread(std::move(scene), wishes.window, wishes.cases, random);
  Step step;
  const bool turned = !wishes.hard || spread.turn_round(!wishes.missed_by.empty());
  if (turned && stirs > 0) spread.stir(stirs);
  if (turned) spread.run(wanted);
  step.effort = spread.effort();
  step.failure = !turned                               ? Failure::not_turned
                 : spread.distance() < wishes.distance ? Failure::too_close
                                                       : Failure::none;
  if (step.failure == Failure::none) {
    draft.meet(begin, place - begin);
    draft.reorder(begin, spread.order());
  }
  return step;
}

}  // namespace

std::string_view name_of(Failure failure) {
  switch (failure) {
    case Failure::none:
      return "none";
    case Failure::too_close:
      return "too close";
    case Failure::not_turned:
      return "no sections to turn round";
    case Failure::told:
      return "told by an engine that must miss it";
    case Failure::refused:
      return "refused by the judge";
  }
  return "";
}

Injected inject(const BaseTrace& base, const Wishes& wishes, std::uint64_t seed, std::uint64_t number) {
  base::Random random(base::Random(seed)() ^ base::Random(number + 1)());
  Injected made;
  made.point = point_of(base, seed, number);
  Draft draft(base);
  // The first time at a point sections are left as they are, unless that must not be.
  const unsigned stirs = number < base.switches.size() && wishes.missed_by.empty() ? 0 : kStirs;
  std::uint64_t place = made.point;
  for (std::uint32_t race = 0; race < wishes.races; ++race) {
    if (race > 0) {
      // Any switch of the draft as it is now.
      for (int tries = 0;; ++tries) {
        place = 1 + random.below64(draft.size() - 1);
        if (is_switch(draft[place - 1], draft[place])) break;
        if (tries == 10'000) return made.failure = Failure::too_close, made;
      }
    }
    const Step step = put_race(draft, wishes, place, race, stirs, random);
    made.effort += step.effort;
    if (made.failure = step.failure; made.failure != Failure::none) return made;
  }
  made.events = draft.events();
  made.ids = draft.order();
  for (const InjectedPair& pair : draft.pairs()) made.pairs.push_back({draft.witness(pair), true});
  for (const LabelledPair& pair : made.pairs) {
    // A later race may have moved what is between the two of an earlier one.
    if (pair.witness.later - pair.witness.earlier - 1 < wishes.distance) made.failure = Failure::too_close;
    if (wishes.hard && !ordered(made.events, pair.witness.earlier, pair.witness.later)) {
      made.failure = Failure::told;
    }
    if (made.failure != Failure::none) return made;
  }
  if (made.why = wrong_with(draft, made); !made.why.empty()) return made.failure = Failure::refused, made;
  for (const engine::Choice& choice : wishes.missed_by) {
    if (tells_any(choice, made)) return made.failure = Failure::told, made;
  }
  if (wishes.twins) made.twin = twin_of(draft, random);
  return made;
}

}  // namespace deadheat::inject
