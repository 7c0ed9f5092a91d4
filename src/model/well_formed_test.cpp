#include "model/well_formed.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "model/mend.h"
#include "oracle/blocks.h"
#include "oracle/random_trace.h"
#include "oracle/well_formed_oracle.h"

namespace deadheat::model {
namespace {

using oracle::for_each_block;
using Trace = std::vector<Event>;
using K = EventKind;

Event make(std::uint32_t t, K kind, std::uint32_t object = 0, std::uint64_t value = 0) {
  return {ThreadId{t}, {.kind = kind, .value = value}, object};
}

WellFormed check(const Trace& trace, std::size_t block = 7) {
  WellFormed w;
  for_each_block(trace, block, [&](const BlockView& view) { w.feed(view); });
  return w;
}

std::vector<std::string> found(const Trace& trace) {
  std::vector<std::string> out;
  for (const std::size_t block : {1, 2, 3, 100}) {
    const WellFormed w = check(trace, block);
    std::vector<std::string> now;
    for (const Violation& v : w.kept()) {
      now.push_back(std::to_string(v.at.number) + " " + std::string(name_of(v.rule)) +
                    (v.other ? " " + std::to_string(v.other->number) : ""));
    }
    if (block > 1) {
      EXPECT_EQ(now, out) << "blocks of " << block;
    }
    out = now;
  }
  return out;
}

using Faults = std::vector<std::string>;

TEST(WellFormed, ALockIsHeldByOneWriterOrByReaders) {
  EXPECT_EQ(found({make(0, K::acquire), make(1, K::acquire)}), Faults{"1 lock-held 0"});
  EXPECT_EQ(found({make(0, K::acquire), make(1, K::acquire_shared)}), Faults{"1 lock-held 0"});
  EXPECT_EQ(found({make(0, K::acquire_shared), make(1, K::acquire_shared), make(2, K::acquire)}),
            Faults{"2 lock-held 0"});
  EXPECT_EQ(found({make(0, K::acquire_shared), make(0, K::acquire)}), Faults{"1 lock-upgrade 0"});
  EXPECT_EQ(found({make(0, K::acquire_shared), make(1, K::acquire_shared), make(0, K::acquire)}),
            Faults{"2 lock-held 1"});
}

TEST(WellFormed, TheWriterMayReadAndReenter) {
  EXPECT_EQ(found({make(0, K::acquire), make(0, K::acquire), make(0, K::acquire_shared), make(0, K::release),
                   make(0, K::release), make(1, K::acquire_shared), make(0, K::release_shared),
                   make(1, K::release_shared), make(2, K::acquire)}),
            Faults{});
}

TEST(WellFormed, AReleaseSaysWhetherNobodyOrWhoHoldsTheLock) {
  EXPECT_EQ(found({make(0, K::release)}), Faults{"0 release-free"});
  EXPECT_EQ(found({make(0, K::acquire), make(1, K::release)}), Faults{"1 release-other 0"});
  EXPECT_EQ(found({make(0, K::acquire), make(0, K::release_shared)}), Faults{"1 release-other 0"});
  EXPECT_EQ(found({make(0, K::acquire_shared), make(1, K::release_shared)}), Faults{"1 release-other 0"});
}

TEST(WellFormed, ALostReleaseIsOneViolationHoweverOftenTheLockIsUsedAfterwards) {
  Trace trace = {make(0, K::acquire)};
  for (std::uint32_t i = 0; i < 1000; ++i) {
    trace.push_back(make(i % 5 + 1, K::acquire));
    trace.push_back(make(i % 5 + 1, K::release));
  }
  EXPECT_EQ(check(trace).total(), 1u);
}

TEST(WellFormed, TheReleaseOfARobbedThreadIsLetPassOnce) {
  EXPECT_EQ(found({make(0, K::acquire), make(1, K::acquire), make(0, K::release), make(0, K::release)}),
            (Faults{"1 lock-held 0", "3 release-other 1"}));
  EXPECT_EQ(found({make(0, K::acquire_shared), make(1, K::acquire), make(0, K::release_shared),
                   make(1, K::release), make(0, K::release_shared)}),
            (Faults{"1 lock-held 0", "4 release-free"}));
}

TEST(WellFormed, AThreadStartsAfterItsForkAndIsForkedOnce) {
  EXPECT_EQ(found({make(0, K::fork, 0)}), Faults{"0 fork-self"});
  EXPECT_EQ(found({make(0, K::fork, 1), make(2, K::fork, 1)}), Faults{"1 fork-twice 0"});
  EXPECT_EQ(found({make(0, K::fork, 1), make(0, K::read), make(0, K::fork, 1)}), Faults{"2 fork-twice 0"});
  EXPECT_EQ(found({make(0, K::fork, 1), make(0, K::fork, 1)}), Faults{"1 fork-repeated 0"});
  EXPECT_EQ(found({make(1, K::read), make(0, K::fork, 1)}), Faults{"1 fork-late 0"});
  EXPECT_EQ(found({make(0, K::join, 1), make(0, K::fork, 1)}), Faults{"1 fork-joined 0"});
  EXPECT_EQ(found({make(3, K::read), make(0, K::fork, 1), make(1, K::begin), make(1, K::read),
                   make(1, K::end), make(0, K::join, 1), make(2, K::join, 1), make(0, K::join, 7)}),
            Faults{});
}

TEST(WellFormed, NothingFollowsAJoinOrAnEnd) {
  EXPECT_EQ(found({make(0, K::join, 0)}), Faults{"0 join-self"});
  EXPECT_EQ(found({make(1, K::read), make(0, K::join, 1), make(1, K::read), make(1, K::write)}),
            Faults{"2 after-join 1"});
  EXPECT_EQ(found({make(1, K::read), make(1, K::end), make(1, K::read), make(1, K::read)}),
            Faults{"2 after-end 1"});
  EXPECT_EQ(found({make(1, K::read), make(1, K::end), make(0, K::read), make(1, K::acquire)}),
            Faults{"3 after-end 1"});
  EXPECT_EQ(found({make(1, K::end), make(1, K::end), make(1, K::end)}),
            (Faults{"1 after-end 0", "2 after-end 1"}));
}

TEST(WellFormed, ABeginIsTheFirstEventAndTheOnlyOne) {
  EXPECT_EQ(found({make(0, K::begin), make(0, K::begin)}), Faults{"1 begin-twice 0"});
  EXPECT_EQ(found({make(0, K::read), make(0, K::begin)}), Faults{"1 begin-late 0"});
}

TEST(WellFormed, AThreadIdUsedAgainIsOneViolationALife) {
  EXPECT_EQ(found({make(0, K::fork, 1), make(1, K::begin), make(1, K::end), make(0, K::join, 1),
                   make(0, K::fork, 1), make(1, K::begin), make(1, K::read), make(1, K::end)}),
            Faults{"4 fork-twice 0"});
}

TEST(WellFormed, AReceiveHasAnEarlierSend) {
  EXPECT_EQ(found({make(0, K::recv, 1), make(0, K::send, 1), make(0, K::recv, 1)}), Faults{"0 recv-unsent"});
}

TEST(WellFormed, BarriersAreEnteredAndLeftByGeneration) {
  const auto in = [](std::uint32_t t, std::uint64_t g) { return make(t, K::barrier_enter, 0, g); };
  const auto out = [](std::uint32_t t, std::uint64_t g) { return make(t, K::barrier_exit, 0, g); };
  EXPECT_EQ(found({in(0, 0), in(1, 0), out(1, 0), in(1, 1), out(0, 0), in(0, 1), out(0, 1), out(1, 1)}),
            Faults{});
  EXPECT_EQ(found({out(0, 0)}), Faults{"0 barrier-exit"});
  EXPECT_EQ(found({in(0, 0), out(0, 1)}), Faults{"1 barrier-exit 0"});
  EXPECT_EQ(found({in(0, 0), in(0, 1)}), Faults{"1 barrier-inside 0"});
  EXPECT_EQ(found({in(0, 1), out(0, 1), in(0, 0)}), Faults{"2 barrier-back 0"});
  EXPECT_EQ(found({in(0, 0), out(0, 0), in(1, 0)}), Faults{"2 barrier-closed 1"});
  EXPECT_EQ(found({in(0, 3), out(0, 3), in(1, 0), out(1, 0), in(1, 1), out(1, 1), in(2, 2)}),
            Faults{"2 barrier-closed 1"});
}

TEST(WellFormed, OrdersAndAttributesFitTheOperation) {
  const auto atomic = [](K kind, MemoryOrder order) {
    return Event{ThreadId{0}, {.kind = kind, .order = order}, 0};
  };
  for (std::size_t o = 0; o < kMemoryOrders; ++o) {
    const auto order = static_cast<MemoryOrder>(o);
    const bool load = order != MemoryOrder::release && order != MemoryOrder::acq_rel;
    const bool store =
        order == MemoryOrder::relaxed || order == MemoryOrder::release || order == MemoryOrder::seq_cst;
    EXPECT_EQ(check({atomic(K::atomic_load, order)}).ok(), load);
    EXPECT_EQ(check({atomic(K::atomic_store, order)}).ok(), store);
    EXPECT_TRUE(check({atomic(K::atomic_rmw, order)}).ok());
    EXPECT_TRUE(check({atomic(K::fence, order)}).ok());
  }
  EXPECT_EQ(found({{ThreadId{0}, {.kind = K::read, .offset = 8}, 0}}), Faults{"0 attribute"});
  EXPECT_EQ(found({{ThreadId{0}, {.kind = K::read, .value = kMaxAccessBytes + 1}, 0}}),
            Faults{"0 attribute"});
  EXPECT_EQ(found({{ThreadId{0}, {.kind = static_cast<K>(77)}, 0}}), Faults{"0 attribute"});
  EXPECT_EQ(found({{ThreadId{0}, {.kind = K::acquire, .offset = 1}, 0}}), Faults{"0 stray"});
  EXPECT_EQ(found({{ThreadId{0}, {.kind = K::fence}, 5}}), Faults{"0 stray"});
}

TEST(WellFormed, KeepsSoManyAndCountsTheRest) {
  const Trace trace(1000, make(0, K::release));
  WellFormed w(3);
  for_each_block(trace, 100, [&](const BlockView& view) { w.feed(view); });
  EXPECT_EQ(w.kept().size(), 3u);
  EXPECT_EQ(w.total(), 1000u);
  EXPECT_EQ(w.total(Rule::release_free), 1000u);
}

TEST(WellFormed, SaysItWithNames) {
  Names names;
  names.threads.add("main");
  names.threads.add("worker");
  names.locks.add("queue");
  const auto say = [&](const Trace& trace) { return describe(check(trace).kept()[0], names); };
  EXPECT_EQ(say({make(0, K::acquire_shared), make(1, K::acquire)}),
            "worker acquires queue while main holds it as a reader");
  EXPECT_EQ(say({make(0, K::release)}), "main releases queue, which nobody holds");
  EXPECT_EQ(say({make(0, K::acquire_shared), make(0, K::release)}),
            "main releases queue as the writer, which it holds as a reader");
  EXPECT_EQ(say({make(1, K::read), make(0, K::join, 1), make(1, K::read)}),
            "worker acts after main joined it");
  EXPECT_EQ(
      say({make(0, K::barrier_enter, 2, 4), make(0, K::barrier_exit, 2, 4), make(1, K::barrier_enter, 2, 4)}),
      "worker enters B2 (generation 4) after main left generation 4");
}

std::set<Rule> rules_at(const WellFormed& w, std::uint64_t event) {
  std::set<Rule> rules;
  for (const Violation& v : w.kept()) {
    if (v.at.number == event) rules.insert(v.rule);
  }
  return rules;
}

void agrees_with_the_oracle(const Trace& trace) {
  const auto expected = oracle::first_fault(trace);
  const WellFormed w = check(trace, *rc::gen::inRange<std::size_t>(1, 20));
  RC_ASSERT(w.ok() == !expected.has_value());
  if (!expected) return;
  RC_ASSERT(w.kept()[0].at.number == expected->event);
  RC_ASSERT(rules_at(w, expected->event) == expected->rules);
}

TEST(WellFormed, AgreesWithTheOracleOnRandomEvents) {
  EXPECT_TRUE(rc::check([] {
    for (int k = 0; k < 30; ++k) {
      const auto n = *rc::gen::inRange<std::size_t>(0, 12);
      Trace trace;
      for (std::size_t i = 0; i < n; ++i) trace.push_back(oracle::random_event());
      agrees_with_the_oracle(trace);
    }
  }));
}

TEST(WellFormed, AgreesWithTheOracleOnWellFormedTracesAndTheirMutants) {
  EXPECT_TRUE(rc::check([] {
    for (int k = 0; k < 10; ++k) {
      Trace trace = oracle::random_well_formed(*rc::gen::inRange<std::size_t>(0, 150));
      RC_ASSERT(check(trace).ok());
      const int mutations = *rc::gen::inRange(1, 4);
      for (int i = 0; i < mutations; ++i) trace = oracle::mutate(std::move(trace));
      agrees_with_the_oracle(trace);
    }
  }));
}

// Blocks in which only locks and accesses happen are fed in a quicker way.
TEST(WellFormed, ToKnowWhichEventsAreNotPlainChangesNothing) {
  EXPECT_TRUE(rc::check([] {
    for (int k = 0; k < 10; ++k) {
      Trace trace = oracle::random_well_formed(*rc::gen::inRange<std::size_t>(0, 150));
      if (*rc::gen::arbitrary<bool>()) trace = oracle::mutate(std::move(trace));
      WellFormed slow, quick;
      std::vector<std::uint32_t> slow_inner, quick_inner;
      for_each_block(trace, *rc::gen::inRange<std::size_t>(1, 8), [&](const BlockView& view) {
        std::vector<std::uint16_t> others;
        for (std::uint16_t i = 0; i < view.size(); ++i) {
          const EventKind kind = view[i].op.kind;
          if (kind != EventKind::read && kind != EventKind::write) others.push_back(i);
        }
        slow.feed(view);
        quick.feed(view, others);
        slow_inner.insert(slow_inner.end(), slow.inner().begin(), slow.inner().end());
        quick_inner.insert(quick_inner.end(), quick.inner().begin(), quick.inner().end());
        RC_ASSERT(slow.faults().size() == quick.faults().size());
      });
      RC_ASSERT(slow_inner == quick_inner);
      RC_ASSERT(slow.total() == quick.total());
      for (std::size_t i = 0; i < slow.kept().size(); ++i) {
        RC_ASSERT(slow.kept()[i].rule == quick.kept()[i].rule);
        RC_ASSERT(slow.kept()[i].at.number == quick.kept()[i].at.number);
      }
    }
  }));
}

TEST(WellFormed, TellsWhichLockEventsAreInner) {
  const Op acquire{.kind = EventKind::acquire}, release{.kind = EventKind::release};
  const Op shared{.kind = EventKind::acquire_shared}, unshared{.kind = EventKind::release_shared};
  Trace trace;
  for (const Op& op : {acquire, acquire, shared, shared, unshared, release, unshared, release}) {
    trace.push_back({ThreadId{0}, op, 0});
  }
  model::BlockBuilder builder(16);
  for (const Event& event : trace) builder.append(event);
  WellFormed rules;
  rules.feed(builder.view(0));
  EXPECT_TRUE(rules.ok());
  EXPECT_EQ(std::vector<std::uint32_t>(rules.inner().begin(), rules.inner().end()),
            (std::vector<std::uint32_t>{1, 3, 4, 5}));
}

// One event more, less, or in another thread upsets the lock or the thread that it is about, not the rest.
TEST(WellFormed, AFaultDoesNotSpread) {
  EXPECT_TRUE(rc::check([] {
    const Trace trace = oracle::mutate(oracle::random_well_formed(*rc::gen::inRange<std::size_t>(0, 150)));
    std::uint64_t total = 0;
    const WellFormed w = check(trace);
    for (const Rule r : {Rule::lock_held, Rule::lock_upgrade, Rule::fork_twice, Rule::fork_late,
                         Rule::after_join, Rule::after_end, Rule::barrier_closed, Rule::begin_late}) {
      total += w.total(r);
    }
    RC_ASSERT(total <= 4);
  }));
}

Trace mend_all(const Trace& trace, Mender& mender) {
  Trace out;
  for_each_block(trace, 5, [&](const BlockView& view) {
    const BlockView left = mender.mend(view);
    EXPECT_EQ(left.first, out.size());
    oracle::append_to(out, left);
  });
  return out;
}

TEST(Mender, DropsWhatSaysNothing) {
  const Trace trace = {make(0, K::release), make(0, K::recv, 3),
                       make(0, K::begin),   make(0, K::end),
                       make(0, K::acquire), make(0, K::end),
                       make(0, K::release), {ThreadId{0}, {.kind = K::fork, .offset = 3, .value = 9}, 1},
                       make(0, K::end)};
  const WellFormed survey = check(trace);
  ASSERT_TRUE(can_mend(survey));
  Mender mender(survey);
  const Trace out = mend_all(trace, mender);
  EXPECT_EQ(out, (Trace{make(0, K::acquire), make(0, K::release), make(0, K::fork, 1), make(0, K::end)}));
  EXPECT_EQ(mender.mended(Rule::release_free), 1u);
  EXPECT_EQ(mender.mended(Rule::recv_unsent), 1u);
  EXPECT_EQ(mender.mended(Rule::begin_late), 1u);
  EXPECT_EQ(mender.mended(Rule::after_end), 2u);
  EXPECT_EQ(mender.mended(Rule::stray), 1u);
  EXPECT_EQ(mender.dropped(), 5u);
}

// As in the published trace of jigsaw, where every fork stands twice.
TEST(Mender, DropsAForkThatIsRepeated) {
  const Trace trace = {make(0, K::fork, 1), make(0, K::fork, 1), make(0, K::fork, 1), make(1, K::read)};
  const WellFormed survey = check(trace);
  ASSERT_TRUE(can_mend(survey));
  Mender mender(survey);
  EXPECT_EQ(mend_all(trace, mender), (Trace{make(0, K::fork, 1), make(1, K::read)}));
  EXPECT_EQ(mender.mended(Rule::fork_repeated), 2u);
  EXPECT_FALSE(can_mend(check({make(0, K::fork, 1), make(0, K::read), make(0, K::fork, 1)})));
}

TEST(Mender, RefusesWhereThereIsAChoice) {
  EXPECT_FALSE(can_mend(check({make(0, K::acquire), make(1, K::acquire)})));
  EXPECT_FALSE(can_mend(check({make(0, K::acquire), make(1, K::release)})));
  EXPECT_FALSE(can_mend(check({make(1, K::read), make(0, K::fork, 1)})));
  EXPECT_FALSE(can_mend(check({make(0, K::join, 1), make(1, K::read)})));
}

TEST(Mender, WhatItGivesIsWellFormed) {
  EXPECT_TRUE(rc::check([] {
    Trace trace = oracle::random_well_formed(*rc::gen::inRange<std::size_t>(0, 80));
    const int extra = *rc::gen::inRange(0, 6);
    for (int i = 0; i < extra; ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, trace.size() + 1);
      const K kind = *rc::gen::element(K::release, K::release_shared, K::recv, K::begin, K::end);
      const auto t = *rc::gen::inRange<std::uint32_t>(0, 4);
      const bool about = object_kind(kind) != ObjectKind::none;
      trace.insert(trace.begin() + static_cast<std::ptrdiff_t>(at), make(t, kind, about ? t % 2 : 0));
    }
    const WellFormed survey = check(trace);
    if (!can_mend(survey)) RC_DISCARD("not to be mended");
    Mender mender(survey);
    const Trace out = mend_all(trace, mender);
    RC_ASSERT(!oracle::first_fault(out).has_value());
    RC_ASSERT(out.size() + mender.dropped() == trace.size());
    if (survey.ok()) RC_ASSERT(out == trace);
  }));
}

}  // namespace
}  // namespace deadheat::model
