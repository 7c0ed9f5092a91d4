#include "trace/events_codec.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstring>

#include "model/block_builder.h"
#include "support/any_events.h"

namespace deadheat::trace {
namespace {

using test::any_event;
using test::events_of;

std::vector<char> encoded(const std::vector<Event>& events, Bounds* bounds = nullptr) {
  model::BlockBuilder builder(std::max<std::size_t>(events.size(), 1));
  for (const Event& e : events) builder.append(e);
  std::vector<char> out;
  Bounds own;
  EventsEncoder encoder;
  const auto ok = encoder.encode(builder.view(0), bounds != nullptr ? *bounds : own, out);
  EXPECT_TRUE(ok) << ok.error().message;
  return out;
}

TEST(EventsCodec, DecodesWhatWasEncoded) {
  EXPECT_TRUE(rc::check([] {
    const auto events = *rc::gen::nonEmpty(rc::gen::container<std::vector<Event>>(any_event()));
    const auto payload = encoded(events);
    EventsDecoder decoder;
    const auto block = decoder.decode(payload, 0, static_cast<std::uint32_t>(events.size()));
    RC_ASSERT(block.has_value());
    RC_ASSERT(events_of(*block) == events);
  }));
}

// Long runs, many threads, many operations: the widths that small random blocks do not reach.
class Shape : public testing::TestWithParam<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> {};

TEST_P(Shape, SurvivesTheRoundTrip) {
  const auto [threads, run, sites] = GetParam();
  std::vector<Event> events(kMaxBlockEvents);
  std::uint32_t x = 1;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    x = x * 1664525 + 1013904223;
    events[i].thread = ThreadId{(i / run) % threads};
    events[i].op.site = SiteId{x % sites};
    events[i].object = x >> (x & 31);
  }
  const auto payload = encoded(events);
  EventsDecoder decoder;
  const auto block = decoder.decode(payload, 0, static_cast<std::uint32_t>(events.size()));
  ASSERT_TRUE(block) << block.error().message;
  EXPECT_EQ(events_of(*block), events);
}

INSTANTIATE_TEST_SUITE_P(All, Shape,
                         testing::Combine(testing::Values(1, 2, 16, 17, 256, 257, 60000),
                                          testing::Values(1, 3, 255, 256, 257, 100000),
                                          testing::Values(1, 256, 257, 65536)));

TEST(EventsCodec, GivesEveryAccessItsBoundsAcrossCells) {
  Event e;
  e.object = 10;
  e.op.offset = 7;
  e.op.value = 10;  // bytes 7..16 of cell 10: cells 10, 11, 12
  Bounds bounds;
  encoded({e}, &bounds);
  EXPECT_EQ(bounds.of(ObjectKind::variable), 13u);
}

// Found by fuzzing: the site of an operation without events was not within the bounds.
TEST(EventsCodec, CoversTheSiteOfAnOperationThatNoEventUses) {
  model::BlockBuilder builder;
  builder.append(Event{});
  builder.code({.site = SiteId{7}, .stack = StackId{3}});
  std::vector<char> out;
  Bounds bounds;
  ASSERT_TRUE(EventsEncoder().encode(builder.view(0), bounds, out));
  EXPECT_EQ(bounds.sites, 8u);
  EXPECT_EQ(bounds.stacks, 4u);
  EXPECT_TRUE(EventsDecoder().decode(out, 0, 1));
}

TEST(EventsCodec, RefusesIdsThatAreNotDense) {
  model::BlockBuilder builder;
  Event e;
  e.thread = ThreadId{4000000000u};
  builder.append(e);
  std::vector<char> out;
  Bounds bounds;
  EXPECT_FALSE(EventsEncoder().encode(builder.view(0), bounds, out));
}

// No payload, however broken, gives a view that is out of range. (Checksums are not seen at this level.)
TEST(EventsCodec, GivesOnlyWellTypedEventsOfABrokenPayload) {
  EXPECT_TRUE(rc::check([] {
    const auto events = *rc::gen::nonEmpty(rc::gen::container<std::vector<Event>>(any_event()));
    auto payload = encoded(events);
    const auto changes = *rc::gen::inRange<int>(1, 4);
    for (int i = 0; i < changes; ++i) {
      payload[*rc::gen::inRange<std::size_t>(0, payload.size())] = *rc::gen::arbitrary<char>();
    }
    if (*rc::gen::arbitrary<bool>()) payload.resize(*rc::gen::inRange<std::size_t>(0, payload.size()));
    // On the heap and of exact size, so that AddressSanitizer sees a read past the end.
    const std::vector<char> exact(payload);
    EventsDecoder decoder;
    const auto block = decoder.decode(exact, 0, static_cast<std::uint32_t>(events.size()));
    if (!block) return;
    for (std::size_t i = 0; i < block->size(); ++i) {
      RC_ASSERT(block->op[i] < block->ops.size());
      const Event e = (*block)[i];
      const ObjectKind kind = object_kind(e.op.kind);
      const std::uint64_t last = e.object + (kind == ObjectKind::variable ? cells(e.op) : 1) - 1;
      RC_ASSERT(last < decoder.bounds().of(kind));
      RC_ASSERT(index(e.thread) < decoder.bounds().of(ObjectKind::thread));
      RC_ASSERT(index(e.op.site) < decoder.bounds().sites);
      RC_ASSERT(e.op.offset < kCellBytes);
    }
  }));
}

}  // namespace
}  // namespace deadheat::trace
