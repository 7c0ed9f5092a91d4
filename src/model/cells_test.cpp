#include "model/cells.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <set>
#include <vector>

namespace deadheat::model {
namespace {

// A state that remembers the numbers of the visits it had.
struct alignas(32) State {
  std::uint32_t visits = 0;  // bits
  std::uint32_t next = 0;
  ByteMask mask = 0;
  State clone() const { return *this; }
};

// Each byte on its own: what Cells must be like.
struct Bytes {
  std::array<std::uint32_t, 8> visits{};
};

TEST(Cells, AccessesMeetWhereTheyShareBytesAndOnlyThere) {
  EXPECT_TRUE(rc::check([] {
    Cells<State> cells;
    cells.reserve(2);
    std::array<Bytes, 2> plain;
    for (std::uint32_t visit = 0; visit < 20; ++visit) {
      const auto cell = *rc::gen::inRange<std::uint32_t>(0, 2);
      const auto bytes = *rc::gen::inRange<int>(1, 256);
      const auto what = *rc::gen::inRange(0, 8);
      unsigned seen = 0;
      const auto look = [&](State& s) {
        RC_ASSERT((s.mask & ~bytes) == 0);
        RC_ASSERT((s.mask & seen) == 0u);
        seen |= s.mask;
        for (unsigned i = 0; i < 8; ++i) {
          if ((s.mask >> i & 1) != 0) RC_ASSERT(s.visits == plain[cell].visits[i]);
        }
        s.visits |= 1u << visit;
      };
      if (what == 0) {
        cells.forget(cell, static_cast<ByteMask>(bytes), [](State&) {});
        for (unsigned i = 0; i < 8; ++i) {
          if ((bytes >> i & 1) != 0) plain[cell].visits[i] = 0;
        }
        continue;
      }
      if (what == 1) {
        unsigned known = 0;
        for (unsigned i = 0; i < 8; ++i) known |= plain[cell].visits[i] != 0 ? 1u << i : 0u;
        cells.visit_known(cell, static_cast<ByteMask>(bytes), look);
        RC_ASSERT((known & static_cast<unsigned>(bytes) & ~seen) == 0u);
      } else {
        cells.visit(cell, static_cast<ByteMask>(bytes), look);
        RC_ASSERT(seen == static_cast<unsigned>(bytes));
      }
      // What was just visited is whole parts; any other bytes may or may not be, but all or nothing is done.
      const auto others = *rc::gen::inRange<int>(1, 256);
      for (const int again : {what > 1 ? bytes : others, others}) {
        unsigned whole = 0;
        const bool done = cells.visit_whole_parts(
            cell, static_cast<ByteMask>(again), [](const State&) { return true; },
            [&](const State& s) {
              RC_ASSERT((s.mask & whole) == 0u);
              whole |= s.mask;
            });
        RC_ASSERT(whole == (done ? static_cast<unsigned>(again) : 0u));
        if (again == bytes && what > 1) RC_ASSERT(done == (cells.cell(cell).next != 0));
        RC_ASSERT(!cells.visit_whole_parts(
            cell, static_cast<ByteMask>(again), [](const State&) { return false; }, [](State&) {}));
      }
      for (unsigned i = 0; i < 8; ++i) {
        if ((seen >> i & 1) != 0) plain[cell].visits[i] |= 1u << visit;
      }
    }
  }));
}

TEST(Cells, WhatWasDoneToManyIsKnownWhenOneIsFirstVisited) {
  EXPECT_TRUE(rc::check([] {
    Cells<State> cells;
    cells.reserve(4);
    std::array<Bytes, 4> plain;
    std::array<bool, 4> visited{};
    for (std::uint32_t visit = 0; visit < 20; ++visit) {
      const auto what = *rc::gen::inRange(0, 5);
      const auto begin = *rc::gen::inRange<std::uint64_t>(0, 32);
      const auto end = *rc::gen::inRange<std::uint64_t>(begin, 33);
      const auto cell = static_cast<std::uint32_t>(begin / 8);
      const auto mask = static_cast<ByteMask>(1 + *rc::gen::inRange<int>(0, 255));
      const auto look = [&](State& s) {
        for (unsigned i = 0; i < 8; ++i) {
          if ((s.mask >> i & 1) == 0) continue;
          RC_ASSERT(s.visits == plain[cell].visits[i]);
          plain[cell].visits[i] |= 1u << visit;
        }
        s.visits |= 1u << visit;
      };
      if (what == 0) {
        cells.visit_unvisited({begin, end}, [&](State& s, Stretch) { s.visits |= 1u << visit; });
      } else if (what == 1) {
        cells.forget_unvisited({begin, end}, [](State&) {});
      } else if (what == 2) {
        if (begin == end) continue;
        const auto first = cells.first_unvisited({begin, end});
        std::optional<std::uint32_t> expected;
        for (auto c = static_cast<std::uint32_t>((end + 7) / 8); c-- > cell;) {
          if (!visited[c]) expected = c;
        }
        RC_ASSERT(first == expected);
      } else if (what == 3) {
        const bool fresh = !visited[cell];
        cells.visit_known(cell, mask, look);
        bool any = false;
        for (const std::uint32_t v : plain[cell].visits) any = any || v != 0;
        if (fresh) visited[cell] = any;
      } else {
        cells.visit(cell, mask, look);
        visited[cell] = true;
      }
      for (std::uint64_t byte = begin; byte < end && what < 2; ++byte) {
        std::uint32_t& visits = plain[byte / 8].visits[byte % 8];
        if (!visited[byte / 8]) visits = what == 0 ? visits | 1u << visit : 0;
      }
    }
  }));
}

TEST(Cells, FarPlacesCostOnlyWhatIsState) {
  Cells<State> cells;
  cells.reserve(std::uint64_t{1} << 32);
  cells.visit(UINT32_MAX, 0xFF, [](State& s) { s.visits = 1; });
  EXPECT_LT(cells.bytes(), std::size_t{8} << 20);
  unsigned found = 0;
  cells.for_each([&](State& s) { found += s.visits; });
  EXPECT_EQ(found, 1u);
  found = 0;
  cells.each_visited(5, UINT32_MAX + std::uint64_t{1},
                     [&](std::uint32_t place) { found += place == UINT32_MAX ? 1 : 0; });
  EXPECT_EQ(found, 1u);
  cells.each_visited(5, 1 << 30, [&](std::uint32_t) { FAIL(); });
}

TEST(Cells, EachVisitedIsOfThoseVisitedAlone) {
  Cells<State> cells;
  cells.reserve(100'000);
  const std::vector<std::uint32_t> visited = {0, 5, 127, 128, 8'191, 8'192, 8'320, 70'000, 99'999};
  for (const std::uint32_t place : visited) cells.visit(place, 0x0F, [](State&) {});
  const auto found = [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<std::uint32_t> places;
    cells.each_visited(begin, end, [&](std::uint32_t place) { places.push_back(place); });
    return places;
  };
  EXPECT_EQ(found(0, UINT64_MAX), visited);
  EXPECT_EQ(found(1, 128), (std::vector<std::uint32_t>{5, 127}));
  EXPECT_EQ(found(128, 8'320), (std::vector<std::uint32_t>{128, 8'191, 8'192}));
  EXPECT_EQ(found(9'000, 70'000), std::vector<std::uint32_t>{});
}

}  // namespace
}  // namespace deadheat::model
