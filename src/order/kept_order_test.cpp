#include "order/kept_order.h"

#include <gtest/gtest.h>

#include <random>

namespace deadheat::order {
namespace {

TEST(LeastTable, TellsTheLeastOfAStretch) {
  std::mt19937 random(1);
  LeastTable table;
  std::vector<std::uint32_t> plain(3000, LeastTable::kNone);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const auto place = static_cast<std::uint32_t>(random() % 3000);
    const auto number = static_cast<std::uint32_t>(i % 3 == 0 ? random() % 9000 : 4000 + i);
    table.put(place, number);
    plain[place] = std::min(plain[place], number);
    const auto first = static_cast<std::uint32_t>(random() % 3000),
               last = first + static_cast<std::uint32_t>(random() % (3000 - first));
    const auto begin = plain.begin() + first;
    EXPECT_EQ(table.least(first, last), *std::min_element(begin, plain.begin() + last + 1));
  }
  EXPECT_EQ(table.least(2999, 1u << 31), plain[2999]);
  EXPECT_EQ(LeastTable().least(0, 100), LeastTable::kNone);
}

// T0 takes lock 0 and does `first`; T1 does `second`, then takes lock 0 and gives it up. T0's section is
// open: can its acquire wait for T1's release?
struct Link {
  const char* name;
  EventKind first, second;
  std::uint32_t object_of_second;
  bool can_wait;
};

class Kept : public testing::TestWithParam<Link> {};
using K = EventKind;
INSTANTIATE_TEST_SUITE_P(
    Links, Kept,
    testing::Values(
        Link{"write_read", K::write, K::read, 1, false}, Link{"read_write", K::read, K::write, 1, false},
        Link{"write_write", K::write, K::write, 1, false}, Link{"read_read", K::read, K::read, 1, true},
        Link{"load_load", K::atomic_load, K::atomic_load, 1, true},
        Link{"rmw_load", K::atomic_rmw, K::atomic_load, 1, false},
        Link{"load_store", K::atomic_load, K::atomic_store, 1, false},
        Link{"read_alloc", K::read, K::alloc, 1, false}, Link{"free_read", K::free, K::read, 1, false},
        Link{"other_variables", K::write, K::write, 2, true},
        Link{"release_acquire", K::release, K::acquire, 1, false},
        Link{"readers_release_acquire", K::release_shared, K::acquire, 1, false},
        Link{"release_readers_acquire", K::release, K::acquire_shared, 1, false},
        Link{"readers", K::release_shared, K::acquire_shared, 1, true},
        Link{"acquire_acquire", K::acquire, K::acquire, 1, true},
        Link{"send_recv", K::send, K::recv, 1, false}, Link{"recv_send", K::recv, K::send, 1, true},
        Link{"other_channels", K::send, K::recv, 2, true},
        Link{"enter_exit", K::barrier_enter, K::barrier_exit, 1, false},
        Link{"enter_enter", K::barrier_enter, K::barrier_enter, 1, true},
        Link{"fork", K::fork, K::begin, 0, false}),
    [](const auto& link) { return std::string(link.param.name); });

TEST_P(Kept, OrderOfTheTraceStandsWhereItMust) {
  constexpr ThreadId kT0{0}, kT1{1};
  KeptOrder kept(4096);
  kept.reserve_threads(2);
  kept.reserve(8);
  const clock::Time nothing[2] = {};
  auto see = [&, time = clock::Time{0}](ThreadId t, EventKind kind, std::uint32_t object) mutable {
    const Op op{.kind = kind};
    ++time;
    if (is_of_memory(kind)) return kept.access(t, op, VarId{object}, time, nothing);
    if (kind == EventKind::fork) return kept.fork(t, ThreadId{object}, time, nothing);
    kept.synchronise(t, op, object, time, nothing);
  };
  see(kT0, EventKind::acquire, 0);
  see(kT0, GetParam().first, 1);
  see(kT1, GetParam().second, GetParam().object_of_second);
  see(kT1, EventKind::acquire, 0);
  see(kT1, EventKind::release, 0);
  const std::vector<Waiting> waiting = {{{kT0, 1}, {{kT1, 5}}}};
  EXPECT_EQ(kept.allows({2, 5}, waiting), GetParam().can_wait);
  EXPECT_TRUE(kept.allows({1, 5}, waiting)) << "what T0 did inside is not in the set";
  EXPECT_TRUE(kept.allows({2, 5}, {}));
}

// T0's open section of lock 0 waits for T1, T1's of lock 1 for T0: neither comes first.
TEST(KeptOrder, TwoDoNotWaitForEachOther) {
  constexpr ThreadId kT0{0}, kT1{1}, kT2{2};
  KeptOrder kept(4096);
  kept.reserve_threads(3);
  const clock::Time nothing[3] = {};
  auto see = [&, time = clock::Time{0}](ThreadId t, EventKind kind, std::uint32_t object) mutable {
    kept.synchronise(t, {.kind = kind}, object, ++time, nothing);
  };
  see(kT0, EventKind::acquire, 0);
  see(kT1, EventKind::acquire, 1);
  see(kT0, EventKind::acquire, 2), see(kT0, EventKind::release, 2);
  see(kT1, EventKind::acquire, 3), see(kT1, EventKind::release, 3);
  see(kT2, EventKind::acquire, 2), see(kT2, EventKind::release, 2);
  const Waiting first{{kT0, 1}, {{kT1, 6}}}, second{{kT1, 2}, {{kT0, 4}}};
  EXPECT_TRUE(kept.allows({4, 6, 8}, std::vector<Waiting>{first}));
  EXPECT_TRUE(kept.allows({4, 6, 8}, std::vector<Waiting>{second}));
  EXPECT_FALSE(kept.allows({4, 6, 8}, std::vector<Waiting>{first, second}));
}

}  // namespace
}  // namespace deadheat::order
