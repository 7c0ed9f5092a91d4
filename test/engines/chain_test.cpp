// Chains of waiting against the closure of happens-before.
#include "analysis/chain.h"

#include "engines/promises.h"
#include "oracle/happens_before.h"

namespace deadheat::test {
namespace {

class Chains : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, Chains, testing::Values("basic", "all", "readers", "atomics", "meetings"),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_P(Chains, AreThereIfOneIsBeforeTheOther) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const auto before = oracle::hb_order(trace);
    const Pairs pairs = oracle::conflicting_pairs(trace, [](std::size_t, std::size_t) { return true; });
    bool some = false;
    for (const auto& [e, f] : pairs) {
      analysis::Chain chain(e, f);
      for (std::size_t i = 0; i < trace.size(); ++i) chain.see({i, trace[i]});
      if (chain.is_ordered() != before.ordered(e, f)) return Outcome::fails;
      ThreadId at = trace[e].thread;
      std::uint64_t last = e;
      for (const analysis::Link& link : chain.links()) {
        if (link.signal.event.thread != at || link.signal.number < last ||
            link.wait.number < link.signal.number) {
          return Outcome::fails;
        }
        at = link.wait.event.op.kind == EventKind::fork ? ThreadId{link.wait.event.object}
                                                        : link.wait.event.thread;
        last = link.wait.number;
        some = true;
      }
      if (chain.is_ordered() && (at != trace[f].thread || last > f)) return Outcome::fails;
    }
    return oracle::promised(some, true);
  });
}

}  // namespace
}  // namespace deadheat::test
