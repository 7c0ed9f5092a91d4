// The oracle that others are compared with is itself compared with small cases worked out by hand.
#include <gtest/gtest.h>

#include "oracle/happens_before.h"

namespace deadheat::oracle {
namespace {

using K = EventKind;
using O = MemoryOrder;

constexpr std::uint32_t kX = 7, kFlag = 20;

Event make(std::uint32_t t, K kind, std::uint32_t object = 0, O order = O::relaxed, std::uint64_t value = 0) {
  return {ThreadId{t}, {.kind = kind, .order = order, .value = value}, object};
}

// T0 writes x, then `middle`, then T1 reads x: is the write before the read?
bool orders(std::vector<Event> middle) {
  middle.insert(middle.begin(), make(0, K::write, kX));
  middle.push_back(make(1, K::read, kX));
  const HappensBefore hb(middle);
  EXPECT_EQ(hb.ordered(0, middle.size() - 1), hb.races().empty());
  return hb.ordered(0, middle.size() - 1);
}

TEST(HappensBeforeOracle, NothingOrdersTwoThreadsByItself) { EXPECT_FALSE(orders({})); }

TEST(HappensBeforeOracle, AReleaseIsBeforeALaterAcquireOfTheSameLock) {
  EXPECT_TRUE(orders({make(0, K::acquire), make(0, K::release), make(1, K::acquire)}));
  EXPECT_FALSE(orders({make(0, K::acquire), make(0, K::release), make(1, K::acquire, 1)}));
  EXPECT_TRUE(orders({make(0, K::acquire), make(0, K::release), make(1, K::acquire_shared)}));
  EXPECT_TRUE(orders({make(0, K::acquire_shared), make(0, K::release_shared), make(1, K::acquire)}));
  EXPECT_FALSE(orders({make(0, K::acquire_shared), make(0, K::release_shared), make(1, K::acquire_shared)}));
}

TEST(HappensBeforeOracle, ForksJoinsMessagesAndBarriersOrder) {
  EXPECT_TRUE(orders({make(0, K::fork, 1)}));
  EXPECT_TRUE(orders({make(1, K::join, 0)}));
  EXPECT_TRUE(orders({make(0, K::send, 3), make(1, K::recv, 3)}));
  EXPECT_FALSE(orders({make(0, K::send, 3), make(1, K::recv, 2)}));
  const auto enter = [](std::uint32_t t, std::uint64_t g) {
    return make(t, K::barrier_enter, 0, O::relaxed, g);
  };
  const auto exit = [](std::uint32_t t, std::uint64_t g) {
    return make(t, K::barrier_exit, 0, O::relaxed, g);
  };
  EXPECT_TRUE(orders({enter(1, 0), enter(0, 0), exit(1, 0)}));
  EXPECT_FALSE(orders({enter(1, 0), exit(1, 0), enter(0, 1)}));
}

TEST(HappensBeforeOracle, AnAcquireReadsFromARelease) {
  const auto store = [](O order) { return make(0, K::atomic_store, kFlag, order); };
  const auto load = [](O order) { return make(1, K::atomic_load, kFlag, order); };
  EXPECT_TRUE(orders({store(O::release), load(O::acquire)}));
  EXPECT_TRUE(orders({store(O::seq_cst), load(O::seq_cst)}));
  EXPECT_TRUE(orders({store(O::release), load(O::consume)}));
  EXPECT_FALSE(orders({store(O::relaxed), load(O::acquire)}));
  EXPECT_FALSE(orders({store(O::release), load(O::relaxed)}));
  EXPECT_FALSE(orders({load(O::acquire), store(O::release)}));
  EXPECT_TRUE(orders({make(0, K::atomic_rmw, kFlag, O::acq_rel), make(1, K::atomic_rmw, kFlag, O::acquire)}));
}

TEST(HappensBeforeOracle, AReleaseSequenceGoesOnThroughReadModifyWritesOnly) {
  const Event release = make(0, K::atomic_store, kFlag, O::release),
              acquire = make(1, K::atomic_load, kFlag, O::acquire);
  EXPECT_TRUE(orders({release, make(2, K::atomic_rmw, kFlag), make(3, K::atomic_rmw, kFlag), acquire}));
  EXPECT_FALSE(orders({release, make(2, K::atomic_store, kFlag), acquire}));
  EXPECT_FALSE(orders({release, make(0, K::atomic_store, kFlag), acquire}));  // not since C++20
  EXPECT_FALSE(orders({release, make(2, K::atomic_store, kFlag), make(3, K::atomic_rmw, kFlag), acquire}));
}

TEST(HappensBeforeOracle, APlainWriteInBetweenHidesTheRelease) {
  const std::vector<Event> trace = {make(0, K::atomic_store, kFlag, O::release), make(0, K::write, kFlag),
                                    make(1, K::atomic_load, kFlag, O::acquire)};
  EXPECT_FALSE(HappensBefore(trace).ordered(0, 2));
}

TEST(HappensBeforeOracle, FencesLendTheirOrderToRelaxedAtomics) {
  const Event store = make(0, K::atomic_store, kFlag), load = make(1, K::atomic_load, kFlag);
  const auto fence = [](std::uint32_t t, O order) { return make(t, K::fence, 0, order); };
  EXPECT_TRUE(orders({fence(0, O::release), store, load, fence(1, O::acquire)}));
  EXPECT_TRUE(
      orders({fence(0, O::seq_cst), store, make(2, K::atomic_rmw, kFlag), load, fence(1, O::seq_cst)}));
  EXPECT_TRUE(orders({fence(0, O::release), store, make(1, K::atomic_load, kFlag, O::acquire)}));
  EXPECT_TRUE(orders({make(0, K::atomic_store, kFlag, O::release), load, fence(1, O::acquire)}));
  EXPECT_FALSE(orders({store, fence(0, O::release), load, fence(1, O::acquire)}));
  EXPECT_FALSE(orders({fence(0, O::release), store, fence(1, O::acquire), load}));
  EXPECT_FALSE(orders({fence(0, O::acquire), store, load, fence(1, O::acquire)}));
  EXPECT_FALSE(orders({fence(0, O::release), store, load, fence(1, O::release)}));
}

TEST(HappensBeforeOracle, ConflictsAreOfOverlappingBytesOneAWriteNotBothAtomic) {
  const auto races = [](const Event& a, const Event& b) {
    return !HappensBefore(std::vector{a, b}).races().empty();
  };
  const auto part = [](std::uint32_t t, K kind, std::uint32_t x, std::uint8_t offset, std::uint64_t size) {
    return Event{ThreadId{t}, {.kind = kind, .offset = offset, .value = size}, x};
  };
  EXPECT_TRUE(races(make(0, K::write, 1), make(1, K::read, 1)));
  EXPECT_FALSE(races(make(0, K::read, 1), make(1, K::read, 1)));
  EXPECT_FALSE(races(make(0, K::write, 1), make(0, K::write, 1)));
  EXPECT_TRUE(races(make(0, K::write, 1), make(1, K::atomic_load, 1)));
  EXPECT_FALSE(races(make(0, K::atomic_store, 1), make(1, K::atomic_rmw, 1)));
  EXPECT_FALSE(races(part(0, K::write, 1, 0, 4), part(1, K::write, 1, 4, 4)));
  EXPECT_TRUE(races(part(0, K::write, 1, 0, 5), part(1, K::write, 1, 4, 4)));
  EXPECT_TRUE(races(part(0, K::write, 1, 4, 8), part(1, K::read, 2, 3, 1)));
  EXPECT_FALSE(races(part(0, K::write, 1, 4, 8), part(1, K::read, 2, 4, 1)));
  EXPECT_TRUE(races(part(0, K::write, 1, 7, 1), make(1, K::read, 1)));
}

TEST(HappensBeforeOracle, AllocatedMemoryIsNew) {
  const Event alloc = make(1, K::alloc, kX, O::relaxed, 8);
  EXPECT_TRUE(
      HappensBefore(std::vector{make(0, K::write, kX), alloc, make(1, K::write, kX)}).races().empty());
  EXPECT_FALSE(
      HappensBefore(std::vector{alloc, make(0, K::write, kX), make(1, K::write, kX)}).races().empty());
}

TEST(HappensBeforeOracle, AnAllocMakesItsOwnBytesNewAndNoOthers) {
  const auto part = [](std::uint32_t t, K kind, std::uint8_t offset, std::uint64_t size) {
    return Event{ThreadId{t}, {.kind = kind, .offset = offset, .value = size}, kX};
  };
  const Event alloc = make(2, K::alloc, kX, O::relaxed, 4), whole = part(0, K::write, 0, 8);
  const auto races = [&](const Event& a, const Event& b) {
    return !HappensBefore(std::vector{a, alloc, b}).races().empty();
  };
  EXPECT_TRUE(races(whole, part(1, K::write, 0, 8)));
  EXPECT_TRUE(races(whole, part(1, K::write, 3, 2)));
  EXPECT_FALSE(races(whole, part(1, K::write, 0, 4)));
  EXPECT_FALSE(races(part(0, K::write, 0, 2), part(1, K::write, 1, 4)));
  EXPECT_TRUE(races(part(0, K::write, 2, 4), part(1, K::write, 1, 4)));
}

TEST(HappensBeforeOracle, AFreeRacesLikeAWriteAndAnAllocDoesNot) {
  const auto races = [](K a, K b) {
    return !HappensBefore(std::vector{make(0, a, kX), make(1, b, kX)}).races().empty();
  };
  for (const K kind : {K::read, K::write, K::atomic_load, K::atomic_store, K::atomic_rmw, K::free}) {
    EXPECT_TRUE(races(K::free, kind));
    EXPECT_TRUE(races(kind, K::free));
    EXPECT_FALSE(races(K::alloc, kind));
    EXPECT_FALSE(races(kind, K::alloc));
  }
}

TEST(HappensBeforeOracle, NoValueSurvivesAnAllocOrAFree) {
  const Event store = make(0, K::atomic_store, kFlag, O::release),
              load = make(1, K::atomic_load, kFlag, O::acquire);
  for (const K kind : {K::alloc, K::free}) {
    EXPECT_FALSE(HappensBefore(std::vector{store, make(2, kind, kFlag), load}).ordered(0, 2));
    EXPECT_TRUE(HappensBefore(std::vector{make(2, kind, kFlag), store, load}).ordered(1, 2));
    EXPECT_TRUE(HappensBefore(std::vector{store, make(2, kind, kX), load}).ordered(0, 2));
  }
}

TEST(HappensBeforeOracle, AJoinIsAfterTheForkOfAThreadThatDidNothing) {
  EXPECT_TRUE(orders({make(0, K::fork, 2), make(1, K::join, 2)}));
}

}  // namespace
}  // namespace deadheat::oracle
