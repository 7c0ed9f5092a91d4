#include "analysis/circumstances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scratch.h"

namespace deadheat::analysis {
namespace {

using Mode = model::HeldLocks::Mode;
using testing::HasSubstr;

// A race between two events of a text, as an engine would tell it.
class Trace {
 public:
  explicit Trace(const std::string& text) {
    test::put(path(), text);
    auto source = open_source(path());
    EXPECT_TRUE(source.has_value());
    while (const BlockView* block = *(*source)->next()) {
      for (std::size_t i = 0; i < block->size(); ++i) events_.push_back((*block)[i]);
    }
  }
  std::string path() const { return scratch_.path("trace.std"); }
  Finding finding(std::uint64_t earlier, std::uint64_t later) const {
    const auto side = [&](std::uint64_t n) {
      const Event& e = events_[n];
      return model::Side{n, e.thread, e.op.site, e.op.kind};
    };
    return {.first = {VarId{events_[later].object}, side(earlier), side(later)}, .instances = {1}};
  }
  Circumstances around(std::vector<Finding> findings) const {
    auto out = circumstances_of(path(), {}, findings);
    EXPECT_TRUE(out.has_value()) << out.error().message;
    return std::move(*out);
  }
  CircumstancesOfRace around(std::uint64_t earlier, std::uint64_t later) const {
    return around({finding(earlier, later)}).races[0];
  }

 private:
  test::Scratch scratch_;
  std::vector<Event> events_;
};

TEST(Circumstances, TellWhichLocksWereHeldAndSinceWhere) {
  const Trace trace(
      "T1|acq(a)|1\n"
      "T1|acq(a)|2\n"
      "T1|racq(b)|3\n"
      "T1|rel(a)|4\n"
      "T1|w(x)|5\n"
      "T1|rel(a)|6\n"
      "T1|rrel(b)|7\n"
      "T2|w(x)|8\n");
  const auto around = trace.around({trace.finding(4, 7)});
  const auto& held = around.races[0].earlier.held;
  ASSERT_EQ(held.size(), 2u);
  EXPECT_EQ(around.names().display(ObjectKind::lock, index(held[0].lock)), "a");
  EXPECT_EQ(held[0].mode, Mode::exclusive);
  EXPECT_EQ(held[0].event, 0u);
  EXPECT_EQ(around.names().display(held[0].site), "1");
  EXPECT_EQ(held[1].mode, Mode::shared);
  EXPECT_EQ(around.names().display(held[1].site), "3");
  EXPECT_TRUE(around.races[0].later.held.empty());
}

TEST(Circumstances, TellTheLastSynchronisationBefore) {
  const Trace trace(
      "main|fork(T1)|1\n"
      "T1|w(x)|2\n"
      "T1|acq(a)|3\n"
      "T1|acq(a)|4\n"
      "T1|w(x)|5\n"
      "main|w(x)|6\n");
  EXPECT_EQ(trace.around(1, 5).earlier.last_sync->number, 0u);  // its fork
  EXPECT_EQ(trace.around(4, 5).earlier.last_sync->number, 2u);  // a re-entrance is none
  EXPECT_EQ(trace.around(4, 5).later.last_sync->number, 0u);    // main's own fork of T1
  EXPECT_FALSE(trace.around(4, 5).later.last_wait.has_value());
  EXPECT_EQ(trace.around(4, 5).earlier.last_wait->number, 2u);
}

TEST(Circumstances, TellTheFirstSignalBetweenTheAccesses) {
  const Trace trace(
      "T1|w(x)|1\n"
      "T1|acq(a)|2\n"
      "T1|rel(a)|3\n"
      "T2|w(x)|4\n"
      "T1|w(y)|5\n"
      "T2|w(y)|6\n"
      "T1|send(c)|7\n"
      "T2|w(y)|8\n");
  EXPECT_EQ(trace.around(0, 3).earlier.next_signal->number, 2u);
  EXPECT_FALSE(trace.around(4, 5).earlier.next_signal.has_value());  // it came behind both
  EXPECT_EQ(trace.around(4, 7).earlier.next_signal->number, 6u);
  // The pass goes on for another race: the signal is still too late for the first.
  const auto both = trace.around({trace.finding(4, 5), trace.finding(4, 7)});
  EXPECT_FALSE(both.races[0].earlier.next_signal.has_value());
  EXPECT_TRUE(both.races[1].earlier.next_signal.has_value());
  EXPECT_FALSE(trace.around(0, 3).later.next_signal.has_value());
}

TEST(Circumstances, TakeAJoinAsASignalOfTheJoined) {
  const Trace trace(
      "main|fork(T1)|1\n"
      "main|fork(T2)|2\n"
      "T1|w(x)|3\n"
      "main|join(T1)|4\n"
      "T2|w(x)|5\n");
  EXPECT_EQ(trace.around(2, 4).earlier.next_signal->number, 3u);
}

TEST(Circumstances, AnAtomicAccessIsNoSignalBehindItself) {
  const Trace trace(
      "T1|astore(x)|1|release\n"
      "T2|w(x)|2\n"
      "T1|astore(y)|3|release\n"
      "T1|astore(y)|4|release\n"
      "T2|w(y)|5\n");
  EXPECT_FALSE(trace.around(0, 1).earlier.next_signal.has_value());
  EXPECT_EQ(trace.around(2, 4).earlier.next_signal->number, 3u);
  EXPECT_FALSE(trace.around(0, 1).earlier.last_sync.has_value());
}

TEST(Circumstances, TellWhoMadeTheThreadsAndTheMemory) {
  const Trace trace(
      "main|fork(T1)|1\n"
      "main|alloc(x)|2\n"
      "main|free(x)|3\n"
      "main|w(x)|4\n"
      "T1|w(x)|5\n"
      "main|alloc(x)|6\n"
      "main|alloc(y)|7\n"
      "main|w(x)|8\n"
      "T1|free(x)|9\n"
      "T1|w(x)|10\n");
  const auto around = trace.around(7, 8);
  EXPECT_FALSE(around.earlier.fork.has_value());
  EXPECT_EQ(around.later.fork->number, 0u);
  EXPECT_EQ(around.alloc->number, 5u);
  EXPECT_FALSE(trace.around(3, 4).alloc.has_value()) << "given back before both";
  EXPECT_EQ(trace.around(7, 9).alloc->number, 5u) << "given back between the two";
}

TEST(Circumstances, OfManyRacesAreFoundInOnePass) {
  const Trace trace(
      "T1|w(x)|1\n"
      "T2|w(x)|2\n"
      "T3|w(x)|3\n");
  const auto around = trace.around({trace.finding(1, 2), trace.finding(0, 2), trace.finding(0, 1)});
  ASSERT_EQ(around.races.size(), 3u);
  EXPECT_EQ(around.names().display(around.races[0].earlier.event.op.site), "2");
  EXPECT_EQ(around.names().display(around.races[1].earlier.event.op.site), "1");
  EXPECT_EQ(around.names().display(around.races[1].later.event.op.site), "3");
  EXPECT_TRUE(trace.around(std::vector<Finding>{}).races.empty());
}

TEST(Circumstances, RefuseATraceThatIsAnotherOne) {
  const Trace trace("T1|w(x)|1\nT2|w(x)|2\n");
  std::vector<Finding> findings = {trace.finding(0, 1)};
  test::put(trace.path(), "T1|w(x)|1\nT2|r(x)|2\n");
  for (const std::string text : {"T1|w(x)|1\nT2|r(x)|2\n", "T1|w(x)|1\n"}) {
    test::put(trace.path(), text);
    const auto around = circumstances_of(trace.path(), {}, findings);
    ASSERT_FALSE(around.has_value());
    EXPECT_THAT(around.error().message, HasSubstr("changed while it was read"));
  }
}

}  // namespace
}  // namespace deadheat::analysis
