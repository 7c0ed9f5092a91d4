#include "report/why.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace deadheat::report::why_tests {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Mode = model::HeldLocks::Mode;

Race race(std::vector<HeldLock> earlier = {}, std::vector<HeldLock> later = {}) {
  Race race;
  race.grade = engine::Grade::observed;
  race.earlier.thread = "T1";
  race.earlier.event = 10;
  race.earlier.locks = std::move(earlier);
  race.later.thread = "T2";
  race.later.event = 20;
  race.later.locks = std::move(later);
  return race;
}
HeldLock lock(std::string name, Mode mode = Mode::exclusive) { return {std::move(name), mode, 1, {}}; }
Sync sync(std::uint64_t event, EventKind kind, std::string thread, std::string object) {
  return {
      .event = event, .kind = kind, .thread = std::move(thread), .object = std::move(object), .place = {}};
}

TEST(Why, NamesTheLocks) {
  EXPECT_THAT(why(race(), {}), StartsWith("Neither thread held a lock."));
  EXPECT_THAT(why(race({}, {lock("a")}), {}),
              StartsWith("T1 held no lock, T2 held lock a: no lock in common."));
  EXPECT_THAT(why(race({lock("a"), lock("b", Mode::shared)}, {lock("c")}), {}),
              StartsWith("T1 held locks a and b (as reader), T2 held lock c: no lock in common."));
}

TEST(Why, KnowsThatReadersDoNotWait) {
  EXPECT_THAT(why(race({lock("a", Mode::shared)}, {lock("b"), lock("a", Mode::shared)}), {}),
              StartsWith("Both held lock a, but only as readers"));
  // One that excludes the other is named before one that does not.
  const std::string both =
      why(race({lock("a", Mode::shared), lock("b")}, {lock("b"), lock("a", Mode::shared)}), {});
  EXPECT_THAT(both, StartsWith("Both held lock b."));
}

TEST(Why, TellsThatTheFirstGaveNoSign) {
  EXPECT_THAT(why(race(), {}), HasSubstr("T1 did nothing that another thread could wait for"));
}

TEST(Why, TellsThatTheSecondDidNotWait) {
  const Sync signal = sync(12, EventKind::release, "T1", "a");
  EXPECT_THAT(why(race(), {.next_signal = signal, .last_wait = {}}),
              HasSubstr("After its access T1 released lock a in event 12, but T2 waited for nobody"));
  EXPECT_THAT(why(race(), {.next_signal = signal, .last_wait = sync(5, EventKind::fork, "main", "T2")}),
              HasSubstr("T2 waited for nobody"));
}

TEST(Why, TellsThatTheSignCameTooLate) {
  EXPECT_THAT(why(race(), {.next_signal = sync(15, EventKind::release, "T1", "a"),
                           .last_wait = sync(12, EventKind::acquire, "T2", "b")}),
              HasSubstr("T2 acquired lock b in event 12, and waited for nobody after that"));
}

TEST(Why, ClaimsNoMoreThanTheEngineKnows) {
  const Signs signs{.next_signal = sync(12, EventKind::release, "T1", "a"),
                    .last_wait = sync(15, EventKind::acquire, "T2", "b")};
  EXPECT_THAT(why(race(), signs), HasSubstr("but no chain of one thread waiting for another"));
  Race suspicion = race();
  suspicion.grade = engine::Grade::candidate;
  EXPECT_THAT(why(suspicion, signs), HasSubstr("was not asked"));
  EXPECT_THAT(why(suspicion, signs), Not(HasSubstr("no chain")));
}

}  // namespace
}  // namespace deadheat::report::why_tests
