#include "order/locksets.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <vector>

namespace deadheat::order {
namespace {

using Modes = std::map<std::uint32_t, std::uint32_t>;  // by lock

// Sets made by a random way of taking and giving up locks, beside what they should be.
struct Made {
  Locksets sets;
  std::vector<LocksetId> ids{LocksetId::empty};
  std::vector<Modes> modes{{}};
};

LockId any_lock() {
  // Few, so that they meet again; near and far, so that tries branch at all bits.
  const auto n = *rc::gen::inRange<std::uint32_t>(0, 12);
  return LockId{n < 6 ? n : n << *rc::gen::element(3u, 28u)};
}

void take_steps(Made& made, int steps) {
  for (int i = 0; i < steps; ++i) {
    const auto from = *rc::gen::inRange<std::size_t>(0, made.ids.size());
    const LockId l = any_lock();
    const auto mode = *rc::gen::element(Locksets::exclusive, Locksets::shared);
    Modes modes = made.modes[from];
    if (*rc::gen::inRange(0, 3) > 0) {
      made.ids.push_back(made.sets.with(made.ids[from], l, mode));
      modes[index(l)] |= mode;
    } else {
      made.ids.push_back(made.sets.without(made.ids[from], l, mode));
      modes[index(l)] &= ~mode;
      if (modes[index(l)] == 0) modes.erase(index(l));
    }
    made.modes.push_back(modes);
  }
}

bool keep_apart(const Modes& a, const Modes& b) {
  for (const auto& [lock, modes] : a) {
    if (b.contains(lock) && ((modes | b.at(lock)) & Locksets::exclusive) != 0) return true;
  }
  return false;
}
bool implies(const Modes& b, const Modes& a) {
  for (const auto& [lock, modes] : a) {
    if (!b.contains(lock) || (modes & ~b.at(lock) & Locksets::exclusive) != 0) return false;
  }
  return true;
}
Modes common(const Modes& a, const Modes& b) {
  Modes found;
  for (const auto& [lock, modes] : a) {
    if (b.contains(lock) && (modes & b.at(lock)) != 0) found[lock] = modes & b.at(lock);
  }
  return found;
}
Modes locks_of(const Locksets& sets, LocksetId id) {
  Modes found;
  sets.for_each(id, [&](LockId l, std::uint32_t modes) { found[index(l)] = modes; });
  return found;
}

TEST(Locksets, AreWhatWasTakenAndNotGivenUp) {
  EXPECT_TRUE(rc::check([] {
    Made made;
    take_steps(made, 60);
    for (std::size_t i = 0; i < made.ids.size(); ++i)
      RC_ASSERT(locks_of(made.sets, made.ids[i]) == made.modes[i]);
  }));
}

TEST(Locksets, HaveEqualNumbersIfAndOnlyIfTheyAreEqual) {
  EXPECT_TRUE(rc::check([] {
    Made made;
    take_steps(made, 60);
    for (std::size_t i = 0; i < made.ids.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        RC_ASSERT((made.ids[i] == made.ids[k]) == (made.modes[i] == made.modes[k]));
      }
    }
  }));
}

TEST(Locksets, AreComparedLockByLock) {
  EXPECT_TRUE(rc::check([] {
    Made made;
    take_steps(made, 40);
    for (std::size_t i = 0; i < made.ids.size(); ++i) {
      for (std::size_t k = 0; k < made.ids.size(); ++k) {
        const Modes &a = made.modes[i], &b = made.modes[k];
        RC_ASSERT(made.sets.keep_apart(made.ids[i], made.ids[k]) == keep_apart(a, b));
        RC_ASSERT(made.sets.implies(made.ids[i], made.ids[k]) == implies(a, b));
        RC_ASSERT(locks_of(made.sets, made.sets.common(made.ids[i], made.ids[k])) == common(a, b));
      }
    }
  }));
}

// n sets of up to n locks, which as lists would be n * n / 2 entries.
TEST(Locksets, TakeLittleMemoryWhenManyLocksAreHeld) {
  constexpr std::uint32_t kLocks = 20'000;
  for (const bool upwards : {true, false}) {
    Locksets sets;
    LocksetId held = LocksetId::empty;
    for (std::uint32_t i = 0; i < kLocks; ++i) {
      held = sets.with(held, LockId{upwards ? i : kLocks - i}, Locksets::exclusive);
    }
    EXPECT_LT(sets.bytes(), 3000u * kLocks);
  }
}

}  // namespace
}  // namespace deadheat::order
