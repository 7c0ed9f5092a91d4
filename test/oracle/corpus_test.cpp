// The traces of test/corpus/promises: what is claimed of them, by hand and by table. DEADHEAT_UPDATE=1 writes
// the table anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "deadheat/trace.h"
#include "oracle/optimistic.h"
#include "oracle/relations.h"
#include "oracle/wcp.h"
#include "oracle/well_formed_oracle.h"
#include "support/load_trace.h"
#include "support/source_path.h"

namespace deadheat::oracle {
namespace {

const std::string kCorpus = test::source_path("test/corpus/"), kFolder = kCorpus + "promises/";

std::vector<Event> load(const std::string& name, const std::string& folder = kFolder) {
  return test::load_trace(folder + name + ".std");
}

// "1-4 2-4", events numbered from 1.
std::string told(const Pairs& pairs) {
  std::string text;
  for (const auto& [a, b] : pairs) {
    text += (text.empty() ? "" : " ") + std::to_string(a + 1) + "-" + std::to_string(b + 1);
  }
  return text.empty() ? "-" : text;
}

std::string row(const std::string& name) {
  const auto trace = load(name);
  EXPECT_FALSE(first_fault(trace)) << name << " is not well formed";
  const Relations r(trace);
  const Reorderings possible = reorderings(trace);
  std::string text = name;
  for (const Pairs& pairs :
       {r.hb_pairs, r.shb_pairs, Wcp(trace).pairs(), r.lockset_pairs, r.tsan1_pairs, r.tsan1_wrd_pairs,
        possible.co_enabled, possible.adjacent, reorderings(trace, Keep::sync_preserving).co_enabled,
        optimistic_and_sync_preserving(trace)}) {
    text += "\t" + told(pairs);
  }
  return text + (possible.deadlock ? "\tyes" : "\tno");
}

TEST(PromisesCorpus, ThePairsOfEachRelationAreThoseOfTheTable) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".std") names.insert(entry.path().stem());
  }
  std::string expected =
      "trace\thb\tshb\twcp\tlockset\ttsan1\ttsan1-wrd\tco-enabled\tadjacent\tsyncp\tosr\tdeadlock\n";
  for (const std::string& name : names) expected += row(name) + "\n";
  if (std::getenv("DEADHEAT_UPDATE") != nullptr) std::ofstream(kFolder + "pairs.tsv") << expected;
  std::ifstream file(kFolder + "pairs.tsv");
  std::stringstream table;
  table << file.rdbuf();
  EXPECT_EQ(table.str(), expected);
}

// One claim: whether the pair is among those that some reordering, or a relation, has.
struct Claim {
  const char* trace;
  std::size_t a, b;  // from 1
  enum What { hb, shb, wcp, lockset, tsan1, tsan1_wrd, co_enabled, adjacent } what;
  bool is;
};

bool is_so(const Claim& claim) {
  const auto trace = load(claim.trace);
  const Relations r(trace);
  const Pairs wcp_pairs = Wcp(trace).pairs();
  const Reorderings possible = reorderings(trace);
  const auto pairs = [&]() -> const Pairs& {
    switch (claim.what) {
      case Claim::hb:
        return r.hb_pairs;
      case Claim::shb:
        return r.shb_pairs;
      case Claim::wcp:
        return wcp_pairs;
      case Claim::lockset:
        return r.lockset_pairs;
      case Claim::tsan1:
        return r.tsan1_pairs;
      case Claim::tsan1_wrd:
        return r.tsan1_wrd_pairs;
      case Claim::co_enabled:
        return possible.co_enabled;
      case Claim::adjacent:
        break;
    }
    return possible.adjacent;
  };
  return pairs().contains({claim.a - 1, claim.b - 1}) == claim.is;
}

TEST(PromisesCorpus, EachClaimHolds) {
  using C = Claim;
  constexpr Claim kClaims[] = {
      {"gap-reads-bring-gaps", 1, 7, C::co_enabled, false},
      {"gap-earlier-sections-stay", 2, 7, C::co_enabled, false},
      {"gap-after-gap", 1, 7, C::co_enabled, false},
      {"gap-of-known-bytes", 1, 7, C::co_enabled, true},
      {"try-lock-found-it-held", 1, 4, C::co_enabled, false},
      {"try-lock-found-it-held", 1, 4, C::hb, true},
      {"wcp-hand-over-hand", 4, 9, C::co_enabled, false},
      {"wcp-fork-in-section", 3, 7, C::co_enabled, false},
      {"wcp-fork-join-in-section", 2, 6, C::co_enabled, false},
      {"wcp-fork-in-open-section", 2, 6, C::co_enabled, false},
      {"wcp-deadlock", 5, 9, C::co_enabled, false},
      {"wcp-hand-over-hand", 4, 9, C::wcp, true},
      {"wcp-fork-join-in-section", 2, 6, C::wcp, true},
      {"wcp-fork-in-open-section", 2, 6, C::wcp, true},
      {"wcp-send-in-section", 2, 7, C::wcp, true},
      {"wcp-send-in-section", 2, 7, C::co_enabled, false},
      {"wcp-barrier-in-section", 2, 8, C::wcp, true},
      {"wcp-barrier-in-section", 2, 8, C::co_enabled, false},
      {"wcp-atomics-in-section", 3, 8, C::wcp, true},
      {"wcp-atomics-in-section", 3, 8, C::co_enabled, false},
      {"wcp-alloc-of-read-memory", 3, 8, C::wcp, true},
      {"wcp-alloc-of-read-memory", 3, 8, C::co_enabled, false},
      {"wcp-deadlock", 5, 9, C::wcp, true},
      {"wcp-fork-in-section", 3, 7, C::wcp, false},
      {"later-race", 1, 3, C::wcp, true},
      {"later-race", 1, 3, C::hb, true},
      {"later-race", 1, 3, C::shb, false},
      {"later-race", 1, 3, C::co_enabled, false},
      {"later-race", 1, 2, C::shb, true},
      {"pwr-not-adjacent", 2, 4, C::co_enabled, true},
      {"pwr-not-adjacent", 2, 4, C::adjacent, false},
      {"pwr-only-later-without-lock", 3, 8, C::co_enabled, false},
      {"pwr-only-later-without-lock", 2, 8, C::co_enabled, true},
      {"wdp-two-threads", 1, 3, C::co_enabled, false},
      {"write-not-read", 1, 3, C::co_enabled, true},
      {"write-not-read", 1, 3, C::adjacent, false},
      {"write-not-read", 1, 3, C::shb, true},
      {"wdp-co-enabled", 1, 6, C::co_enabled, true},
      {"shb-not-adjacent", 1, 3, C::shb, true},
      {"shb-not-adjacent", 1, 3, C::adjacent, false},
      {"fork-is-before-first", 1, 3, C::shb, false},
      {"shb-ticks-after-writes", 3, 4, C::shb, true},
      {"lockset-of-each-access", 1, 6, C::lockset, true},
      {"lockset-of-each-access", 1, 6, C::tsan1, true},
      {"write-then-read", 1, 2, C::tsan1_wrd, true},
      {"eraser-tells", 2, 6, C::lockset, false},
      {"eraser-tells", 4, 6, C::lockset, false},
      {"rex-fork-in-history", 3, 4, C::hb, true},
      {"rex-fork-in-history", 1, 4, C::hb, false},
      {"rex-two-threads", 5, 7, C::hb, true},
      {"rex-two-threads-release", 3, 9, C::hb, true},
      {"rex-two-threads-release", 1, 9, C::hb, false},
      {"rex-two-threads-release", 2, 9, C::hb, false},
      {"rex-lockset-hb", 5, 6, C::hb, true},
      {"rex-lockset-hb", 1, 5, C::hb, false},
      {"rex-two-threads-tsan1", 1, 3, C::tsan1, false},
      {"rex-two-threads-tsan1", 1, 4, C::tsan1, true},
      {"rex-before-shb", 2, 4, C::shb, false},
      {"rex-before-shb", 2, 4, C::co_enabled, false},
      {"djit-one-write-clock", 1, 3, C::hb, true},
      {"sampling-join", 1, 3, C::hb, false},
      {"sampling-fork", 1, 3, C::hb, false},
      {"sampling-own-entry", 2, 5, C::hb, false},
      {"sampling-release-stores", 4, 8, C::hb, true},
      {"sampling-release-joins", 1, 5, C::hb, false},
      {"relaxed-value", 1, 4, C::hb, true},
      {"relaxed-value", 1, 4, C::shb, false},
      {"relaxed-value", 1, 4, C::co_enabled, false},
      {"own-synchronisation", 1, 3, C::co_enabled, true},
      {"own-synchronisation", 1, 3, C::tsan1, false},
      {"own-synchronisation", 1, 3, C::lockset, true},
      {"allocated-by-another", 1, 4, C::shb, true},
      {"allocated-by-another", 1, 4, C::co_enabled, false},
      {"freed-by-another", 1, 4, C::shb, true},
      {"freed-by-another", 1, 4, C::co_enabled, false},
      {"alloc-renews-its-bytes", 1, 3, C::hb, true},
      {"alloc-renews-its-bytes", 1, 4, C::hb, false},
      {"alloc-hides-a-release", 1, 5, C::hb, true},
      {"readers-do-not-order", 2, 8, C::hb, true},
      {"readers-do-not-order", 5, 11, C::hb, false},
      {"barrier-generations", 1, 6, C::hb, false},
      {"barrier-generations", 1, 8, C::hb, true},
      {"message-from-two", 1, 5, C::hb, false},
      {"message-from-two", 2, 7, C::hb, true},
      {"release-sequence", 1, 5, C::hb, false},
      {"release-sequence", 1, 8, C::hb, true},
  };
  for (const Claim& claim : kClaims) {
    EXPECT_TRUE(is_so(claim)) << claim.trace << " " << claim.a << "-" << claim.b << " " << claim.what;
  }
}

// What the published test tells, without the sync-preserving pairs.
TEST(PromisesCorpus, TheOptimisticPairIsToldWhereItIsOne) {
  const auto is_optimistic = [](const char* name, std::size_t a, std::size_t b) {
    return Optimistic(load(name)).pairs().contains({a - 1, b - 1});
  };
  EXPECT_TRUE(is_optimistic("optimistic", 2, 8));
  EXPECT_FALSE(is_optimistic("optimistic-not-over", 2, 7));
  EXPECT_FALSE(is_optimistic("optimistic-cycle", 3, 10));
  EXPECT_FALSE(is_optimistic("sync-preserving-not-optimistic", 2, 14));
}

TEST(PromisesCorpus, TheDeadlocksArePredictedWhereTheyAre) {
  EXPECT_TRUE(reorderings(load("wcp-deadlock")).deadlock);
  EXPECT_FALSE(reorderings(load("wcp-hand-over-hand")).deadlock);
  for (const char* name :
       {"wcp-fork-in-section", "wcp-fork-join-in-section", "wcp-fork-in-open-section", "wcp-send-in-section",
        "wcp-barrier-in-section", "wcp-atomics-in-section", "wcp-alloc-of-read-memory"}) {
    EXPECT_FALSE(reorderings(load(name)).deadlock) << name;
  }
}

TEST(PromisesCorpus, TracesWithoutARaceHaveNone) {
  for (const char* name :
       {"fork-is-before-first", "sampling-own-thread", "sampling-join", "sampling-fork", "sampling-own-entry",
        "sampling-release-joins", "reader-then-writer", "lock-kept-as-reader", "fences"}) {
    EXPECT_EQ(told(Relations(load(name)).hb_pairs), "-") << name;
  }
}

// These were worked out by others, with other means.
TEST(PrecisionCorpus, TheCoEnabledPairsAreThoseOfTheTruth) {
  std::ifstream truth(kCorpus + "precision/truth.tsv");
  std::string name, published, count, pairs;
  std::getline(truth, name);  // the head
  std::size_t cases = 0;
  while (std::getline(truth, name, '\t') && std::getline(truth, published, '\t') &&
         std::getline(truth, count, '\t') && std::getline(truth, pairs)) {
    const auto trace = load(name, kCorpus + "precision/");
    const std::string found = told(reorderings(trace).co_enabled);
    EXPECT_EQ(found, pairs == "none" ? "-" : pairs) << name;
    ++cases;
  }
  EXPECT_EQ(cases, 33u);
}

}  // namespace
}  // namespace deadheat::oracle
