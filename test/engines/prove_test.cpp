// Schedules that are found for pairs: those that must be there are, and all pass both judges.
#include "analysis/sync_preserving.h"
#include "engines/promises.h"
#include "oracle/sync_preserving.h"
#include "support/witness.h"

namespace deadheat::test {
namespace {

std::vector<std::optional<witness::Witness>> found(std::span<const model::RacePair> pairs, Trace trace) {
  analysis::SyncPreserving search(pairs, false);
  model::WellFormed rules;
  const std::size_t size = any_cut(trace).block;
  for (std::size_t at = 0; at < trace.size() && search.wants_more();) {
    model::BlockBuilder builder(size);
    engine::SortedBlock block;
    const std::size_t first = at;
    while (at < trace.size() && !builder.full()) builder.append(trace[at++]);
    block.sort(builder.view(first));
    rules.feed(block.events, block.order());
    block.leave_out(rules.inner());
    search.see(block);
  }
  return search.take();
}

class Schedules : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, Schedules,
                         testing::Values("basic", "all", "readers", "atomics", "meetings"),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_P(Schedules, AreFoundIfLocksCanKeepTheirOrder) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    // Whatever conflicts, possible or not.
    const Pairs all = oracle::conflicting_pairs(trace, [](std::size_t, std::size_t) { return true; });
    const Pairs possible = oracle::SyncPreserving(trace).pairs();
    std::vector<model::RacePair> pairs;
    for (const auto& [e, f] : all) {
      const auto side = [&](std::size_t i) {
        return model::Side{i, trace[i].thread, trace[i].op.site, trace[i].op.kind};
      };
      pairs.push_back({VarId{trace[f].object}, side(e), side(f)});
    }
    const auto schedules = found(pairs, trace);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Pair pair{pairs[i].earlier.event, pairs[i].later.event};
      if (schedules[i].has_value() != possible.contains(pair)) return Outcome::fails;
      if (schedules[i] && !holds(*schedules[i], trace)) return Outcome::fails;
    }
    return oracle::promised(!possible.empty() && possible.size() < all.size(), true);
  });
}

}  // namespace
}  // namespace deadheat::test
