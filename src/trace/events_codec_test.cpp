#include "trace/events_codec.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstring>

#include "model/block_builder.h"
#include "support/any_events.h"
#include "trace/bytes.h"

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

// Every check of the decoder, one broken field each. The block: three events by two threads, each on one
// cell, the last of eight bytes from byte 7 on, so that it covers the next cell too.
class Hostile : public testing::Test {
 protected:
  Hostile() {
    std::vector<Event> events(3);
    events[1].thread = ThreadId{1};
    events[1].object = 4;
    events[1].op.site = SiteId{2};
    events[2].object = 6;
    events[2].op = {.kind = EventKind::atomic_load, .order = MemoryOrder::seq_cst, .offset = 7, .value = 8};
    payload_ = encoded(events);
    header_ = load<EventsHeader>(payload_.data());
  }
  // The error after the change, or "" if there is none.
  std::string error() {
    std::memcpy(payload_.data(), &header_, sizeof header_);
    const std::vector<char> exact(payload_);  // so that AddressSanitizer sees a read past the end
    EventsDecoder decoder;
    const auto block = decoder.decode(exact, 0, 3);
    return block ? "" : block.error().message;
  }
  char& dictionary(std::size_t i) { return payload_[sizeof header_ + i]; }
  char& thread_section(std::size_t i) { return dictionary(header_.dictionary_bytes + i); }
  // Two threads in three events are cheaper without runs: two bytes of half-byte codes.
  char& op_section(std::size_t i) { return thread_section(2 + i); }
  // Three codes of two bits.
  char& control() { return op_section(1); }

  std::vector<char> payload_;
  EventsHeader header_;
};

TEST_F(Hostile, IsFineAsItIs) {
  ASSERT_EQ(header_.runs, 0u);
  ASSERT_EQ(header_.thread_bits, 4);
  EXPECT_EQ(error(), "");
}
TEST_F(Hostile, ThreadBeyondItsBound) {
  header_.bounds.of(ObjectKind::thread) = 1;
  EXPECT_EQ(error(), "a thread id out of range");
}
TEST_F(Hostile, ObjectBeyondItsBound) {
  header_.bounds.of(ObjectKind::variable) = 4;
  EXPECT_EQ(error(), "an object id out of range");
}
TEST_F(Hostile, AccessThatEndsBeyondTheBound) {
  header_.bounds.of(ObjectKind::variable) = 8;
  EXPECT_EQ(error(), "");
  header_.bounds.of(ObjectKind::variable) = 7;
  EXPECT_EQ(error(), "an object id out of range");
}
TEST_F(Hostile, AccessLargerThanAllVariables) {
  header_.bounds.of(ObjectKind::variable) = 1;
  EXPECT_EQ(error(), "an object id out of range");
}
TEST_F(Hostile, SiteBeyondItsBound) {
  header_.bounds.sites = 2;
  EXPECT_EQ(error(), "a site or stack out of range");
}
TEST_F(Hostile, BoundOutOfProportion) {
  header_.bounds.of(ObjectKind::lock) = 1 << 30;
  EXPECT_EQ(error(), "ids out of proportion to the number of events");
}
TEST_F(Hostile, UnknownKind) {
  dictionary(2) = 25;
  EXPECT_NE(error().find("unknown event kind 25"), std::string::npos);
}
TEST_F(Hostile, UnknownOrderOffsetOrSize) {
  // The third operation: tag, order, site, offset, value, base.
  const std::size_t third = header_.dictionary_bytes - 6;
  ASSERT_EQ(dictionary(third) & 0x1F, static_cast<char>(EventKind::atomic_load));
  dictionary(third + 1) = 6;
  EXPECT_EQ(error(), "an operation with unknown memory order");
  dictionary(third + 1) = 5;
  dictionary(third + 3) = 8;
  EXPECT_EQ(error(), "an operation with an offset outside of the cell");
}
TEST_F(Hostile, DictionaryThatIsTooShort) {
  header_.ops = 4;
  EXPECT_EQ(error(), "the dictionary of operations does not fill its section");
}
TEST_F(Hostile, ThreadCodeOutOfRange) {
  thread_section(0) = 0x20;
  EXPECT_EQ(error(), "a thread code out of range");
}
TEST_F(Hostile, BitsWhereThereIsNoThread) {
  thread_section(1) = 0x10;
  EXPECT_EQ(error(), "a thread code out of range");
}
TEST_F(Hostile, OperationCodeOutOfRange) {
  op_section(0) = 3 << 2;
  EXPECT_EQ(error(), "an operation code out of range");
}
TEST_F(Hostile, ObjectLengthsThatDoNotAddUp) {
  control() = 0x3F;
  EXPECT_EQ(error(), "the objects do not fill their section");
}
TEST_F(Hostile, SectionsThatDoNotAddUp) {
  header_.object_bytes += 1;
  EXPECT_NE(error().find("where its sections take"), std::string::npos);
}

TEST(EventsCodec, RefusesRunsThatDoNotFitTheBlock) {
  const std::vector<Event> events(100);
  const auto good = encoded(events);
  const auto header = load<EventsHeader>(good.data());
  ASSERT_EQ(header.runs, 1u);
  const std::size_t code = sizeof header + header.dictionary_bytes, length = code + 1;
  for (const auto& [at, value] : {std::pair{code, 1}, {length, 100}, {length, 98}}) {
    auto payload = good;
    payload[at] = static_cast<char>(value);
    const auto block = EventsDecoder().decode(payload, 0, 100);
    ASSERT_FALSE(block);
    EXPECT_EQ(block.error().message, "the runs of threads do not fit the block");
  }
}

// More than there is room for, which AddressSanitizer sees if the decoder does not.
TEST(EventsCodec, RefusesRunsThatSumUpToFarMoreThanTheBlock) {
  std::vector<Event> events(1000);
  for (std::size_t i = 0; i < events.size(); ++i)
    events[i].thread = ThreadId{static_cast<std::uint32_t>(i / 10 % 2)};
  auto payload = encoded(events);
  const auto header = load<EventsHeader>(payload.data());
  ASSERT_EQ(header.runs, 100u);
  const std::size_t lengths = sizeof header + header.dictionary_bytes + header.runs;
  for (std::size_t i = 0; i < header.runs; ++i) payload[lengths + i] = static_cast<char>(255);
  EXPECT_FALSE(EventsDecoder().decode(payload, 0, 1000));
}

// No payload, however broken, gives a view that is out of range. (Checksums are not seen at this level.)
TEST(EventsCodec, GivesOnlyWellTypedEventsOfABrokenPayload) {
  EXPECT_TRUE(rc::check([] {
    const auto events = *rc::gen::nonEmpty(rc::gen::container<std::vector<Event>>(any_event()));
    auto payload = encoded(events);
    payload[*rc::gen::inRange<std::size_t>(0, payload.size())] = static_cast<char>(*rc::gen::inRange(0, 256));
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
