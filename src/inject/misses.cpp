#include "inject/misses.h"

#include <algorithm>

#include "base/assert.h"
#include "engine/sorted_block.h"
#include "model/block_builder.h"
#include "model/well_formed.h"

namespace deadheat::inject {

namespace {

class Pairs final : public engine::RaceSink {
 public:
  explicit Pairs(const std::vector<LabelledPair>& wanted) : wanted_(wanted) {}
  void race(const model::RacePair& pair) override {
    found = found || std::ranges::any_of(wanted_, [&](const LabelledPair& w) {
              return w.witness.earlier == pair.earlier.event && w.witness.later == pair.later.event;
            });
  }
  bool found = false;

 private:
  const std::vector<LabelledPair>& wanted_;
};

bool tells(const engine::Choice& choice, const std::vector<Event>& events,
           const std::vector<LabelledPair>& wanted) {
  auto engine = choice.make();
  DEADHEAT_ASSERT(engine.has_value(), "the choice was made before");
  Pairs pairs(wanted);
  std::uint64_t end = 0;
  for (const LabelledPair& pair : wanted) end = std::max(end, pair.witness.later + 1);
  for (unsigned pass = 0; pass < choice.row->passes; ++pass) {
    if (pass > 0) (*engine)->next_pass();
    model::WellFormed rules;
    for (std::uint64_t at = 0; at < end;) {
      model::BlockBuilder builder;
      const std::uint64_t first = at;
      while (at < end && !builder.full()) builder.append(events[at++]);
      engine::SortedBlock block;
      block.sort(builder.view(first));
      rules.feed(block.events, block.order());
      block.leave_out(rules.inner());
      (*engine)->order(block, pairs);
      (*engine)->check(block, 0, pairs);
      if (pairs.found) return true;
    }
  }
  (*engine)->finish(pairs);
  return pairs.found;
}

}  // namespace

bool tells_any(const engine::Choice& choice, const Injected& made) {
  return tells(choice, made.events, made.pairs);
}

bool ordered(const std::vector<Event>& events, std::uint64_t first, std::uint64_t second) {
  // From the first one on: what is ordered behind it does not depend on what was before, but for atomics.
  static const engine::Choice djit = *engine::choose("djit");
  const std::vector<LabelledPair> pair{{{.earlier = first, .later = second}, true}};
  return !tells(djit, events, pair);
}

}  // namespace deadheat::inject
