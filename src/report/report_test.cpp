// From a recording with call stacks and sizes, which text cannot have, to what is shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/selection.h"
#include "report/writers.h"
#include "support/scratch.h"

namespace deadheat::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Recording {
 public:
  Recording() {
    auto writer = TraceWriter::create(path());
    Names& names = (*writer)->names();
    for (const char* thread : {"main", "worker"}) names.threads.add(thread);
    names.variables.add("queue");
    names.locks.add("m");
    const auto site = [&](const char* function, std::uint32_t line) {
      return names.add_site({.text = 0,
                             .file = names.strings.add("q.c"),
                             .function = names.strings.add(function),
                             .line = line});
    };
    const SiteId push = site("push", 7), fill = site("fill", 20), pop = site("pop", 9),
                 start = site("main", 30);
    const StackId outer = names.add_stack({StackId::none, start});
    const StackId inner = names.add_stack({outer, fill});
    const StackId whole = names.add_stack({inner, push});  // the access's own frame too
    put(**writer, 0, {.kind = EventKind::fork, .site = start}, 1);
    put(**writer, 0, {.kind = EventKind::acquire_shared, .site = fill}, 0);
    put(**writer, 0, {.kind = EventKind::write, .offset = 2, .site = push, .stack = whole, .value = 4}, 0);
    put(**writer, 1, {.kind = EventKind::atomic_rmw, .order = MemoryOrder::acq_rel, .site = pop, .value = 8},
        0);
    put(**writer, 1, {.kind = EventKind::free, .site = SiteId::none, .value = 8}, 0);
    EXPECT_TRUE((*writer)->finish().has_value());
    findings_.events = 5;
    findings_.engines.push_back(
        {"fasttrack", engine::find_row("fasttrack"), 4, {{"dropped", 0}, {"cut", 2}}, 9});
    findings_.engines.push_back({"djit", engine::find_row("djit"), 0, {}, 9});
    const model::Side one{2, ThreadId{0}, push, EventKind::write};
    const model::Side two{3, ThreadId{1}, pop, EventKind::atomic_rmw};
    const model::Side three{4, ThreadId{1}, SiteId::none, EventKind::free};
    findings_.races.push_back({.first = {VarId{0}, one, two}, .instances = {3, 0}, .variables = 16});
    findings_.races.push_back({.first = {VarId{0}, one, three}, .instances = {1, 2}, .variables = 1});
  }

  Report report(const Selection& selection = {}, const std::string& suppressions = "") const {
    auto around = analysis::circumstances_of(path(), {}, findings_.races);
    EXPECT_TRUE(around.has_value()) << around.error().message;
    Suppressions known;
    EXPECT_TRUE(known.parse(suppressions, "known.supp").has_value());
    return select("q.dht", findings_, *around, selection, known);
  }

 private:
  std::string path() const { return scratch_.path("q.dht"); }
  static void put(TraceWriter& writer, std::uint32_t thread, const Op& op, std::uint32_t object) {
    EXPECT_TRUE(writer.append(Event{ThreadId{thread}, op, object}).has_value());
  }

  test::Scratch scratch_;
  analysis::Findings findings_;
};

TEST(Report, HasAllFramesOnceInnermostFirst) {
  const Race race = Recording().report().races[0];
  std::vector<std::string> functions;
  for (const Place& place : race.earlier.stack) functions.push_back(place.function);
  EXPECT_THAT(functions, ElementsAre("push", "fill", "main"));
  EXPECT_EQ(race.later.stack.size(), 1u);
}

TEST(Report, ShowsAllOfARace) {
  const std::string text = as_text(Recording().report(), {});
  EXPECT_THAT(text, HasSubstr("Race 1: write-atomic update of queue, observed  ["));
  EXPECT_THAT(text,
              HasSubstr("  main writes queue (4 bytes from byte 2) at q.c:7 (push), event 2\n"
                        "    called from q.c:20 (fill)\n"
                        "    called from q.c:30 (main)\n"
                        "    held lock m as reader, acquired at q.c:20 (fill), event 1\n"
                        "    last synchronised before: acquired lock m as reader at q.c:20 (fill), event 1\n"
                        "  worker atomically updates queue (8 bytes) at q.c:9 (pop), event 3\n"
                        "    held no lock\n"
                        "    last synchronised before: was forked by main at q.c:30 (main), event 0\n"
                        "  worker was created by main at q.c:30 (main), event 0\n"
                        "  Why nothing orders them: "));
  EXPECT_THAT(text, HasSubstr("  Seen 3 times by fasttrack, on at least 16 variables.\n"));
  EXPECT_THAT(text, HasSubstr("Race 2: write-free of queue"));
  EXPECT_THAT(text,
              HasSubstr("worker frees queue (8 bytes), at a place that the trace does not tell, event 4"));
  EXPECT_THAT(text, HasSubstr("  Seen once by fasttrack, 2 times by djit.\n"));
  EXPECT_THAT(text, HasSubstr("q.dht: 2 races (2 observed) in 5 events; engines fasttrack, djit\n"));
  EXPECT_THAT(text, HasSubstr("  fasttrack: cut 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
}

TEST(Report, IsColouredOnATerminalThatCan) {
  EXPECT_THAT(as_text(Recording().report(), {.width = 80, .colour = true}),
              HasSubstr("\033[31mobserved\033[0m"));
}

TEST(Report, CountsWhatIsNotShown) {
  const Report report = Recording().report({.only = {}, .ignore = {}, .limit = 1});
  EXPECT_EQ(report.races.size(), 1u);
  EXPECT_EQ(report.found(), 2u);
  EXPECT_THAT(as_text(report, {}), HasSubstr("  1 more, not shown (--max, --first)\n"));
  EXPECT_EQ(Recording().report({.only = {}, .ignore = {}, .limit = 0}).not_shown(), 2u);
}

TEST(Report, LeavesOutWhatIsSuppressed) {
  const Report report = Recording().report({}, "race_top:pop\n");
  EXPECT_EQ(report.found(), 1u);
  EXPECT_EQ(report.suppressed, 1u);
  EXPECT_THAT(as_text(report, {}), HasSubstr("  1 more, suppressed by known.supp:1: race_top:pop\n"));
  EXPECT_EQ(Recording().report({}, "race:^fill$\n").found(), 0u);
}

TEST(Report, IsChosenByPlaceVariableOrFingerprint) {
  const Recording recording;
  const auto only = [&](const std::string& pattern) {
    return recording.report({.only = {Pattern(pattern)}, .ignore = {}}).found();
  };
  EXPECT_EQ(only("pop"), 1u);
  EXPECT_EQ(only("queue"), 2u);
  EXPECT_EQ(only("fill"), 0u);  // a caller
  EXPECT_EQ(only(recording.report().races[1].fingerprint.short_text()), 1u);
  const Report rest = recording.report({.only = {}, .ignore = {Pattern("pop")}});
  EXPECT_EQ(rest.found(), 1u);
  EXPECT_EQ(rest.passed_over, 1u);
}

TEST(Report, IsJsonWhateverTheNamesAre) {
  Report report = Recording().report();
  report.races[0].variable = "\xff\"";
  const std::string json = as_json(std::vector<Outcome>{{"q.dht", report}}, "1.2.3");
  EXPECT_THAT(json, HasSubstr("\"variable\": \"\xef\xbf\xbd\\\"\""));
  EXPECT_THAT(json, HasSubstr("\"order\": \"acq_rel\""));
}

}  // namespace
}  // namespace deadheat::report
