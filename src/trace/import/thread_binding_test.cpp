#include "trace/import/thread_binding.h"

#include <gtest/gtest.h>

#include "support/text_trace.h"

namespace deadheat::trace {
namespace {

using test::read_text;
using test::TextTrace;

std::vector<std::string> threads(const TextTrace& trace) {
  std::vector<std::string> out;
  for (std::uint32_t t = 0; t < trace.names().threads.size(); ++t) out.emplace_back(trace.names().threads[t]);
  return out;
}
using Strings = std::vector<std::string>;

std::uint64_t bound(const TextTrace& trace) {
  const auto warnings = trace.source->warnings();
  return warnings.empty() ? 0 : warnings.front().count;
}

TEST(ThreadBinding, ANumberMeansTheThreadThatActsAsTAndTheNumber) {
  for (const char* forker : {"T80", "main"}) {
    const auto trace =
        read_text(std::string(forker) + "|fork(151)|1\nT151|r(x)|2\n" + forker + "|join(151)|3\n");
    ASSERT_TRUE(trace);
    EXPECT_EQ(threads(*trace), (Strings{forker, "T151"}));
    EXPECT_EQ(trace->events[0].object, index(trace->events[1].thread));
    EXPECT_EQ(trace->events[2].object, index(trace->events[1].thread));
    EXPECT_EQ(bound(*trace), 2u);
    EXPECT_EQ(
        trace->source->warnings().front().message,
        "a fork or join target written as a number was bound to the thread T<number>; --literal-threads "
        "keeps the literal reading");
  }
}

TEST(ThreadBinding, TheThreadMayActBeforeTheNumberIsWritten) {
  const auto trace = read_text("T151|r(x)|2\nmain|join(151)|3\n");
  ASSERT_TRUE(trace);
  EXPECT_EQ(threads(*trace), (Strings{"T151", "main"}));
  EXPECT_EQ(trace->events[1].object, 0u);
  EXPECT_EQ(bound(*trace), 1u);
}

TEST(ThreadBinding, TheLiteralReadingIsThereForTheAsking) {
  const auto trace = read_text("T80|fork(151)|1\nT151|r(x)|2\n", {.literal_threads = true});
  ASSERT_TRUE(trace);
  EXPECT_EQ(threads(*trace), (Strings{"T80", "151", "T151"}));
  EXPECT_TRUE(trace->source->warnings().empty());
}

TEST(ThreadBinding, ANumberThatActsMeansItself) {
  for (const char* forker : {"T80", "main", "0"}) {
    const auto trace = read_text(std::string(forker) + "|fork(151)|1\n151|r(x)|2\nT151|r(x)|3\n" + forker +
                                 "|join(151)|4\n");
    ASSERT_TRUE(trace);
    EXPECT_EQ(threads(*trace), (Strings{forker, "151", "T151"})) << forker;
    EXPECT_EQ(trace->events[0].object, index(trace->events[1].thread));
    EXPECT_EQ(trace->events[3].object, index(trace->events[1].thread));
    EXPECT_EQ(bound(*trace), 0u);
  }
}

TEST(ThreadBinding, ANumberThatActedBeforeMeansItself) {
  const auto trace = read_text("151|r(x)|1\nT151|r(x)|1\nT80|fork(151)|2\n");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->events[2].object, index(trace->events[0].thread));
  EXPECT_EQ(bound(*trace), 0u);
}

TEST(ThreadBinding, ATargetThatNeverActsIsNamedAsItsForkerIs) {
  EXPECT_EQ(threads(*read_text("T80|fork(151)|1\n")), (Strings{"T80", "T151"}));
  EXPECT_EQ(threads(*read_text("main|fork(151)|1\n")), (Strings{"main", "151"}));
  EXPECT_EQ(threads(*read_text("0|fork(151)|1\n")), (Strings{"0", "151"}));
  EXPECT_EQ(threads(*read_text("main|fork(151)|1\nT1|join(151)|1\n")), (Strings{"main", "T151", "T1"}));
}

TEST(ThreadBinding, FullNamesOfTheSameThreadAreTheSameThread) {
  const auto trace = read_text("main|fork(151)|1\nmain|join(T151)|2\n");
  ASSERT_TRUE(trace);
  EXPECT_EQ(threads(*trace), (Strings{"main", "T151"}));
  EXPECT_EQ(trace->events[0].object, trace->events[1].object);
}

TEST(ThreadBinding, BothActingAfterABindingIsAnErrorThatSaysWhatToDo) {
  for (const char* text :
       {"main|fork(151)|1\nT151|r(x)|2\n151|r(x)|3\n", "T151|r(x)|1\nmain|fork(151)|2\n151|r(x)|3\n"}) {
    const auto trace = read_text(text);
    ASSERT_FALSE(trace);
    EXPECT_EQ(
        trace.error().message,
        "trace.std:3: thread \"151\" acts here, but an earlier fork or join of 151 was taken to mean thread "
        "\"T151\"; --literal-threads takes such numbers as they are written");
    EXPECT_TRUE(read_text(text, {.literal_threads = true}));
    EXPECT_FALSE(read_text(text, {.skip_bad = true})) << "no line is unreadable here";
  }
}

TEST(ThreadBinding, LeadingZerosMakeOtherNumbers) {
  const auto trace = read_text("T80|fork(07)|1\nT7|r(x)|2\nT07|r(x)|3\n");
  ASSERT_TRUE(trace);
  EXPECT_EQ(threads(*trace), (Strings{"T80", "T07", "T7"}));
}

TEST(ThreadBinding, OnlyPlainNumbersAreBound) {
  for (const char* target : {"x151", "-151", "151 ", "1_5", "+1"}) {
    const auto trace = read_text("T80|fork(" + std::string(target) + ")|1\nT" + target + "|r(x)|2\n");
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->names().threads.size(), 3u) << target;
    EXPECT_TRUE(trace->source->warnings().empty());
  }
}

}  // namespace
}  // namespace deadheat::trace
