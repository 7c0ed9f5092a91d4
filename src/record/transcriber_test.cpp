#include "record/transcriber.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "support/kept_trace.h"
#include "support/session_writer.h"

namespace deadheat::record {
namespace {

using runtime::Kind;
using test::HandStream;
using test::KeptTrace;

class TranscriberTest : public testing::Test {
 protected:
  // All that was written to the streams, as a trace.
  void transcribe() {
    Merger merger(session_);
    merger.finish(transcriber_);
    transcriber_.flush();
    EXPECT_EQ(trace_.faults(), "");
  }
  std::uint64_t lost(Loss loss) const { return transcriber_.losses().count(loss); }

  SharedSession session_ = std::move(*SharedSession::create({.memory_bytes = 1 << 20, .most_chunks = 64}));
  KeptTrace trace_;
  Transcriber transcriber_{*session_, trace_};
  HandStream a_{session_, 0}, b_{session_, 1};
};

TEST_F(TranscriberTest, GivesNeighboursNeighbouringIds) {
  a_.position(1);
  a_.put(Kind::read, 0x10000, 8);
  a_.put(Kind::write, 0x10008, 4);
  a_.put(Kind::write, 0x1000c, 4);
  a_.put(Kind::write, 0x900000000003, 1);
  transcribe();
  EXPECT_EQ(trace_.text(), "0:r 0  0:w 1  0:w 1  0:w 8192");
  EXPECT_EQ(trace_.events()[0].op.value, 8u);
  EXPECT_EQ(trace_.events()[2].op.offset, 4u);
  EXPECT_EQ(trace_.events()[3].op.offset, 3u);
  EXPECT_EQ(transcriber_.names().address_of(VarId{8192}), 0x900000000000u);
}

TEST_F(TranscriberTest, SplitsAnAccessWhereIdsAreNotInARow) {
  a_.position(1);
  a_.put(Kind::read, 0x20000, 1);  // the upper region first
  a_.put(Kind::read, 0x1fffe, 4);
  transcribe();
  ASSERT_EQ(trace_.text(), "0:r 0  0:r 16383  0:r 0");
  EXPECT_EQ(trace_.events()[1].op.offset, 6u);
  EXPECT_EQ(trace_.events()[1].op.value, 2u);
  EXPECT_EQ(trace_.events()[2].op.value, 2u);
}

TEST_F(TranscriberTest, KeepsAnAccessWholeWhereIdsAreInARow) {
  a_.position(1);
  a_.put(Kind::read, 0x1fffe, 4);
  transcribe();
  ASSERT_EQ(trace_.text(), "0:r 8191");
  EXPECT_EQ(trace_.events()[0].op.value, 4u);
}

TEST_F(TranscriberTest, GivesAnAllocationIdsInARow) {
  a_.stamped(1, Kind::alloc, 0x10010, {3 * 65536});
  a_.put(Kind::write_range, 0x10010);
  a_.raw(3 * 65536, runtime::code_word(0));
  a_.stamped(2, Kind::free, 0x10010);
  transcribe();
  ASSERT_EQ(trace_.text(), "0:alloc 2  0:w 2  0:free 2");
  EXPECT_EQ(trace_.events()[0].op.value, 3u * 65536);
  EXPECT_EQ(trace_.events()[2].op.value, 3u * 65536);
}

TEST_F(TranscriberTest, TellsOfGapsByTheirBytesWhereTheyAreKnown) {
  a_.position(1);
  a_.put(Kind::read, 0x10000, 8);
  a_.stamped(1, Kind::gap, 0, {0});
  a_.stamped(2, Kind::gap, 0x1000c, {6});
  transcribe();
  ASSERT_EQ(trace_.text(), "0:r 0  0:gap  0:gapat 1");
  EXPECT_EQ(trace_.events()[2].op.offset, 4u);
  EXPECT_EQ(trace_.events()[2].op.value, 6u);
}

TEST_F(TranscriberTest, SplitsAGapWhereIdsAreNotInARow) {
  a_.position(1);
  a_.put(Kind::read, 0x20000, 1);  // the upper region first
  a_.stamped(1, Kind::gap, 0x1fffe, {4});
  transcribe();
  EXPECT_EQ(trace_.text(), "0:r 0  0:gapat 16383  0:gapat 0");
}

TEST_F(TranscriberTest, TellsOfFailedAttemptsByTheirObjects) {
  a_.stamped(1, Kind::acquire, 0x50);
  b_.stamped(2, Kind::try_acquire_failed, 0x50);
  b_.stamped(3, Kind::try_recv_failed, 0x60);
  a_.stamped(4, Kind::send, 0x60);
  b_.stamped(5, Kind::try_join_failed, 0);
  b_.stamped(6, Kind::try_join_failed, 1);  // of itself: makes no sense
  transcribe();
  EXPECT_EQ(trace_.text(), "0:acq 0  1:tryacq 0  1:tryrecv 0  0:send 0  1:tryjoin 0");
}

TEST_F(TranscriberTest, KnowsThatItLeftOutAccesses) {
  a_.stamped(1, Kind::benign, 0x10000, {64});
  EXPECT_EQ(transcriber_.omissions(), 0u);
  a_.put(Kind::write, 0x10008, 8);
  transcribe();
  EXPECT_EQ(transcriber_.omissions(), static_cast<std::uint32_t>(Omission::ignored));
}

TEST_F(TranscriberTest, CountsAFreeOfUnknownMemory) {
  a_.stamped(1, Kind::alloc, 0x10000, {64});
  a_.stamped(2, Kind::unmap, 0x8000, {0x10000});
  a_.stamped(3, Kind::free, 0x10000);
  transcribe();
  EXPECT_EQ(trace_.text(), "0:alloc 0");
  EXPECT_EQ(lost(Loss::free_unknown), 1u);
}

TEST_F(TranscriberTest, TellsOfAMappingThatComesAndGoesByThePagesInUse) {
  constexpr std::uint64_t kAt = 0x100000, kBytes = 4 * 65536;
  std::uint64_t stamp = 1;
  for (int i = 0; i < 3; ++i) {
    a_.stamped(stamp++, Kind::alloc, kAt, {kBytes});
    a_.put(Kind::write, kAt + 65536 + 8, 8);
    a_.stamped(stamp++, Kind::unmap, kAt, {kBytes});
  }
  transcribe();
  // The second and third time one page is new, for one was used.
  ASSERT_EQ(trace_.text(),
            "0:alloc 0  0:w 8193  0:free 8192  0:alloc 8192  0:w 8193  0:free 8192  0:alloc 8192  0:w 8193  "
            "0:free 8192");
  EXPECT_EQ(trace_.events()[0].op.value, kBytes);
  EXPECT_EQ(trace_.events()[2].op.value, 4096u);
  EXPECT_EQ(trace_.events()[3].op.value, 4096u);
}

TEST_F(TranscriberTest, ReleasesWhatAThreadHoldsAtItsEnd) {
  a_.stamped(1, Kind::acquire, 0x50);
  a_.stamped(2, Kind::acquire_shared, 0x60);
  a_.stamped(3, Kind::end, 0);
  transcribe();
  EXPECT_EQ(trace_.text(), "0:acq 0  0:racq 1  0:rel 0  0:rrel 1  0:end");
  EXPECT_EQ(lost(Loss::held_at_end), 2u);
}

TEST_F(TranscriberTest, FreesWithoutAnAccessWhereToldSo) {
  a_.stamped(1, Kind::alloc, 0x10000, {64});
  a_.stamped(2, Kind::free, 0x10000, {}, 1);
  transcribe();
  EXPECT_EQ(trace_.text(), "0:alloc 0");
}

TEST_F(TranscriberTest, WritesOnlyMemoryInUseOfAHugeAllocation) {
  a_.position(1);
  a_.put(Kind::read, 0x100000000000 + (1 << 20), 8);
  a_.stamped(1, Kind::alloc, 0x100000000000, {std::uint64_t{1} << 40});
  transcribe();
  EXPECT_EQ(trace_.text(), "0:r 0  0:alloc 8192  0:alloc 0");
  EXPECT_EQ(lost(Loss::large_blocks), 1u);
}

TEST_F(TranscriberTest, LetsALockNest) {
  a_.stamped(1, Kind::acquire, 0x50);
  a_.stamped(2, Kind::acquire, 0x50);
  a_.stamped(3, Kind::release, 0x50);
  a_.stamped(4, Kind::release, 0x50);
  b_.stamped(5, Kind::acquire_shared, 0x50);
  b_.stamped(6, Kind::release_shared, 0x50);
  transcribe();
  EXPECT_EQ(trace_.text(), "0:acq 0  0:acq 0  0:rel 0  0:rel 0  1:racq 0  1:rrel 0");
}

TEST_F(TranscriberTest, MakesANewLockOfAForgottenOne) {
  a_.stamped(1, Kind::acquire, 0x50);
  a_.stamped(2, Kind::release, 0x50);
  a_.stamped(3, Kind::forget_lock, 0x50);
  a_.stamped(4, Kind::acquire, 0x50);
  transcribe();
  EXPECT_EQ(trace_.text(), "0:acq 0  0:rel 0  0:acq 1");
}

TEST_F(TranscriberTest, TurnsAReleaseByAnotherThreadIntoAMessage) {
  a_.stamped(1, Kind::acquire, 0x50);
  b_.stamped(2, Kind::release, 0x50);
  a_.stamped(3, Kind::acquire, 0x50);
  transcribe();
  EXPECT_EQ(trace_.text(), "0:acq 0  0:rel 0  1:send 0  0:acq 0  0:recv 0");
  EXPECT_EQ(lost(Loss::release_by_other), 1u);
}

TEST_F(TranscriberTest, TurnsAReleaseOfALockTakenBeforeTheRecordingIntoAMessage) {
  b_.stamped(1, Kind::release, 0x50);
  a_.stamped(2, Kind::acquire, 0x50);
  transcribe();
  EXPECT_EQ(trace_.text(), "0:send 0  1:acq 0  1:recv 0");
  EXPECT_EQ(lost(Loss::release_unheld), 1u);
}

TEST_F(TranscriberTest, EndsHoldsThatMustHaveEnded) {
  a_.stamped(1, Kind::acquire, 0x50);
  b_.stamped(2, Kind::acquire, 0x50);
  b_.stamped(3, Kind::release, 0x50);
  a_.stamped(4, Kind::acquire_shared, 0x50);
  b_.stamped(5, Kind::acquire_shared, 0x50);
  b_.stamped(6, Kind::acquire, 0x50);
  transcribe();
  EXPECT_EQ(lost(Loss::release_unseen), 2u);
  EXPECT_EQ(trace_.events().size(), 9u);
}

TEST_F(TranscriberTest, LeavesOutWhatNobodySent) {
  a_.stamped(1, Kind::recv, 0x60);
  b_.stamped(2, Kind::send, 0x60);
  a_.stamped(3, Kind::recv, 0x60);
  a_.stamped(4, Kind::forget_channel, 0x60);
  a_.stamped(5, Kind::recv, 0x60);
  transcribe();
  EXPECT_EQ(trace_.text(), "1:send 0  0:recv 0");
  EXPECT_EQ(lost(Loss::recv_unsent), 2u);
}

TEST_F(TranscriberTest, CountsTheGenerationsOfABarrier) {
  a_.stamped(1, Kind::barrier_init, 0x70, {2});
  std::uint64_t stamp = 2;
  for (int i = 0; i < 2; ++i) {
    a_.stamped(stamp++, Kind::barrier_enter, 0x70);
    b_.stamped(stamp++, Kind::barrier_enter, 0x70);
    a_.stamped(stamp++, Kind::barrier_exit, 0x70);
    if (i == 0) a_.stamped(stamp++, Kind::send, 0x60);
    b_.stamped(stamp++, Kind::barrier_exit, 0x70);
  }
  transcribe();
  EXPECT_EQ(trace_.events()[3].op.value, 0u);
  EXPECT_EQ(trace_.events()[5].op.value, 1u);
  EXPECT_EQ(trace_.events().back().op.value, 1u);
}

TEST_F(TranscriberTest, CountsTheGenerationsOfABarrierMadeBeforeTheRecording) {
  for (std::uint64_t stamp = 1; stamp < 9;) {
    a_.stamped(stamp++, Kind::barrier_enter, 0x70);
    b_.stamped(stamp++, Kind::barrier_enter, 0x70);
    b_.stamped(stamp++, Kind::barrier_exit, 0x70);
    a_.stamped(stamp++, Kind::barrier_exit, 0x70);
  }
  transcribe();
  EXPECT_EQ(trace_.events()[1].op.value, 0u);
  EXPECT_EQ(trace_.events()[4].op.value, 1u);
}

TEST_F(TranscriberTest, LeavesOutWhatAThreadDoesBehindItsEnd) {
  a_.stamped(1, Kind::begin, 0);
  a_.stamped(2, Kind::fork, 1);
  b_.stamped(3, Kind::begin, 0);
  b_.stamped(4, Kind::end, 0);
  b_.put(Kind::read, 0x10000, 8);
  a_.stamped(5, Kind::join, 1);
  b_.stamped(6, Kind::acquire, 0x50);
  transcribe();
  EXPECT_EQ(trace_.text(), "0:begin  0:fork 1  1:begin  1:end  0:join 1");
  EXPECT_EQ(lost(Loss::after_end), 2u);
}

TEST_F(TranscriberTest, NamesThreads) {
  std::uint64_t text = 0;
  std::memcpy(&text, "worker", 6);
  a_.stamped(1, Kind::begin, 0);
  a_.stamped(2, Kind::thread_name, 0, {text, 0});
  transcribe();
  EXPECT_EQ(transcriber_.names().threads[0], "T0 (worker)");
}

TEST_F(TranscriberTest, GivesAtomicsOnlyOrdersTheyCanHave) {
  a_.stamped(1, Kind::atomic_load, 0x10000, {}, 4, 8);
  a_.stamped(2, Kind::atomic_store, 0x10000, {}, 2, 4);
  a_.stamped(3, Kind::atomic_rmw, 0x10000, {}, 4, 8);
  a_.stamped(4, Kind::fence, 0, {}, 5);
  transcribe();
  EXPECT_EQ(trace_.events()[0].op.order, MemoryOrder::acquire);
  EXPECT_EQ(trace_.events()[1].op.order, MemoryOrder::relaxed);
  EXPECT_EQ(trace_.events()[2].op.order, MemoryOrder::acq_rel);
  EXPECT_EQ(trace_.events()[3].op.order, MemoryOrder::seq_cst);
}

TEST_F(TranscriberTest, FindsModulesAndCallers) {
  runtime::Module& module = session_->modules[0];
  module.begin = 0x1000;
  module.end = 0x2000;
  module.bias = 0x400;
  module.build_id_bytes = 2;
  module.build_id[0] = 0xab;
  std::strcpy(module.path, "/bin/app");
  session_->modules_used = 1;
  session_->nodes[1].code = 0x1100;
  session_->nodes[2] = {.code = 0x1200, .caller = 1, .next = 0};
  session_->nodes_used = 3;
  a_.stamped(1, Kind::modules, 1);
  a_.position(2);
  a_.put(Kind::stack, 2);
  a_.put(Kind::read, 0x10000, 8, 0x1300);
  transcribe();
  const Names& names = transcriber_.names();
  const Op& op = trace_.events()[0].op;
  EXPECT_EQ(names.sites[index(op.site)].address, 0xf00u);
  EXPECT_EQ(names.strings[names.modules[1].path], "/bin/app");
  EXPECT_EQ(names.strings[names.modules[1].build_id], "ab00");
  const Frame& inner = names.stacks[index(op.stack)];
  EXPECT_EQ(names.sites[index(inner.site)].address, 0xe00u);
  const Frame& outer = names.stacks[index(inner.caller)];
  EXPECT_EQ(names.sites[index(outer.site)].address, 0xd00u);
  EXPECT_EQ(outer.caller, StackId::none);
}

TEST_F(TranscriberTest, FindsTheModuleThatWasThere) {
  for (const std::uint32_t i : {0u, 1u}) {
    session_->modules[i].begin = 0x1000;
    session_->modules[i].end = 0x2000;
    session_->modules[i].bias = 0x1000;
    std::strcpy(session_->modules[i].path, i == 0 ? "/lib/first.so" : "/lib/second.so");
  }
  // Both are known to the recorder before it reads the first record.
  session_->modules_used = 2;
  a_.stamped(1, Kind::modules, 1);
  a_.put(Kind::write, 0x10000, 8, 0x1300);
  b_.stamped(2, Kind::modules, 2);
  a_.position(3);
  a_.put(Kind::write, 0x10000, 8, 0x1300);
  b_.stamped(4, Kind::modules, 1);  // looked before, told behind
  a_.position(5);
  a_.put(Kind::write, 0x10000, 8, 0x1300);
  transcribe();
  const Names& names = transcriber_.names();
  ASSERT_EQ(trace_.events().size(), 3u);
  const auto module_of = [&](std::size_t event) {
    return names.strings[names.modules[names.sites[index(trace_.events()[event].op.site)].module].path];
  };
  EXPECT_EQ(module_of(0), "/lib/first.so");
  EXPECT_EQ(module_of(1), "/lib/second.so");
  EXPECT_EQ(module_of(2), "/lib/second.so");
  EXPECT_EQ(names.mapping_at(0x1fff, 0)->id, 1u);
  EXPECT_EQ(names.mapping_at(0x1000, 1)->id, 2u);
  EXPECT_EQ(names.mapping_at(0x2000, 1), nullptr);
}

TEST_F(TranscriberTest, TellsWhoseStackItIs) {
  a_.stamped(1, Kind::begin, 0);
  a_.stamped(2, Kind::fresh, 0x7000, {0x1000}, 1);
  a_.stamped(3, Kind::end, 0);
  b_.stamped(4, Kind::begin, 0);
  b_.stamped(5, Kind::fresh, 0x7000, {0x1000}, 1);
  transcribe();
  const Names& names = transcriber_.names();
  ASSERT_NE(names.mapping_at(0x7800, 1), nullptr);
  EXPECT_EQ(*names.mapping_at(0x7800, 1), (Mapping{Mapping::What::stack, 0, 0x7000, 0x1000, 1}));
  EXPECT_EQ(names.mapping_at(0x7800, 3)->id, 1u);
}

TEST_F(TranscriberTest, LeavesABarrierThatIsDestroyed) {
  a_.stamped(1, Kind::barrier_init, 0x90, {2});
  a_.stamped(2, Kind::barrier_enter, 0x90);
  b_.stamped(3, Kind::barrier_enter, 0x90);
  a_.stamped(4, Kind::barrier_exit, 0x90);
  a_.stamped(5, Kind::forget_barrier, 0x90);
  b_.stamped(6, Kind::barrier_exit, 0x90);
  transcribe();
  EXPECT_EQ(trace_.text(), "0:enter 0  1:enter 0  0:exit 0  1:exit 0");
  EXPECT_TRUE(transcriber_.losses().warnings().empty());
}

// Whoever comes first here, any two of the three may have met.
TEST_F(TranscriberTest, OrdersAllOfACrowdAtABarrier) {
  test::HandStream c(session_, 2);
  a_.stamped(1, Kind::barrier_init, 0x90, {2});
  a_.stamped(2, Kind::barrier_enter, 0x90);
  b_.stamped(3, Kind::barrier_enter, 0x90);
  c.stamped(4, Kind::barrier_enter, 0x90);
  a_.stamped(5, Kind::barrier_exit, 0x90);
  c.stamped(6, Kind::barrier_exit, 0x90);
  a_.stamped(7, Kind::barrier_enter, 0x90);
  b_.stamped(8, Kind::barrier_exit, 0x90);
  a_.stamped(9, Kind::barrier_exit, 0x90);
  // Nobody is left: two meet again.
  a_.stamped(10, Kind::barrier_enter, 0x90);
  c.stamped(11, Kind::barrier_enter, 0x90);
  a_.stamped(12, Kind::barrier_exit, 0x90);
  transcribe();
  EXPECT_EQ(trace_.text(),
            "0:enter 0  1:enter 0  0:send 0  1:send 0  2:send 0  0:recv 0  0:exit 0  2:recv 0  0:send 0  "
            "1:recv 0  1:exit 0  0:recv 0  0:enter 0  2:enter 0  0:exit 0");
  EXPECT_EQ(trace_.faults(), "");
  EXPECT_EQ(transcriber_.losses().count(Loss::barrier_crowded), 1u);
  EXPECT_EQ(trace_.events()[12].op.value, 1u);
}

TEST_F(TranscriberTest, BeginsTheNextTraceWithWhatHolds) {
  a_.stamped(1, Kind::acquire, 0x50);
  a_.stamped(2, Kind::acquire_shared, 0x58);
  b_.stamped(3, Kind::barrier_init, 0x70, {2});
  b_.stamped(4, Kind::barrier_enter, 0x70);
  b_.stamped(5, Kind::send, 0x60);
  Merger merger(session_);
  merger.round(transcriber_);
  KeptTrace next;
  transcriber_.continue_in(next);
  a_.stamped(6, Kind::recv, 0x60);
  a_.stamped(7, Kind::release_shared, 0x58);
  a_.stamped(8, Kind::release, 0x50);
  a_.stamped(9, Kind::barrier_enter, 0x70);
  a_.stamped(10, Kind::barrier_exit, 0x70);
  b_.stamped(11, Kind::barrier_exit, 0x70);
  merger.finish(transcriber_);
  transcriber_.flush();
  EXPECT_EQ(trace_.faults(), "");
  EXPECT_EQ(next.faults(), "");
  EXPECT_EQ(next.text(), "0:acq 0  0:racq 1  1:enter 0  0:rrel 1  0:rel 0  0:enter 0  0:exit 0  1:exit 0");
}

TEST_F(TranscriberTest, StartsAnewWithAnotherProgram) {
  a_.stamped(1, Kind::begin, 0);
  a_.stamped(2, Kind::acquire, 0x50);
  a_.put(Kind::write, 0x10000, 8);
  b_.stamped(3, Kind::begin, 0, {}, 1);
  b_.stamped(4, Kind::acquire, 0x50);
  b_.put(Kind::write, 0x10000, 8);
  transcribe();
  EXPECT_EQ(trace_.text(), "0:begin  0:acq 0  0:w 0  1:begin  1:acq 1  1:w 8192");
}

TEST_F(TranscriberTest, KeepsWholeBlocksOfManyEvents) {
  a_.position(1);
  constexpr std::uint64_t kMany = 5 * kBlockEvents + 3;
  for (std::uint64_t i = 0; i < kMany; ++i) a_.put(Kind::write, 0x10000 + 8 * (i % 100), 8, 0x1000 + i % 7);
  transcribe();
  ASSERT_EQ(trace_.events().size(), kMany);
  EXPECT_EQ(transcriber_.events(), kMany);
  EXPECT_EQ(trace_.events()[50].object, 50u);
  EXPECT_EQ(trace_.events()[kBlockEvents + 50].op.site, trace_.events()[kBlockEvents + 57].op.site);
}

TEST_F(TranscriberTest, LeavesOutAccessesThatMayRace) {
  a_.stamped(1, Kind::benign, 0x10008, {4});
  a_.position(2);
  a_.put(Kind::write, 0x10000, 8);
  a_.put(Kind::write, 0x1000a, 4);
  a_.put(Kind::read, 0x1000c, 4);
  a_.stamped(2, Kind::read_range, 0x10000, {16});
  a_.stamped(3, Kind::atomic_load, 0x10008, {}, 4);
  transcribe();
  EXPECT_EQ(trace_.text(), "0:w 0  0:r 1  0:aload 1");
  EXPECT_EQ(lost(Loss::benign), 2u);
}

TEST_F(TranscriberTest, ForgetsThatMemoryMayRaceWhenItIsNew) {
  a_.stamped(1, Kind::benign, 0x10008, {4});
  a_.stamped(2, Kind::alloc, 0x10000, {64});
  a_.position(3);
  a_.put(Kind::write, 0x10008, 4);
  transcribe();
  EXPECT_EQ(lost(Loss::benign), 0u);
}

TEST_F(TranscriberTest, TellsOnlyWhatWasInUseOfAThreadsStackThatItIsNew) {
  a_.position(1);
  a_.put(Kind::write, 0x30008, 8);
  b_.stamped(2, Kind::fresh, 0x10000, {0x40000});
  transcribe();
  ASSERT_EQ(trace_.text(), "0:w 1  1:alloc 0");
  EXPECT_EQ(trace_.events()[1].op.value, 65536u);
}

TEST_F(TranscriberTest, KeepsAccessesOfTheScopeAndAllSynchronisation) {
  session_->modules[0].begin = 0x400000;
  session_->modules[0].end = 0x500000;
  session_->modules[0].bias = 0x400000;
  session_->modules_used = 1;
  a_.stamped(1, Kind::modules, 1);
  std::vector<std::uint64_t> asked;
  Transcriber scoped(*session_, trace_, [&](std::string_view, std::string_view, std::uint64_t address) {
    asked.push_back(address);
    return address < 0x100;
  });
  a_.position(2);
  for (const std::uint64_t code : {0x400010, 0x400200, 0x400010, 0x400200}) {
    a_.raw(runtime::what_word(Kind::write, 0x10000, 4), runtime::code_word(code));
  }
  a_.raw(runtime::what_word(Kind::write_range, 0x10000), runtime::code_word(0x400200));
  a_.raw(100, runtime::code_word(0));
  a_.stamped(3, Kind::acquire, 0x77);
  Merger merger(session_);
  merger.finish(scoped);
  scoped.flush();
  EXPECT_EQ(trace_.text(), "0:w 0  0:w 0  0:acq 0");
  EXPECT_EQ(scoped.losses().count(Loss::out_of_scope), 3u);
  EXPECT_EQ(asked, (std::vector<std::uint64_t>{0x10, 0x200}));
}

}  // namespace
}  // namespace deadheat::record
