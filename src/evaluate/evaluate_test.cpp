// Engines on small labelled traces, from the folder to the figures and what is written of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/dataset.h"
#include "evaluate/scores.h"
#include "evaluate/writers.h"
#include "support/scratch.h"

namespace deadheat::evaluate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Contestant engine_named(const char* name) { return {.name = name, .engines = {*engine::choose(name)}}; }
Contestant as_analyze() { return {.name = "default", .engines = {}, .as_analyze = true}; }

// The first write may as well come after the section of T1: hidden from happens-before by the lock.
constexpr const char* kHidden =
    "T0|w(x)|1\nT0|acq(l)|2\nT0|w(y)|3\nT0|rel(l)|4\n"
    "T1|acq(l)|5\nT1|w(z)|6\nT1|rel(l)|7\nT1|w(x)|8\n";
// And here T1 reads what T0 wrote in its section: the accesses to x cannot meet.
constexpr const char* kOrdered =
    "T0|w(x)|1\nT0|acq(l)|2\nT0|w(y)|3\nT0|rel(l)|4\n"
    "T1|acq(l)|5\nT1|r(y)|6\nT1|rel(l)|7\nT1|w(x)|8\n";
constexpr const char* kPlain = "T0|w(x)|1\nT1|r(x)|2\n";

class EvaluateTest : public testing::Test {
 protected:
  void add(const std::string& name, const char* events, std::uint64_t later, bool race,
           bool complete = false) {
    test::put(scratch_.path(name), events);
    labels::Truth truth{.trace = name, .events = later + 1, .complete = complete};
    truth.pairs.push_back({.earlier = 0, .later = later, .race = race, .distance = later - 1});
    test::put(scratch_.path(labels::truth_path(name)), labels::as_json(truth));
    set_.traces.push_back(name);
    set_.complete = true;
    test::put(scratch_.path("set.json"), labels::as_json(set_));
  }
  Result<Evaluation> run(std::vector<Contestant> contestants, unsigned jobs = 2, Limits limits = {}) const {
    auto folder = labels::read_folder(scratch_.path("."), labels::Partial::refused, {});
    if (!folder) return fail(folder.error());
    std::vector<labels::Folder> folders;
    folders.push_back(std::move(*folder));
    return evaluate(std::move(folders),
                    {.contestants = std::move(contestants), .limits = limits, .jobs = jobs, .read = {}});
  }

  test::Scratch scratch_;
  labels::Set set_;
};

TEST_F(EvaluateTest, CountsWhatIsFoundAndMissed) {
  add("hidden.std", kHidden, 7, true);
  add("plain.std", kPlain, 1, true);
  const auto x = run({engine_named("djit"), engine_named("syncp"), as_analyze()});
  ASSERT_TRUE(x) << x.error().message;
  const auto scores = scores_of(*x);
  EXPECT_EQ(scores[0].found, 1u);
  EXPECT_EQ(scores[0].missed, 1u);
  EXPECT_EQ(scores[0].sure, 1u);
  EXPECT_EQ(scores[1].found, 2u);
  EXPECT_EQ(scores[1].sure, 0u);
  EXPECT_EQ(scores[2].found, 2u);
  EXPECT_EQ(scores[2].sure, 2u);
  for (const Score& score : scores) {
    EXPECT_FALSE(score.is_judged) << "the labels say no to nothing";
    EXPECT_EQ(score.judged, 0u);
    EXPECT_EQ(score.alone, 0u);
    EXPECT_EQ(score.runs[0], 2u);
    EXPECT_GT(score.peak_bytes, 0u);
  }
  EXPECT_TRUE(findings_of(*x).empty());
}

TEST_F(EvaluateTest, CountsFalseReports) {
  add("ordered.std", kOrdered, 7, false);
  add("hidden.std", kHidden, 7, true, true);
  const auto x = run({engine_named("lockset"), engine_named("exact"), as_analyze()});
  ASSERT_TRUE(x) << x.error().message;
  const auto scores = scores_of(*x);
  EXPECT_EQ(scores[0].wrong, 1u);
  EXPECT_EQ(scores[0].judged, 2u);
  EXPECT_EQ(scores[0].found, 1u);
  EXPECT_EQ(scores[1].wrong, 0u);
  EXPECT_EQ(scores[1].judged, 1u);
  EXPECT_TRUE(scores[1].is_judged);
  EXPECT_EQ(scores[2].wrong, 0u);
  EXPECT_EQ(verdict_of(x->traces[0].runs[0], 0), "told");
  EXPECT_EQ(verdict_of(x->traces[0].runs[1], 0), "not told");
}

TEST_F(EvaluateTest, TellsWhatHidesARace) {
  add("hidden.std", kHidden, 7, true);
  add("plain.std", kPlain, 1, true);
  const auto x = run({engine_named("djit")});
  ASSERT_TRUE(x) << x.error().message;
  EXPECT_EQ(x->traces[0].pairs[0].hb, (Edge{"lock", "l", 3, 4, 1}));
  EXPECT_EQ(x->traces[0].pairs[0].shb, (Edge{"lock", "l", 3, 4, 1}));
  EXPECT_FALSE(x->traces[1].pairs[0].hb);
  const auto edges = edges_of(*x);
  EXPECT_EQ(edges.at("lock").hb, 1u);
  EXPECT_EQ(edges.at("not ordered").shb, 1u);
  EXPECT_EQ(x->traces[1].labelled.truth.pairs[0].kind, "write-read");
}

TEST_F(EvaluateTest, FindsTheEdgeOfAValueForShbAlone) {
  // T1 reads v without any lock, and then writes x: SHB orders by the value.
  add("value.std", "T0|w(x)|1\nT0|w(v)|2\nT1|r(v)|3\nT1|w(x)|4\n", 3, true);
  const auto x = run({engine_named("djit"), engine_named("shb")});
  ASSERT_TRUE(x) << x.error().message;
  EXPECT_FALSE(x->traces[0].pairs[0].hb);
  EXPECT_EQ(x->traces[0].pairs[0].shb, (Edge{"value", "v", 1, 2, 1}));
  EXPECT_EQ(scores_of(*x)[0].found, 1u);
  EXPECT_EQ(scores_of(*x)[0].alone, 1u);
  EXPECT_EQ(scores_of(*x)[1].missed, 1u);
}

TEST_F(EvaluateTest, IsTheSameForAnyNumberOfJobs) {
  add("hidden.std", kHidden, 7, true);
  add("ordered.std", kOrdered, 7, false);
  add("plain.std", kPlain, 1, true);
  const std::vector<Contestant> contestants = {engine_named("djit"), engine_named("wdp"),
                                               engine_named("exact"), as_analyze()};
  const auto one = run(contestants, 1), many = run(contestants, 7);
  ASSERT_TRUE(one && many);
  EXPECT_EQ(verdicts_as_csv(*one), verdicts_as_csv(*many));
  EXPECT_EQ(verdicts_as_json_lines(*one), verdicts_as_json_lines(*many));
}

TEST_F(EvaluateTest, AStoppedRunIsNoMiss) {
  add("plain.std", kPlain, 1, true);
  auto x = run({engine_named("djit"), engine_named("shb")});
  ASSERT_TRUE(x) << x.error().message;
  evaluate::Run& stopped = x->traces[0].runs[1];
  stopped.end = End::out_of_time;
  stopped.told[0].reset();
  const auto scores = scores_of(*x);
  EXPECT_EQ(scores[1].missed, 0u);
  EXPECT_EQ(scores[1].unknown, 1u);
  EXPECT_EQ(stops_of(scores[1]), "1 time");
  EXPECT_EQ(verdict_of(stopped, 0), "time");
  const auto patterns = patterns_of(*x);
  ASSERT_EQ(patterns.size(), 1u);
  EXPECT_TRUE(patterns[0].missed.empty());
  EXPECT_THAT(patterns[0].stopped, ElementsAre(1u));
  EXPECT_THAT(as_html(*x), HasSubstr("<td class=x title=\"\">time</td>"));
}

TEST_F(EvaluateTest, ATraceThatCannotBeAnalysedIsAFailure) {
  // Two accesses are there, but a lock is released that nobody holds.
  add("broken.std", "T0|w(x)|1\nT1|rel(l)|2\nT1|w(x)|3\n", 2, true);
  const auto x = run({engine_named("djit")});
  ASSERT_TRUE(x) << x.error().message;
  EXPECT_EQ(x->traces[0].runs[0].end, End::failed);
  EXPECT_THAT(x->traces[0].runs[0].why, HasSubstr("broken.std"));
  EXPECT_EQ(scores_of(*x)[0].missed, 0u);
  EXPECT_THAT(as_text(*x, {}), HasSubstr("Runs that failed\n  djit on "));
}

TEST_F(EvaluateTest, RefusesATraceThatIsNotTheLabelledOne) {
  add("plain.std", kPlain, 1, true);
  test::put(scratch_.path("plain.std"), "T0|w(x)|1\nT1|r(x)|2\nT1|r(x)|3\n");
  EXPECT_THAT(run({engine_named("djit")}).error().message,
              HasSubstr("plain.std: has 3 events, but its truth is about a trace of 2"));
  test::put(scratch_.path("plain.std"), "T0|w(x)|1\nT1|r(y)|2\n");
  EXPECT_THAT(run({engine_named("djit")}).error().message,
              HasSubstr("plain.std: events 0 and 1 are of different variables"));
  test::put(scratch_.path("plain.std"), "T0|w(x)|1\nT1|acq(x)|2\n");
  EXPECT_THAT(run({engine_named("djit")}).error().message, HasSubstr("are not both accesses"));
  test::put(scratch_.path("plain.std"), "T0|w(x\n");
  EXPECT_THAT(run({engine_named("djit")}).error().message, HasSubstr("plain.std"));
}

TEST_F(EvaluateTest, WhatNobodyFindsIsAFinding) {
  add("hidden.std", kHidden, 7, true);
  auto x = run({engine_named("djit"), engine_named("exact"), as_analyze()});
  ASSERT_TRUE(x) << x.error().message;
  auto findings = findings_of(*x);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].what, Finding::What::missed_by_unproven);
  x->traces[0].runs[2].told[0].reset();
  EXPECT_EQ(findings_of(*x)[0].what, Finding::What::missed_by_analyze);
  x->traces[0].runs[2].told[0] = engine::Grade::candidate;
  EXPECT_EQ(findings_of(*x)[0].what, Finding::What::unproved_by_analyze);
  EXPECT_EQ(dataset_of(*x, Which::findings, "1").links.size(), 1u);
  EXPECT_THAT(as_text(*x, {}), HasSubstr("'deadheat analyze' suspects it, and does not prove it"));
  EXPECT_THAT(as_text(*x, {}), Not(HasSubstr("\033")));
  EXPECT_THAT(as_text(*x, {.width = 80, .colour = true}), HasSubstr("\033[1mFindings\033[0m"));
}

TEST_F(EvaluateTest, ADatasetIsASetAgain) {
  add("hidden.std", kHidden, 7, true);
  add("ordered.std", kOrdered, 7, false);
  const auto x = run({engine_named("djit"), engine_named("exact")});
  ASSERT_TRUE(x) << x.error().message;
  const Dataset dataset = dataset_of(*x, Which::all, "1.2.3");
  EXPECT_THAT(dataset.set.traces, ElementsAre("hidden.std", "ordered.std"));
  EXPECT_EQ(dataset.set.counts.at("races"), 1u);
  ASSERT_EQ(dataset.links.size(), 2u);
  ASSERT_EQ(dataset.files.size(), 6u);
  const auto truth = labels::parse_truth(dataset.files[0].text, "truth");
  ASSERT_TRUE(truth) << truth.error().message;
  EXPECT_EQ(truth->pairs[0].kind, "write-write");
  EXPECT_THAT(dataset.files[2].text,
              HasSubstr("hidden.std,8,2,0,7,true,write-write,x,6,witness,lock,l,lock,l,,,djit,not told,\n"));
  EXPECT_THAT(dataset.files[2].text, HasSubstr(",exact,told,proved\n"));
  EXPECT_THAT(dataset.files[5].text, HasSubstr("deadheat 1.2.3"));
}

TEST_F(EvaluateTest, TracesOfOneNameGetOthersInADataset) {
  add("plain.std", kPlain, 1, true);
  auto x = run({engine_named("djit")});
  ASSERT_TRUE(x) << x.error().message;
  x->folders[0].path = "sets/one/";
  x->folders.push_back({.path = "sets/two", .layout = "", .made_by = ""});
  x->traces.push_back(x->traces[0]);
  x->traces[1].folder = 1;
  x->traces.push_back(x->traces[1]);
  EXPECT_THAT(dataset_of(*x, Which::all, "1").set.traces,
              ElementsAre("plain.std", "two_plain.std", "two2_plain.std"));
}

TEST_F(EvaluateTest, ComparesWithWhatWasPublished) {
  add("hidden.std", kHidden, 7, true);
  auto x = run({engine_named("djit"), engine_named("wcp")});
  ASSERT_TRUE(x) << x.error().message;
  EXPECT_EQ(published_of(*x).compared, 0u);
  x->traces[0].labelled.published_as_missed_by = {"hb", "shb"};
  EXPECT_EQ(published_of(*x).compared, 1u);
  EXPECT_TRUE(published_of(*x).differences.empty()) << "nobody asked about shb";
  x->traces[0].labelled.published_as_missed_by = {"hb", "wcp"};
  ASSERT_EQ(published_of(*x).differences.size(), 1u);
  EXPECT_THAT(published_of(*x).differences[0].here, ElementsAre("hb"));
}

TEST_F(EvaluateTest, NamesAreEscaped) {
  add("plain.std", "T0|w(<b>,\"x)|1\nT1|r(<b>,\"x)|2\n", 1, true);
  auto x = run({engine_named("djit")});
  ASSERT_TRUE(x) << x.error().message;
  EXPECT_THAT(verdicts_as_csv(*x), HasSubstr(",\"<b>,\"\"x\","));
  x->traces[0].labelled.name = "<i>\"";
  EXPECT_THAT(as_html(*x), Not(HasSubstr("<i>")));
  EXPECT_THAT(as_html(*x), HasSubstr("&lt;i&gt;&quot;"));
}

}  // namespace
}  // namespace deadheat::evaluate
