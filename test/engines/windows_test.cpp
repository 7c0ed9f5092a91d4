// Windows of traces: what engines find in one is what there is in it, and how often that is something.
#include <cmath>

#include "analysis/analyze_windows.h"
#include "analysis/one_pass.h"
#include "analysis/window_runner.h"
#include "engines/promises.h"
#include "generate/generate.h"
#include "support/scratch.h"

namespace deadheat::test::windows_tests {
namespace {

using analysis::AnalyzeOptions;
using analysis::Findings;
using analysis::WindowEvents;
using filter::Window;

AnalyzeOptions with(std::string_view engine, const char* sample = nullptr, unsigned jobs = 1) {
  AnalyzeOptions options{.engines = {*engine::choose(engine)}, .jobs = jobs, .read = {}, .progress = false};
  if (sample != nullptr) options.filters.push_back(*filter::choose(sample, filter::Role::sample));
  return options;
}

// The engine in the window, as the driver runs it there.
RaceList in_window(std::string_view engine, Trace trace, Window window, const Cut& cut,
                   WindowEvents::Extent extent) {
  RaceList races;
  const AnalyzeOptions options = with(engine);
  analysis::WindowRunner runner(options, &races);
  WindowEvents events;
  events.clear();
  EXPECT_TRUE(runner.begin(window.begin));
  const auto feed = [&] {
    events.number(extent);
    const auto fed = runner.feed(events);
    EXPECT_TRUE(fed) << fed.error().message;
    events.drop_events();
  };
  for (std::uint64_t at = window.begin; at < window.end;) {
    model::BlockBuilder builder(cut.block);
    const std::uint64_t first = at;
    while (at < window.end && !builder.full()) builder.append(trace[at++]);
    events.add(builder.view(first));
    if (extent == WindowEvents::Extent::part) feed();
  }
  if (extent == WindowEvents::Extent::whole) feed();
  runner.end(events);
  sort_pairs(races.pairs);
  return races;
}

Pairs within(const Pairs& pairs, Window window) {
  Pairs out;
  for (const auto& [a, b] : pairs) {
    if (a >= window.begin && b < window.end) out.insert({a, b});
  }
  return out;
}

class Windows : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, Windows, testing::Values("basic", "all", "readers", "atomics", "meetings"),
                         [](const auto& profile) { return std::string(profile.param); });

// Every begin, to the end of the trace (what is before some event does not depend on what is behind it) and
// to one other place.
template <class Property>
void for_windows(const oracle::SmallTraceOptions& options, Property property) {
  oracle::for_many_traces(options, kTraces / 6, [&](Trace trace) {
    const Pairs pairs = oracle::hb_order(trace).unordered();
    const Cut cut = any_cut(trace);
    Outcome all = Outcome::says_nothing;
    for (std::uint64_t begin = 0; begin < trace.size(); ++begin) {
      const std::uint64_t some = begin + 1 + (begin * 7 + cut.block) % (trace.size() - begin);
      for (const Window window : {Window{begin, trace.size()}, Window{begin, some}}) {
        const auto extent =
            (begin + window.end) % 2 == 0 ? WindowEvents::Extent::whole : WindowEvents::Extent::part;
        const Outcome outcome = property(trace, within(pairs, window), window, cut, extent);
        if (outcome == Outcome::fails) return Outcome::fails;
        if (outcome == Outcome::holds) all = Outcome::holds;
      }
    }
    return all;
  });
}

TEST_P(Windows, DjitFlagsExactlyTheRacesInside) {
  for_windows(options(), [](Trace trace, const Pairs& pairs, Window window, const Cut& cut, auto extent) {
    const RaceList races = in_window("djit", trace, window, cut, extent);
    return oracle::promised(!pairs.empty(), races.flagged() == flagged(pairs) &&
                                                oracle::subset(pairs_of(races), pairs) &&
                                                told_truly(races, trace));
  });
}

TEST_P(Windows, FasttrackFindsTheVariablesAndFirstAccessesOfDjit) {
  for_windows(options(), [](Trace trace, const Pairs& pairs, Window window, const Cut& cut, auto extent) {
    const RaceList djit = in_window("djit", trace, window, cut, extent);
    const RaceList fasttrack = in_window("fasttrack", trace, window, cut, extent);
    return oracle::promised(!pairs.empty(), oracle::subset(pairs_of(fasttrack), pairs) &&
                                                first_by_variable(djit) == first_by_variable(fasttrack));
  });
}

TEST_P(Windows, NoEngineOfHappensBeforeTellsWhatIsNoRace) {
  for (const engine::Row& row : engine::rows()) {
    if (row.basis != engine::Basis::happens_before || !filter::windows_refuse(row).empty()) continue;
    SCOPED_TRACE(row.name);
    for_windows(options(), [&](Trace trace, const Pairs& pairs, Window window, const Cut& cut, auto extent) {
      const RaceList races = in_window(row.name, trace, window, cut, extent);
      return oracle::promised(!pairs.empty(),
                              oracle::subset(pairs_of(races), pairs) && told_truly(races, trace));
    });
  }
}

// What random traces seldom have.
Event event_of(std::uint32_t t, EventKind kind, std::uint32_t object = 0, std::uint64_t value = 0) {
  return {ThreadId{t}, {.kind = kind, .value = value}, object};
}

// T1 and T2 are inside before the window; T0 writes and enters in it. All leave, T1 last. An engine that
// thinks that T0 was the only one inside forgets it when T2 leaves, and T1 seems to race with T0.
TEST(Window, ABarrierThatOthersEnteredBeforeOrdersAllWhoLeaveIt) {
  const std::vector<Event> trace = {event_of(1, EventKind::barrier_enter, 0, 5),
                                    event_of(2, EventKind::barrier_enter, 0, 5),
                                    event_of(0, EventKind::write, 3),
                                    event_of(0, EventKind::barrier_enter, 0, 5),
                                    event_of(2, EventKind::barrier_exit, 0, 5),
                                    event_of(0, EventKind::barrier_exit, 0, 5),
                                    event_of(1, EventKind::barrier_exit, 0, 5),
                                    event_of(1, EventKind::write, 3)};
  for (const engine::Row& row : engine::rows()) {
    if (row.basis != engine::Basis::happens_before || !filter::windows_refuse(row).empty()) continue;
    for (std::uint64_t begin = 0; begin < 4; ++begin) {
      const Window window{begin, trace.size()};
      EXPECT_TRUE(in_window(row.name, trace, window, {}, WindowEvents::Extent::whole).pairs.empty())
          << row.name << " from " << begin;
    }
  }
}

TEST(Window, WhatCannotBeginBeforeItIsAnError) {
  const std::vector<Event> trace = {event_of(0, EventKind::write), event_of(0, EventKind::acquire),
                                    event_of(1, EventKind::acquire), event_of(1, EventKind::release)};
  const AnalyzeOptions options = with("djit");
  const auto error_from = [&](std::uint64_t begin) {
    analysis::WindowRunner runner(options);
    WindowEvents events;
    events.clear();
    model::BlockBuilder builder(10);
    for (std::uint64_t i = begin; i < trace.size(); ++i) builder.append(trace[i]);
    events.add(builder.view(begin));
    events.number(WindowEvents::Extent::whole);
    EXPECT_TRUE(runner.begin(begin));
    const auto fed = runner.feed(events);
    return fed ? std::string() : fed.error().message;
  };
  EXPECT_NE(error_from(1).find("event 2"), std::string::npos) << error_from(1);
  EXPECT_EQ(error_from(2), "");
  EXPECT_EQ(error_from(3), "");  // a release only: the acquire may have been before
}

// ---- whole traces ----

// Pairs of adjacent writes of two threads to a variable of their own, one pair in every `period` events, from
// `from` to `to`; else reads of one thread. Nothing can come between the two of a pair: to order them, one of
// them must be changed, so that the trace is as many edits from race-free as it has pairs.
std::string far_trace(const Scratch& scratch, std::uint64_t events, std::uint64_t period, std::uint64_t from,
                      std::uint64_t to) {
  const std::string path = scratch.path("far.dht");
  auto writer = TraceWriter::create(path, {.zstd_level = 0, .block_events = 1000});
  EXPECT_TRUE(writer);
  std::uint32_t pairs = 0;
  for (std::uint64_t i = 0; i < events; ++i) {
    const bool inside = i >= from && i < to;
    if (inside && i % period < 2) {
      pairs += i % period == 0 ? 1 : 0;
      EXPECT_TRUE(
          (*writer)->append(event_of(static_cast<std::uint32_t>(i % period), EventKind::write, pairs)));
    } else {
      EXPECT_TRUE((*writer)->append(event_of(0, EventKind::read, 0)));
    }
  }
  EXPECT_TRUE((*writer)->finish());
  return path;
}

Findings findings_of(const std::string& path, const AnalyzeOptions& options) {
  auto findings = analysis::analyze(path, options);
  EXPECT_TRUE(findings) << findings.error().message;
  return findings ? std::move(*findings) : Findings{};
}

std::string sample(double eps, double delta, std::uint64_t seed, const char* more = "") {
  return "rpt:eps=" + std::to_string(eps) + ":delta=" + std::to_string(delta) +
         ":seed=" + std::to_string(seed) + more;
}

// Theorem 3.3 promises 1 - delta; with eps of the events in a heap, which is the hardest we know of. That
// many misses of 100 are less likely than 1 in 10,000 if the promise holds (binomial).
TEST(WindowsOfATrace, ATraceFarFromRaceFreeShowsARaceAsOftenAsPromised) {
  const Scratch scratch;
  const double eps = 0.05, delta = 0.3;
  const std::uint64_t n = 100'000;
  for (const bool heap : {true, false}) {
    const std::uint64_t edits = static_cast<std::uint64_t>(eps * n);
    const std::string path =
        heap ? far_trace(scratch, n, 2, 40'000, 40'000 + 2 * edits) : far_trace(scratch, n, n / edits, 0, n);
    int misses = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const auto findings = findings_of(path, with("fasttrack", sample(eps, delta, seed).c_str()));
      EXPECT_FALSE(findings.windows->whole);
      misses += findings.races.empty() ? 1 : 0;
    }
    EXPECT_LE(misses, 48);
  }
}

// One pair of adjacent writes: a window shows it if it begins at one of k - 1 places of n - k + 1.
TEST(WindowsOfATrace, ASingleRaceIsFoundAsOftenAsItsWindowsAreDrawn) {
  const Scratch scratch;
  const std::uint64_t n = 20'000;
  const std::string path = far_trace(scratch, n, 2, 10'000, 10'002);
  const auto plan = filter::plan_windows({.eps = 0.5, .delta = 0.9}, 2, 0);
  ASSERT_EQ(plan.length, 64u);
  ASSERT_EQ(plan.count, 2u);
  const double one = static_cast<double>(plan.length - 1) / static_cast<double>(n - plan.length + 1);
  const double p = 1 - std::pow(1 - one, static_cast<double>(plan.count));
  const int runs = 20'000;
  int hits = 0;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    for (const Window& window : filter::draw_windows(plan, n, seed))
      hits += window.begin <= 10'000 && window.end >= 10'002 ? 1 : 0;
  }
  const double sigma = std::sqrt(runs * p * (1 - p));
  EXPECT_NEAR(hits, runs * p, 4 * sigma);
  // And the driver finds it in just these windows.
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    bool shown = false;
    for (const Window& window : filter::draw_windows(plan, n, seed))
      shown |= window.begin <= 10'000 && window.end >= 10'002;
    const auto findings = findings_of(path, with("djit", sample(0.5, 0.9, seed).c_str()));
    EXPECT_EQ(findings.races.size(), shown ? 1u : 0u) << seed;
  }
}

std::string generated(const Scratch& scratch, generate::Pattern pattern, std::uint64_t events,
                      std::uint64_t races) {
  auto p = generate::defaults_of(pattern);
  p.events = events;
  p.races = races;
  p.race_distance = 50;
  const std::string path = scratch.path(std::to_string(events) + ".dht");
  auto writer = TraceWriter::create(path);
  EXPECT_TRUE(writer);
  EXPECT_TRUE(generate::generate(p, **writer));
  return path;
}

TEST(WindowsOfATrace, WhatIsReadDoesNotGrowWithTheTrace) {
  const Scratch scratch;
  std::vector<std::uint64_t> bytes, events;
  for (const std::uint64_t n : {100'000u, 1'000'000u, 10'000'000u}) {
    const std::string path = generated(scratch, generate::Pattern::mutex, n, 0);
    auto reader = TraceReader::open(path);
    ASSERT_TRUE(reader);
    analysis::WindowsRun about;
    const auto findings = analysis::analyze_windows(path, **reader, with("fasttrack"),
                                                    {.eps = 0.5, .delta = 0.1, .m = 64}, about);
    ASSERT_TRUE(findings && *findings);
    EXPECT_EQ((*findings)->races.size(), 0u);
    // One thread at work reads what is told, and no byte more.
    EXPECT_EQ((*reader)->bytes_read(), about.bytes_read) << n;
    bytes.push_back(about.bytes_read);
    events.push_back(about.events);
    std::filesystem::remove(path);
  }
  // 35 windows of 512 events: 100,000 events have 7 blocks only, else nearly each window has its own.
  EXPECT_LE(events[2], 35u * 512);
  EXPECT_LT(bytes[2], 35u * 2 * 60'000 + 100'000);
  EXPECT_LT(static_cast<double>(bytes[2]), 1.5 * static_cast<double>(bytes[1]));
}

bool same(const Findings& a, const Findings& b) {
  const auto same_race = [](const analysis::Finding& x, const analysis::Finding& y) {
    return x.first == y.first && x.instances == y.instances && x.variables == y.variables;
  };
  return a.events == b.events && std::ranges::equal(a.races, b.races, same_race) &&
         a.windows->events == b.windows->events && a.windows->bytes_read == b.windows->bytes_read &&
         a.engines[0].bytes == b.engines[0].bytes && a.engines[0].pairs == b.engines[0].pairs;
}

class WindowsOf : public testing::TestWithParam<generate::Pattern> {};
INSTANTIATE_TEST_SUITE_P(Patterns, WindowsOf,
                         testing::Values(generate::Pattern::mutex, generate::Pattern::rwlock,
                                         generate::Pattern::barrier, generate::Pattern::atomics,
                                         generate::Pattern::many_threads, generate::Pattern::mixed));

TEST_P(WindowsOf, FindingsDoNotDependOnTheThreadsAtWorkAndAreFindingsOfDjit) {
  const Scratch scratch;
  const std::string path = generated(scratch, GetParam(), 300'000, 200);
  const auto options = [](unsigned jobs) { return with("djit", "rpt:eps=0.2:m=60", jobs); };
  const Findings one = findings_of(path, options(1));
  ASSERT_FALSE(one.windows->whole);
  EXPECT_GT(one.races.size(), 3u);
  EXPECT_TRUE(same(one, findings_of(path, options(2))));
  EXPECT_TRUE(same(one, findings_of(path, options(5))));
  // Each planted race is at sites of its own.
  const Findings all = findings_of(path, with("djit"));
  for (const analysis::Finding& finding : one.races) {
    EXPECT_TRUE(std::ranges::any_of(all.races, [&](const analysis::Finding& other) {
      return other.first == finding.first;
    })) << finding.first.later.event;
  }
  EXPECT_LT(one.races.size(), all.races.size());
}

// A trace of which all is one window is analysed as the whole of it.
TEST_P(WindowsOf, OneWindowOfAllIsTheTrace) {
  const Scratch scratch;
  const std::string path = generated(scratch, GetParam(), 100'000, 50);
  const Findings all = findings_of(path, with("djit"));
  auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader);
  const Window everything{0, 100'000};
  const auto some = analysis::analyze_places(path, **reader, with("djit"), {&everything, 1});
  ASSERT_TRUE(some);
  ASSERT_EQ(some->races.size(), all.races.size());
  for (std::size_t i = 0; i < all.races.size(); ++i) {
    EXPECT_EQ(some->races[i].first, all.races[i].first);
    EXPECT_EQ(some->races[i].instances, all.races[i].instances);
  }
}

TEST(WindowsOfATrace, AShortTraceIsLookedAtWhole) {
  const Scratch scratch;
  const std::string path = far_trace(scratch, 1000, 2, 500, 502);
  for (const unsigned jobs : {1u, 3u}) {
    const Findings findings = findings_of(path, with("djit", "rpt", jobs));
    EXPECT_TRUE(findings.windows->whole);
    EXPECT_EQ(findings.races.size(), 1u);
  }
}

TEST(WindowsOfATrace, EpsIsLoweredUntilThereIsARace) {
  const Scratch scratch;
  const std::string path = far_trace(scratch, 200'000, 2, 100'000, 100'400);
  const Findings findings = findings_of(path, with("djit", "rpt:until=0.9:budget=1000"));
  EXPECT_GE(findings.races.size(), 1u);
  EXPECT_FALSE(findings.windows->whole);
  EXPECT_GE(findings.windows->steps, 1u);
  // The step that found it, by itself, finds the same.
  const Findings again = findings_of(path, with("djit", sample(findings.windows->plan.eps, 0.1, 1).c_str()));
  ASSERT_EQ(again.races.size(), findings.races.size());
  EXPECT_EQ(again.races[0].first, findings.races[0].first);
}

TEST(WindowsOfATrace, ATimeThatIsUpBeforeTheFirstStepPromisesNothing) {
  const Scratch scratch;
  const std::string path = far_trace(scratch, 200'000, 2, 100'000, 100'400);
  const std::uint64_t first_step =
      findings_of(path, with("djit", sample(0.5, 0.1, 1).c_str())).windows->bytes_read;
  for (const unsigned jobs : {1u, 3u}) {
    const Findings findings = findings_of(path, with("djit", "rpt:until=0.9:budget=1e-9", jobs));
    EXPECT_TRUE(findings.windows->cut_short);
    EXPECT_FALSE(findings.windows->whole);
    EXPECT_EQ(findings.windows->steps, 0u);
    EXPECT_EQ(findings.windows->windows, 0u);
    EXPECT_EQ(findings.windows->events, 0u);
    EXPECT_LT(findings.windows->bytes_read, first_step) << "no block was read";
    EXPECT_TRUE(findings.races.empty());
  }
  EXPECT_FALSE(findings_of(path, with("djit", "rpt:until=0.9:budget=1000")).windows->cut_short);
}

// ---- one pass ----

Findings in_one_pass(const std::string& path, const AnalyzeOptions& options,
                     const filter::WindowOptions& windows, analysis::WindowsRun& about) {
  auto source = open_source(path);
  EXPECT_TRUE(source);
  auto findings = analysis::analyze_one_pass(**source, options, windows, about);
  EXPECT_TRUE(findings) << findings.error().message;
  return findings ? std::move(*findings) : Findings{};
}

TEST_P(WindowsOf, OnePassFindsRacesOfDjitOnly) {
  const Scratch scratch;
  const std::string path = generated(scratch, GetParam(), 300'000, 200);
  const Findings all = findings_of(path, with("djit"));
  analysis::WindowsRun about;
  const Findings some = in_one_pass(path, with("djit"), {.eps = 0.3, .m = 60}, about);
  EXPECT_FALSE(about.whole);
  EXPECT_GT(about.windows, 1u);
  EXPECT_EQ(about.kept, about.plan.count);
  EXPECT_GT(some.races.size(), 3u);
  EXPECT_LT(some.races.size(), all.races.size());
  for (const analysis::Finding& finding : some.races) {
    EXPECT_TRUE(std::ranges::any_of(all.races, [&](const analysis::Finding& other) {
      return other.first == finding.first;
    })) << finding.first.later.event;
  }
}

TEST(OnePass, AShortTraceIsLookedAtWhole) {
  const Scratch scratch;
  const std::string path = far_trace(scratch, 9000, 2, 500, 502);
  analysis::WindowsRun about;
  const Findings findings = in_one_pass(path, with("djit"), {.eps = 0.01}, about);
  EXPECT_TRUE(about.whole);
  EXPECT_EQ(about.plan.m, 8u);
  EXPECT_EQ(findings.races.size(), 1u);
}

TEST(OnePass, ATraceFarFromRaceFreeShowsARaceAsOftenAsPromised) {
  const Scratch scratch;
  const double eps = 0.05, delta = 0.3;
  const std::uint64_t n = 60'000, edits = static_cast<std::uint64_t>(eps * n);
  const std::string path = far_trace(scratch, n, 2, 40'000, 40'000 + 2 * edits);
  int misses = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    analysis::WindowsRun about;
    const auto findings =
        in_one_pass(path, with("fasttrack"), {.eps = eps, .delta = delta, .seed = seed}, about);
    EXPECT_FALSE(about.whole);
    misses += findings.races.empty() ? 1 : 0;
  }
  EXPECT_LE(misses, 48);
}

}  // namespace
}  // namespace deadheat::test::windows_tests
