#include "engine/sorted_block.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "model/block_builder.h"
#include "support/any_events.h"

namespace deadheat::engine {
namespace {

TEST(Sharding, EveryVariableHasAPlaceOfItsOwnInItsShard) {
  for (std::uint32_t bits = 0; bits < 4; ++bits) {
    const Sharding sharding{bits};
    std::set<std::pair<std::uint32_t, std::uint32_t>> places;
    std::uint32_t greatest = 0;
    for (std::uint32_t x = 0; x < 1000; ++x) {
      EXPECT_LT(sharding.shard(x), sharding.shards());
      EXPECT_TRUE(places.insert({sharding.shard(x), sharding.place(x)}).second);
      EXPECT_EQ(sharding.variable(sharding.shard(x), sharding.place(x)), x);
      greatest = std::max(greatest, sharding.place(x));
    }
    EXPECT_LT(greatest, sharding.places(1000));
    EXPECT_LE(greatest, 1000u / sharding.shards() + 8);
  }
}

TEST(Sharding, AStretchIsTheBytesOfTheShardAlone) {
  for (std::uint32_t bits = 0; bits < 4; ++bits) {
    const Sharding sharding{bits};
    for (std::uint32_t x = 0; x < 40; ++x) {
      for (const std::uint64_t bytes : {0, 1, 7, 8, 9, 64, 71, 333}) {
        for (const std::uint8_t offset : {0, 3}) {
          const Op op{.kind = EventKind::free, .offset = offset, .value = bytes};
          for (std::uint32_t shard = 0; shard < sharding.shards(); ++shard) {
            std::set<std::uint64_t> expected, found;
            for (std::uint64_t cell = 0; cell < cells(op); ++cell) {
              const auto variable = static_cast<std::uint32_t>(x + cell);
              for (unsigned byte = 0; byte < kCellBytes; ++byte) {
                if (sharding.shard(variable) == shard && (model::bytes_in_cell(op, cell) >> byte & 1) != 0)
                  expected.insert(std::uint64_t{sharding.place(variable)} * kCellBytes + byte);
              }
            }
            const model::Stretch stretch = sharding.stretch(shard, x, op);
            for (std::uint64_t byte = stretch.begin; byte < stretch.end; ++byte) found.insert(byte);
            EXPECT_EQ(found, expected) << bits << " " << x << " " << bytes;
          }
        }
      }
    }
  }
}

// Up to 200 events, of few objects.
model::BlockBuilder any_block() {
  model::BlockBuilder builder(200);
  const auto n = *rc::gen::inRange<std::size_t>(0, 200);
  for (std::size_t i = 0; i < n; ++i) {
    Event e = *test::any_event();
    e.object %= 100;
    if (is_of_memory(e.op.kind)) e.op.value %= 200;
    builder.append(e);
  }
  return builder;
}

// What each event is sorted into, said one by one.
TEST(SortedBlock, PutsEveryEventWhereItBelongs) {
  EXPECT_TRUE(rc::check([] {
    const model::BlockBuilder builder = any_block();
    const std::size_t n = builder.size();
    const Sharding sharding{*rc::gen::inRange<std::uint32_t>(0, 3)};
    SortedBlock block(0, sharding);
    for (int again = 0; again < 2; ++again) block.sort(builder.view(17));
    std::vector<std::uint16_t> order;
    std::vector<std::vector<std::uint16_t>> accesses(sharding.shards());
    bool atomics = false;
    for (std::uint16_t i = 0; i < n; ++i) {
      const Event e = block.events[i];
      atomics |= is_atomic(e.op.kind);
      RC_ASSERT(index(e.thread) < block.threads);
      if (e.op.kind != EventKind::read && e.op.kind != EventKind::write) order.push_back(i);
      if (is_of_thread(e.op.kind)) RC_ASSERT(e.object < block.threads);
      if (!is_of_memory(e.op.kind)) continue;
      RC_ASSERT(e.object + cells(e.op) <= block.variables);
      std::set<std::uint32_t> shards;
      for (std::uint64_t cell = 0; cell < cells(e.op); ++cell)
        shards.insert(sharding.shard(static_cast<std::uint32_t>(e.object + cell)));
      for (const std::uint32_t shard : shards) accesses[shard].push_back(i);
    }
    RC_ASSERT(std::vector<std::uint16_t>(block.order().begin(), block.order().end()) == order);
    RC_ASSERT(block.atomics == atomics);
    for (std::uint32_t shard = 0; shard < sharding.shards(); ++shard) {
      std::vector<std::uint16_t> found;
      for (const Position& at : block.accesses(shard)) {
        found.push_back(at.event);
        RC_ASSERT(at.code == block.events.op[at.event]);
        RC_ASSERT(at.place == sharding.place(block.events.object[at.event]));
      }
      RC_ASSERT(found == accesses[shard]);
    }
  }));
}

TEST(SortedBlock, LeavesOutWhatItIsTold) {
  model::BlockBuilder builder(8);
  for (int i = 0; i < 4; ++i) builder.append({ThreadId{0}, {.kind = EventKind::acquire}, 0});
  SortedBlock block;
  block.sort(builder.view(0));
  const std::uint32_t inner[] = {1, 3};
  block.leave_out(inner);
  EXPECT_EQ(std::vector<std::uint16_t>(block.order().begin(), block.order().end()),
            (std::vector<std::uint16_t>{0, 2}));
  EXPECT_TRUE(block.is_inner(3));
  block.sort(builder.view(0));
  EXPECT_FALSE(block.is_inner(3));
  EXPECT_EQ(block.order().size(), 4u);
}

TEST(EventSet, IsASetOfTheEventsOfABlock) {
  EventSet set;
  for (const std::size_t n : {0, 1, 63, 64, 65, 200, 64}) {
    set.fill(n);
    EXPECT_EQ(set.size(), n);
    EXPECT_EQ(set.count(), n);
    if (n > 0) {
      EXPECT_TRUE(set.has(n - 1));
      set.remove(n - 1);
      EXPECT_FALSE(set.has(n - 1));
      EXPECT_EQ(set.count(), n - 1);
    }
    set.clear(n);
    EXPECT_EQ(set.count(), 0u) << "what was in a larger one is gone";
    EXPECT_EQ(set.words().size(), (n + 63) / 64);
  }
  set.clear(130);
  for (const std::size_t i : {0, 63, 64, 129}) set.add(i);
  EXPECT_EQ(set.count(), 4u);
  EXPECT_TRUE(set.has(64) && set.has(129) && !set.has(65));
}

TEST(SortedBlock, ChecksOnlyWhatAFilterLeaves) {
  EXPECT_TRUE(rc::check([] {
    const model::BlockBuilder builder = any_block();
    const std::size_t n = builder.size();
    const Sharding sharding{*rc::gen::inRange<std::uint32_t>(0, 3)};
    SortedBlock all(0, sharding), some(0, sharding);
    all.sort(builder.view(17));
    some.sort(builder.view(17));
    EventSet kept;
    kept.clear(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (*rc::gen::inRange(0, 2) != 0) kept.add(i);
    }
    RC_ASSERT(!some.is_filtered());
    some.check_only(kept);
    RC_ASSERT(some.is_filtered());
    RC_ASSERT(std::ranges::equal(some.order(), all.order()));
    for (std::uint32_t shard = 0; shard < sharding.shards(); ++shard) {
      std::vector<std::uint16_t> left, checked;
      for (const Position& at : all.accesses(shard)) {
        RC_ASSERT(all.is_checked(at.event));
        if (kept.has(at.event)) left.push_back(at.event);
      }
      for (const Position& at : some.accesses(shard)) {
        RC_ASSERT(some.is_checked(at.event));
        checked.push_back(at.event);
      }
      RC_ASSERT(left == checked);
    }
    some.sort(builder.view(17));
    RC_ASSERT(!some.is_filtered());
    for (std::uint32_t shard = 0; shard < sharding.shards(); ++shard)
      RC_ASSERT(some.accesses(shard).size() == all.accesses(shard).size());
  }));
}

}  // namespace
}  // namespace deadheat::engine
