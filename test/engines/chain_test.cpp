// Chains of waiting against the closure of happens-before, and of SHB.
#include "analysis/chain.h"
#include "analysis/wcp_edges.h"

#include "engines/promises.h"
#include "oracle/happens_before.h"
#include "oracle/wcp.h"

namespace deadheat::test {
namespace {

using analysis::Chain;

class Chains : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, Chains, testing::Values("basic", "all", "readers", "atomics", "meetings"),
                         [](const auto& profile) { return std::string(profile.param); });

Chain chain_between(Trace trace, std::uint64_t e, std::uint64_t f, Chain::Follow follow) {
  Chain chain(e, f, follow);
  for (std::size_t i = 0; i < trace.size(); ++i) chain.see({i, trace[i]});
  return chain;
}

// From one thread to the next, and on in time.
bool hangs_together(const Chain& chain, Trace trace, std::uint64_t e, std::uint64_t f) {
  ThreadId at = trace[e].thread;
  std::uint64_t last = e;
  for (const analysis::Link& link : chain.links()) {
    if (link.signal.event.thread != at || link.signal.number < last ||
        link.wait.number < link.signal.number) {
      return false;
    }
    at = link.wait.event.op.kind == EventKind::fork ? ThreadId{link.wait.event.object}
                                                    : link.wait.event.thread;
    last = link.wait.number;
  }
  return !chain.is_ordered() || (at == trace[f].thread && last <= f);
}

TEST_P(Chains, AreThereIfOneIsBeforeTheOther) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const auto before = oracle::hb_order(trace);
    const Pairs pairs = oracle::conflicting_pairs(trace, [](std::size_t, std::size_t) { return true; });
    bool some = false;
    for (const auto& [e, f] : pairs) {
      const Chain chain = chain_between(trace, e, f, Chain::Follow::synchronisation);
      if (chain.is_ordered() != before.ordered(e, f) || !hangs_together(chain, trace, e, f))
        return Outcome::fails;
      some |= !chain.links().empty();
    }
    return oracle::promised(some, true);
  });
}

TEST_P(Chains, FollowValuesIfTheyAreToldTo) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs apart = oracle::shb_pairs(oracle::shb_order(trace));
    const Pairs pairs = oracle::conflicting_pairs(trace, [](std::size_t, std::size_t) { return true; });
    bool some = false;
    for (const auto& [e, f] : pairs) {
      const Chain chain = chain_between(trace, e, f, Chain::Follow::values);
      if (chain.is_ordered() == apart.contains({e, f}) || !hangs_together(chain, trace, e, f))
        return Outcome::fails;
      for (const analysis::Link& link : chain.links()) some |= link.signal.event.op.kind == EventKind::write;
    }
    return oracle::promised(some, true);
  });
}

class WcpEdgesOf : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, WcpEdgesOf, testing::Values("basic", "all", "readers", "meetings"),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_P(WcpEdgesOf, AreThereIfOneIsBeforeTheOther) {
  oracle::for_many_traces(options(), kTraces, [](Trace trace) {
    const Pairs apart = oracle::Wcp(trace).pairs();
    std::vector<std::pair<std::uint64_t, std::uint64_t>> asked;
    for (const auto& [e, f] : oracle::conflicting_pairs(trace)) asked.emplace_back(e, f);
    analysis::WcpEdges edges(asked);
    for (std::size_t at = 0; at < trace.size();) {
      model::BlockBuilder block(5);
      const std::size_t first = at;
      while (at < trace.size() && !block.full()) block.append(trace[at++]);
      edges.see(block.view(first));
    }
    bool some = false;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto& [e, f] = asked[i];
      const auto& link = edges.of(i);
      if (link.has_value() == apart.contains({e, f})) return Outcome::fails;
      if (!link) continue;
      some = true;
      const bool in_time =
          link->signal.number >= e && link->signal.number < link->wait.number && link->wait.number <= f;
      if (!in_time || trace[link->signal.number].thread != trace[e].thread) return Outcome::fails;
    }
    return oracle::promised(some, true);
  });
}

}  // namespace
}  // namespace deadheat::test
