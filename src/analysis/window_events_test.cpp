#include "analysis/window_events.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "model/block_builder.h"

namespace deadheat::analysis {
namespace {

TEST(DenseIds, NumberIdsInOrderOfAppearance) {
  DenseIds ids;
  base::Random random(1);
  for (int era = 0; era < 3; ++era) {
    std::vector<std::uint32_t> seen;
    for (int i = 0; i < 2000; ++i) {
      const auto id = static_cast<std::uint32_t>(random() >> 32) & ~0x3FFu;
      const std::uint32_t number = ids(id);
      if (number == seen.size()) seen.push_back(id);
      ASSERT_LT(number, seen.size());
      EXPECT_EQ(seen[number], id);
      EXPECT_EQ(ids.id(number), id);
      EXPECT_EQ(ids.of(id), number);
    }
    EXPECT_EQ(ids.size(), seen.size());
    ids.clear();
    EXPECT_EQ(ids.size(), 0u);
  }
}

Event access(std::uint32_t t, std::uint32_t x, std::uint64_t bytes, std::uint8_t offset) {
  return {ThreadId{t}, {.kind = EventKind::write, .offset = offset, .value = bytes}, x};
}

std::pair<std::uint64_t, std::uint64_t> bytes_of(const Event& e) {
  const std::uint64_t first = std::uint64_t{e.object} * kCellBytes + e.op.offset;
  return {first, first + e.op.value};
}

// What overlaps before overlaps after, in the cell that is the same, and the numbers are of the size of what
// is there.
TEST(WindowEvents, VariablesStayNeighboursHoweverFarApartTheyAre) {
  base::Random random(2);
  WindowEvents window;
  for (const std::uint32_t range : {100u, 5000u, 4'000'000'000u}) {
    std::vector<Event> events;
    std::vector<std::uint32_t> heaps;
    for (int i = 0; i < 10; ++i) heaps.push_back(range < 200 ? 0 : random.below(range - 200));
    for (int i = 0; i < 300; ++i) {
      const std::uint32_t x = heaps[random.below(10)] + random.below(40);
      const std::uint64_t size = random.one_in(4) ? 1 + random.below(300) : 1 + random.below(4);
      events.push_back(access(random.below(3) * 100, x, size, static_cast<std::uint8_t>(random.below(4))));
    }
    window.clear();
    model::BlockBuilder builder(300);
    for (const Event& e : events) builder.append(e);
    window.add(builder.view(0));
    window.number(WindowEvents::Extent::whole);
    const BlockView after = window.block(0);
    std::uint32_t greatest = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      EXPECT_EQ(after[i].op, events[i].op);
      EXPECT_EQ(after[i].object % 8, events[i].object % 8);
      const auto pair = window.original({VarId{after[i].object}, {0, after[i].thread}, {1, after[i].thread}});
      EXPECT_EQ(index(pair.variable), events[i].object);
      EXPECT_EQ(pair.earlier.thread, events[i].thread);
      greatest = std::max(greatest, after[i].object);
      for (std::size_t k = 0; k < i; ++k) {
        const auto [a, a_end] = bytes_of(events[i]);
        const auto [b, b_end] = bytes_of(events[k]);
        const auto [c, c_end] = bytes_of(after[i]);
        const auto [d, d_end] = bytes_of(after[k]);
        const bool before_overlap = a < b_end && b < a_end, after_overlap = c < d_end && d < c_end;
        ASSERT_EQ(before_overlap, after_overlap);
        if (before_overlap) {
          ASSERT_EQ(c - d, a - b);
        }
      }
    }
    EXPECT_LT(greatest, 16u * 300 + 4096);
  }
}

TEST(WindowEvents, EachExitOfABarrierHasAnEnterOfNobody) {
  WindowEvents window;
  window.clear();
  const auto barrier = [](std::uint32_t t, EventKind kind, std::uint64_t generation) {
    return Event{ThreadId{t}, {.kind = kind, .value = generation}, 9};
  };
  model::BlockBuilder builder(10);
  builder.append(barrier(5, EventKind::barrier_exit, 1));
  builder.append(barrier(5, EventKind::barrier_enter, 2));
  builder.append(barrier(6, EventKind::barrier_exit, 1));
  builder.append(barrier(5, EventKind::barrier_exit, 2));
  window.add(builder.view(100));
  window.number(WindowEvents::Extent::whole);
  const BlockView enters = window.unseen_enters(0);
  ASSERT_EQ(enters.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(enters[i].op.kind, EventKind::barrier_enter);
    EXPECT_EQ(enters[i].op.value, i < 2 ? 1u : 2u);
    EXPECT_EQ(index(enters[i].thread), 2u);  // neither of the two
  }
}

}  // namespace
}  // namespace deadheat::analysis
