// Engines on generated workloads, through the driver: longer traces, more threads, known races.
#include <gtest/gtest.h>

#include <set>

#include "analysis/analyze.h"
#include "generate/generate.h"
#include "oracle/many_traces.h"
#include "support/run_engine.h"
#include "support/scratch.h"

namespace deadheat::test::workloads_tests {
namespace {

using analysis::Findings;
using generate::Pattern;
using Truths = std::set<std::pair<std::uint64_t, std::uint64_t>>;

std::vector<engine::Choice> engines(std::initializer_list<const char*> names) {
  std::vector<engine::Choice> choices;
  for (const char* name : names) choices.push_back(*engine::choose(name));
  return choices;
}
std::vector<engine::Choice> detectors() {
  std::vector<engine::Choice> choices;
  for (const engine::Row& row : engine::rows()) {
    if (row.notion != engine::Notion::none) choices.push_back(*engine::choose(row.name));
  }
  return choices;
}

Findings analyze(const std::string& path, std::vector<engine::Choice> choices, unsigned jobs) {
  auto findings =
      analysis::analyze(path, {.engines = std::move(choices), .jobs = jobs, .read = {}, .progress = false});
  EXPECT_TRUE(findings) << findings.error().message;
  return findings ? std::move(*findings) : Findings{};
}

bool same(const Findings& a, const Findings& b) {
  const auto same_race = [](const analysis::Finding& x, const analysis::Finding& y) {
    return x.first == y.first && x.instances == y.instances && x.variables == y.variables;
  };
  const auto same_engine = [](const analysis::EngineRun& x, const analysis::EngineRun& y) {
    return x.name == y.name && x.pairs == y.pairs;
  };
  return a.events == b.events && std::ranges::equal(a.races, b.races, same_race) &&
         std::ranges::equal(a.engines, b.engines, same_engine);
}

class Workload : public testing::TestWithParam<Pattern> {
 public:
  // Every pattern has planted races, each at sites of its own.
  std::string trace() {
    auto p = generate::defaults_of(GetParam());
    p.events = 60'000 / oracle::kFewer;
    p.races = 30;
    p.race_distance = 200;
    if (GetParam() != Pattern::many_threads) p.threads = 40;
    const std::string path = scratch_.path("trace.dht");
    auto writer = TraceWriter::create(path, {.zstd_level = 0, .block_events = 1000});
    EXPECT_TRUE(writer);
    const auto made = generate::generate(
        p, **writer, [&](const generate::PlantedRace& race) { truth_.insert({race.event1, race.event2}); });
    EXPECT_TRUE(made) << made.error().message;
    EXPECT_EQ(truth_.size(), p.races);
    return path;
  }
  const Truths& truth() const { return truth_; }

 private:
  Scratch scratch_;
  Truths truth_;
};
INSTANTIATE_TEST_SUITE_P(Patterns, Workload,
                         testing::Values(Pattern::mutex, Pattern::rwlock, Pattern::producer_consumer,
                                         Pattern::barrier, Pattern::atomics, Pattern::many_threads,
                                         Pattern::mixed),
                         [](const auto& pattern) {
                           std::string name(generate::name_of(pattern.param));
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(Workload, TheFindingsDoNotDependOnTheNumberOfJobs) {
  const std::string path = trace();
  const Findings one = analyze(path, detectors(), 1);
  EXPECT_FALSE(one.races.empty());
  for (const unsigned jobs : {2u, 3u, 5u})
    EXPECT_TRUE(same(one, analyze(path, detectors(), jobs))) << jobs << " jobs";
}

TEST_P(Workload, EnginesOfHappensBeforeFindExactlyThePlantedRaces) {
  const std::string path = trace();
  auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader);
  std::vector<Event> events;
  for (const BlockView* block = *(*reader)->next(); block != nullptr; block = *(*reader)->next()) {
    for (std::size_t i = 0; i < block->size(); ++i) events.push_back((*block)[i]);
  }
  for (const char* engine : {"djit", "fasttrack", "fasttrack-tree", "shb"}) {
    Truths told;
    for (const auto& pair : run_engine(engine, events, {3000, 0, 1}).pairs)
      told.insert({pair.earlier.event, pair.later.event});
    EXPECT_EQ(told, truth()) << engine;
  }
}

TEST(Analyze, ATraceThatIsNotWellFormedIsAnErrorThatNamesTheEvent) {
  const Scratch scratch;
  for (const unsigned jobs : {1u, 3u}) {
    const std::string path = scratch.path("bad.std");
    put(path, "T0|acq(L0)|1\nT1|rel(L0)|2\n");
    const auto findings =
        analysis::analyze(path, {.engines = engines({"djit"}), .jobs = jobs, .read = {}, .progress = false});
    ASSERT_FALSE(findings);
    EXPECT_NE(findings.error().message.find("event 1"), std::string::npos) << findings.error().message;
    EXPECT_NE(findings.error().message.find("release-other"), std::string::npos) << findings.error().message;
  }
}

TEST(Analyze, AForkThatIsRepeatedIsAWarning) {
  const Scratch scratch;
  const std::string path = scratch.path("repeated.std");
  put(path, "T0|w(V0)|1\nT0|fork(T1)|2\nT0|fork(T1)|2\nT1|r(V0)|3\n");
  const Findings findings = analyze(path, engines({"djit"}), 1);
  EXPECT_TRUE(findings.races.empty());
  ASSERT_EQ(findings.warnings.size(), 1u);
  EXPECT_EQ(findings.warnings[0].count, 1u);
}

TEST(Analyze, ADamagedBlockIsAnErrorWhateverTheNumberOfJobs) {
  const Scratch scratch;
  const std::string path = scratch.path("trace.dht");
  auto p = generate::defaults_of(Pattern::mutex);
  p.events = 20'000;
  auto writer = TraceWriter::create(path, {.zstd_level = 0, .block_events = 1000});
  ASSERT_TRUE(generate::generate(p, **writer));
  std::string bytes = contents(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  put(path, bytes);
  for (const unsigned jobs : {1u, 4u}) {
    const auto findings = analysis::analyze(
        path, {.engines = engines({"djit", "shb"}), .jobs = jobs, .read = {}, .progress = false});
    ASSERT_FALSE(findings);
    EXPECT_NE(findings.error().message.find("trace.dht"), std::string::npos) << findings.error().message;
  }
}

}  // namespace
}  // namespace deadheat::test::workloads_tests
