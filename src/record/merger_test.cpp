#include "record/merger.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "support/session_writer.h"

namespace deadheat::record {
namespace {

using runtime::Kind;
using test::HandStream;

SharedSession new_session(std::uint64_t memory = 1 << 20) {
  auto session = SharedSession::create({.memory_bytes = memory, .most_chunks = 256});
  EXPECT_TRUE(session.has_value());
  return std::move(*session);
}

// "0r10": thread 0 reads 10; other events by the number of their kind.
struct Taken {
  std::string text;
  void access(const Stream& stream, const runtime::Record& record) {
    text += fmt_(stream, record.kind() == Kind::read ? "r" : "w", record.object());
  }
  void event(const Stream& stream, const runtime::Record& record, std::uint64_t operand,
             std::uint64_t second) {
    const char* const word = record.kind() == Kind::acquire   ? "a"
                             : record.kind() == Kind::release ? "l"
                             : record.kind() == Kind::alloc   ? "+"
                                                              : "?";
    text += fmt_(stream, word, record.object());
    if (operand != 0) text += ":" + std::to_string(operand);
    if (second != 0) text += ":" + std::to_string(second);
  }
  std::string take() { return std::exchange(text, {}); }

 private:
  std::string fmt_(const Stream& stream, const char* word, std::uint64_t object) const {
    return (text.empty() ? "" : " ") + std::to_string(stream.thread) + word + std::to_string(object);
  }
};

TEST(Merger, TakesEventsInTheOrderOfTheirStamps) {
  SharedSession session = new_session();
  HandStream a(session, 0), b(session, 1);
  a.stamped(1, Kind::acquire, 7);
  a.stamped(4, Kind::release, 7);
  b.stamped(2, Kind::acquire, 8);
  b.stamped(3, Kind::release, 8);
  Merger merger(session);
  Taken taken;
  EXPECT_TRUE(merger.round(taken));
  EXPECT_EQ(taken.take(), "0a7 1a8 1l8 0l7");
  EXPECT_FALSE(merger.round(taken));
}

TEST(Merger, PutsAnAccessBeforeTheEventOfItsPosition) {
  SharedSession session = new_session();
  HandStream a(session, 0), b(session, 1);
  a.position(2);
  a.put(Kind::read, 10);
  a.position(3);
  a.put(Kind::read, 11);
  b.stamped(1, Kind::acquire, 8);
  b.stamped(2, Kind::release, 8);
  Merger merger(session);
  Taken taken;
  merger.round(taken);
  EXPECT_EQ(taken.take(), "1a8 0r10 1l8 0r11");
}

TEST(Merger, TakesTheAccessesBehindAnEventAtTheNextPosition) {
  SharedSession session = new_session();
  HandStream a(session, 0), b(session, 1);
  a.stamped(1, Kind::acquire, 7);
  a.put(Kind::write, 10);  // position 2, without being told
  b.stamped(2, Kind::acquire, 8);
  b.put(Kind::write, 20);
  Merger merger(session);
  Taken taken;
  merger.round(taken);
  EXPECT_EQ(taken.take(), "0a7 0w10 1a8 1w20");
}

TEST(Merger, WaitsForWhoMayStillWriteASmallerStamp) {
  SharedSession session = new_session();
  HandStream a(session, 0), b(session, 1);
  a.floor(2);
  b.stamped(1, Kind::acquire, 8);
  b.put(Kind::read, 20);
  b.stamped(3, Kind::release, 8);
  Merger merger(session);
  Taken taken;
  merger.round(taken);
  EXPECT_EQ(taken.take(), "1a8 1r20");
  EXPECT_FALSE(merger.round(taken));
  a.stamped(2, Kind::acquire, 7);
  a.floor(runtime::kIdle);
  merger.round(taken);
  EXPECT_EQ(taken.take(), "0a7 1l8");
}

TEST(Merger, DoesNotTakeAStampThatIsNotGivenOutYet) {
  SharedSession session = new_session();
  HandStream a(session, 0);
  a.stamped(5, Kind::acquire, 7);
  session->stamp = 5;
  Merger merger(session);
  Taken taken;
  EXPECT_FALSE(merger.round(taken));
  session->stamp = 6;
  merger.round(taken);
  EXPECT_EQ(taken.take(), "0a7");
}

TEST(Merger, LetsALateAccessMoveBehind) {
  SharedSession session = new_session();
  HandStream a(session, 0), b(session, 1);
  a.position(1);
  b.stamped(1, Kind::acquire, 8);
  b.stamped(2, Kind::release, 8);
  Merger merger(session);
  Taken taken;
  merger.round(taken);
  EXPECT_EQ(taken.take(), "1a8 1l8");
  a.put(Kind::write, 10);
  b.stamped(3, Kind::acquire, 8);
  merger.round(taken);
  EXPECT_EQ(taken.take(), "0w10 1a8");
}

TEST(Merger, TellsOfOperands) {
  SharedSession session = new_session();
  HandStream a(session, 0);
  a.stamped(1, Kind::alloc, 64, {100});
  a.stamped(2, Kind::thread_name, 0, {5, 6});
  Merger merger(session);
  Taken taken;
  merger.round(taken);
  EXPECT_EQ(taken.take(), "0+64:100 0?0:5:6");
}

TEST(Merger, WaitsForOperandsThatAreNotThereYet) {
  SharedSession session = new_session();
  HandStream a(session, 0);
  a.stamped(1, Kind::alloc, 64);
  Merger merger(session);
  Taken taken;
  EXPECT_FALSE(merger.round(taken));
  a.raw(100, runtime::code_word(0));
  merger.round(taken);
  EXPECT_EQ(taken.take(), "0+64:100");
}

TEST(Merger, GoesOnInTheNextChunkAndGivesTheOldOneBackEmpty) {
  SharedSession session = new_session();
  HandStream a(session, 0);
  const std::uint32_t first = a.chunk();
  a.stamped(1, Kind::acquire, 7);
  a.next_chunk();  // with most of the first one unused
  a.put(Kind::read, 10);
  Merger merger(session);
  Taken taken;
  merger.round(taken);
  EXPECT_EQ(taken.take(), "0a7 0r10");
  EXPECT_EQ(static_cast<std::uint32_t>(session->free_chunks), first);
  EXPECT_EQ(session.chunk(first)->records[0].code, 0u);
  EXPECT_EQ(HandStream::new_chunk(session), first);
}

TEST(Merger, FindsOperandsInTheNextChunk) {
  SharedSession session = new_session();
  HandStream a(session, 0);
  a.stamped(1, Kind::thread_name, 0, {5});
  a.next_chunk();
  a.raw(6, runtime::code_word(0));
  a.put(Kind::read, 10);
  Merger merger(session);
  Taken taken;
  merger.round(taken);
  EXPECT_EQ(taken.take(), "0?0:5:6 0r10");
}

TEST(Merger, TakesManyChunks) {
  SharedSession session = new_session();
  HandStream a(session, 0);
  a.position(1);
  constexpr std::uint64_t kMany = 10 * runtime::Chunk::kRecords + 17;
  for (std::uint64_t i = 0; i < kMany; ++i) a.put(Kind::write, i);
  struct Count {
    std::uint64_t next = 0;
    bool in_order = true;
    void access(const Stream&, const runtime::Record& record) { in_order &= record.object() == next++; }
    void event(const Stream&, const runtime::Record&, std::uint64_t, std::uint64_t) {}
  } count;
  Merger merger(session);
  while (merger.round(count)) {
  }
  EXPECT_EQ(count.next, kMany);
  EXPECT_TRUE(count.in_order);
}

TEST(Merger, KeepsAHandlerApartFromTheThreadItInterrupted) {
  SharedSession session = new_session();
  HandStream a(session, 3);
  a.position(1);
  a.put(Kind::read, 10);
  HandStream handler(session, 3, 1);
  handler.stamped(2, Kind::release, 9);
  handler.close();
  a.stamped(1, Kind::acquire, 7);  // interrupted between its stamp and its record
  Merger merger(session);
  Taken taken;
  merger.round(taken);
  EXPECT_EQ(taken.take(), "3r10 3a7 3l9");
  merger.round(taken);
  EXPECT_EQ(handler.state(), runtime::Slot::empty);
}

TEST(Merger, EmptiesASlotThatIsClosedAndRead) {
  SharedSession session = new_session();
  HandStream a(session, 0);
  a.stamped(1, Kind::acquire, 7);
  a.close();
  Merger merger(session);
  Taken taken;
  merger.round(taken);
  merger.round(taken);
  EXPECT_EQ(a.state(), runtime::Slot::empty);
  EXPECT_EQ(static_cast<std::uint32_t>(session->free_chunks), a.chunk());
  HandStream next(session, 1);
  next.stamped(2, Kind::acquire, 8);
  taken.take();
  merger.round(taken);
  EXPECT_EQ(taken.take(), "1a8");
}

TEST(Merger, TakesAllWhenTheProgramIsDeadWhateverItMeantToWrite) {
  SharedSession session = new_session();
  HandStream a(session, 0), b(session, 1);
  a.floor(2);
  b.stamped(1, Kind::acquire, 8);
  b.stamped(3, Kind::release, 8);
  b.put(Kind::read, 20);
  a.position(3);
  a.put(Kind::read, 10);
  Merger merger(session);
  Taken taken;
  merger.finish(taken);
  EXPECT_EQ(taken.take(), "1a8 0r10 1l8 1r20");
}

TEST(Merger, CountsWhatTheDeadProgramWroteByHalves) {
  SharedSession session = new_session();
  HandStream a(session, 0);
  a.stamped(1, Kind::acquire, 7);
  a.stamped(2, Kind::alloc, 64);  // its operand is missing
  Merger merger(session);
  Taken taken;
  merger.finish(taken);
  EXPECT_EQ(taken.take(), "0a7");
  EXPECT_EQ(merger.broken_records(), 1u);
}

TEST(Merger, WakesWhoWaitsForChunksOnceForMany) {
  SharedSession session = new_session();
  const std::uint32_t quarter = session->chunks_most / 4;
  session->chunks_used = session->chunks_most;
  session->chunks_wanted = 1;
  for (std::uint32_t i = 1; i < quarter; ++i) session.give_back(i);
  EXPECT_EQ(session->chunks_given, 0u);
  session.give_back(quarter);
  EXPECT_EQ(session->chunks_given, 1u);
  session.give_back(quarter + 1);
  EXPECT_EQ(session->chunks_given, 1u);
  // What was given back is never kept secret for longer than a round.
  Merger merger(session);
  Taken taken;
  merger.round(taken);
  EXPECT_EQ(session->chunks_given, 2u);
}

TEST(Merger, GivesMoreMemoryOnlyIfNothingElseHelps) {
  SharedSession session = new_session();
  const std::uint32_t most = session->chunks_most;
  session->chunks_used = most;
  session->chunks_wanted = 3;
  Merger merger(session);
  Taken taken;
  merger.round(taken);
  merger.relieve();
  EXPECT_EQ(session->chunks_most, most);
  merger.round(taken);
  merger.relieve();
  EXPECT_EQ(session->chunks_most, most + 3);
  EXPECT_EQ(merger.chunks_beyond(), 3u);
}

// What a stray write of the program may leave in the session.
class DamagedSession : public testing::TestWithParam<std::uint32_t> {};

TEST_P(DamagedSession, EndsTheStreamWhereAChunkLeadsNowhere) {
  SharedSession session = new_session();
  HandStream a(session, 0);
  a.stamped(1, Kind::acquire, 7);
  runtime::chunk_at(session.get(), session->slots[0].first_chunk)->next = GetParam();
  Merger merger(session);
  Taken taken;
  for (int i = 0; i < 3 && !merger.is_damaged(); ++i) merger.round(taken);
  EXPECT_EQ(taken.take(), "0a7");
  EXPECT_TRUE(merger.is_damaged());
}
INSTANTIATE_TEST_SUITE_P(Next, DamagedSession, testing::Values(1u, 256u, 0xFFFFFFF0u));

TEST(Merger, TakesNoStreamWithoutAChunkOrAThread) {
  SharedSession session = new_session();
  HandStream a(session, 0), b(session, runtime::kMostThreads);
  session->slots[0].first_chunk = 0xFFFF;
  Merger merger(session);
  Taken taken;
  merger.round(taken);
  EXPECT_TRUE(merger.is_damaged());
  merger.finish(taken);
  EXPECT_EQ(taken.take(), "");
}

TEST(SharedSession, CannotBeMadeShorter) {
  SharedSession session = new_session();
  EXPECT_NE(ftruncate(session.descriptor(), 0), 0);
}

}  // namespace
}  // namespace deadheat::record
