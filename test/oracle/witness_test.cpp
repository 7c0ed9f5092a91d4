// The judge of witnesses, rule by rule.
#include "oracle/witness.h"

#include <gtest/gtest.h>

#include "support/text_trace.h"

namespace deadheat::oracle {
namespace {

using Order = std::vector<std::size_t>;

std::vector<Event> events(const std::string& text) {
  auto trace = test::read_text(text);
  EXPECT_TRUE(trace) << trace.error().message;
  return trace ? trace->events : std::vector<Event>{};
}

// What is wrong with the order, and at which position: "1: the thread is not forked".
std::string fault(const std::string& text, const Order& order) {
  const auto trace = events(text);
  const Verdict v = WitnessChecker(trace).check(order);
  return v.ok() ? "" : std::to_string(v.position) + ": " + v.broken;
}
std::string fault(const std::string& text, const Order& order, std::size_t a, std::size_t b) {
  const auto trace = events(text);
  const Verdict v = WitnessChecker(trace).check(order, a, b);
  return v.ok() ? "" : std::to_string(v.position) + ": " + v.broken;
}

TEST(WitnessChecker, WantsAFirstPartOfEachThread) {
  const std::string trace = "T0|w(x)|\nT0|w(y)|\nT1|w(x)|\n";
  EXPECT_EQ(fault(trace, {}), "");
  EXPECT_EQ(fault(trace, {2, 0, 1}), "");
  EXPECT_EQ(fault(trace, {2, 1}), "1: the event is not next in its thread");
  EXPECT_EQ(fault(trace, {0, 0}), "1: the event is done twice");
  EXPECT_EQ(fault(trace, {0, 7}), "1: there is no such event");
}

TEST(WitnessChecker, KnowsForksAndJoins) {
  const std::string trace = "T0|fork(T1)|\nT1|w(x)|\nT0|fork(T2)|\nT0|join(T1)|\nT3|join(T2)|\n";
  EXPECT_EQ(fault(trace, {0, 2, 1, 3, 4}), "");
  EXPECT_EQ(fault(trace, {1}), "0: the thread is not forked");
  EXPECT_EQ(fault(trace, {0, 2, 3}), "2: a joined thread has not done all it did");
  EXPECT_EQ(fault(trace, {0, 4}), "1: a joined thread is not forked");
}

TEST(WitnessChecker, KnowsLocks) {
  const std::string trace =
      "T0|acq(l)|\nT0|acq(l)|\nT0|rel(l)|\nT0|rel(l)|\nT1|racq(l)|\nT2|racq(l)|\nT1|rrel(l)|\nT2|rrel(l)|\n";
  EXPECT_EQ(fault(trace, {4, 5, 6, 7, 0, 1, 2, 3}), "");
  EXPECT_EQ(fault(trace, {0, 1, 2, 4}), "3: the lock is held by another thread");
  EXPECT_EQ(fault(trace, {4, 5, 7, 0}), "3: the lock is held by another thread");
  EXPECT_EQ(fault(trace, {0, 1, 2, 3, 5, 4}), "");
}

TEST(WitnessChecker, KnowsMessagesAndBarriers) {
  const std::string messages = "T0|send(c)|\nT1|send(c)|\nT2|recv(c)|\nT3|send(c)|\n";
  EXPECT_EQ(fault(messages, {3, 1, 0, 2}), "");
  EXPECT_EQ(fault(messages, {0, 2}), "1: a message is received before it is sent");
  const std::string barriers =
      "T0|enter(b)||gen=1\nT1|enter(b)||gen=1\nT0|exit(b)||gen=1\nT2|enter(b)||gen=2\n";
  EXPECT_EQ(fault(barriers, {1, 0, 2, 3}), "");
  EXPECT_EQ(fault(barriers, {3, 0, 2}), "2: a barrier is left before all have come");
}

TEST(WitnessChecker, WantsTheLastWriteOfEveryByte) {
  const std::string other = "0: a byte that is read has another last write than in the trace";
  EXPECT_EQ(fault("T0|w(x)|\nT1|r(x)|\n", {0, 1}), "");
  EXPECT_EQ(fault("T0|w(x)|\nT1|r(x)|\n", {1}), other);
  EXPECT_EQ(fault("T1|r(x)|\nT0|w(x)|\n", {1, 0}), "1" + other.substr(1));
  EXPECT_EQ(fault("T0|w(x)||size=4\nT1|r(x)||size=4,offset=4\n", {1, 0}), "");
  EXPECT_EQ(fault("T0|w(x)||size=4\nT1|r(x)||size=4,offset=3\n", {1}), other);
  EXPECT_EQ(fault("T0|w(x)||size=4\nT1|w(x)||offset=4,size=4\nT2|aload(x)|\n", {1, 0, 2}), "");
  EXPECT_EQ(fault("T1|armw(x)|\nT0|astore(x)|\n", {1, 0}), "1" + other.substr(1));
  EXPECT_EQ(fault("T0|alloc(x)|\nT1|r(x)|\n", {1}), other);
  EXPECT_EQ(fault("T1|r(x)|\nT0|free(x)|\n", {1, 0}), "1" + other.substr(1));
}

TEST(WitnessChecker, AllocatesMemoryInTheOrderOfTheTrace) {
  const std::string trace = "T0|free(x)||size=4\nT1|alloc(x)||size=8\nT2|alloc(y)|\n";
  EXPECT_EQ(fault(trace, {2, 0, 1}), "");
  EXPECT_EQ(fault(trace, {2, 1}), "1: memory is allocated before it was allocated or freed the last time");
}

TEST(WitnessChecker, WantsBothAccessesNext) {
  const std::string trace = "T0|w(x)|\nT0|w(y)|\nT1|fork(T2)|\nT2|w(y)|\nT1|r(x)|\n";
  EXPECT_EQ(fault(trace, {0, 2}, 1, 3), "");
  EXPECT_EQ(fault(trace, {0, 2}, 3, 1), "");
  EXPECT_EQ(fault(trace, {2}, 1, 3), "1: an access of the pair is not next in its thread");
  EXPECT_EQ(fault(trace, {0, 1, 2}, 1, 3), "3: an access of the pair is not next in its thread");
  EXPECT_EQ(fault(trace, {0}, 1, 3), "1: the thread of an access of the pair is not forked");
  EXPECT_EQ(fault(trace, {2}, 0, 3), "1: the pair does not conflict");
  EXPECT_EQ(fault(trace, {}, 0, 9), "0: the pair does not conflict");
}

TEST(WitnessChecker, WantsAConflict) {
  const std::string none = "0: the pair does not conflict";
  EXPECT_EQ(fault("T0|r(x)|\nT1|r(x)|\n", {}, 0, 1), none);
  EXPECT_EQ(fault("T0|astore(x)|\nT1|armw(x)|\n", {}, 0, 1), none);
  EXPECT_EQ(fault("T0|astore(x)|\nT1|free(x)|\n", {}, 0, 1), "");
  EXPECT_EQ(fault("T0|alloc(x)|\nT1|w(x)|\n", {}, 0, 1), none);
  EXPECT_EQ(fault("T0|w(x)|\nT2|alloc(x)||size=4\nT1|w(x)||size=4\n", {}, 0, 2), none);
  EXPECT_EQ(fault("T0|w(x)|\nT2|alloc(x)||size=4\nT1|w(x)||size=5\n", {}, 0, 2), "");
  EXPECT_EQ(fault("T0|acq(l)|\nT1|acq(l)|\n", {}, 0, 1), none);
}

}  // namespace
}  // namespace deadheat::oracle
