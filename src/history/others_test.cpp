#include "history/others.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>

namespace deadheat::history {
namespace {

using Key = std::pair<std::uint32_t, EventKind>;

std::map<Key, std::uint64_t> contents(const Others& others) {
  std::map<Key, std::uint64_t> found;
  others.for_each([&](const Met& met) {
    const bool fresh = found.insert({{index(met.epoch.thread()), met.kind}, met.epoch.time()}).second;
    RC_ASSERT(fresh);
  });
  return found;
}

TEST(Others, KeepsTheLastAccessOfEachThreadAndKind) {
  EXPECT_TRUE(rc::check([] {
    constexpr EventKind kKinds[] = {EventKind::read, EventKind::write, EventKind::atomic_load,
                                    EventKind::free};
    Others* others = Others::make();
    std::map<Key, std::uint64_t> plain;
    const auto steps = *rc::gen::inRange<std::uint64_t>(1, 200);
    for (std::uint64_t time = 1; time <= steps; ++time) {
      const auto t = *rc::gen::inRange<std::uint32_t>(0, 40);
      const EventKind kind = kKinds[*rc::gen::inRange<std::size_t>(0, 4)];
      if (*rc::gen::inRange(0, 20) == 0) {
        others->keep_if([&](const Met& met) { return index(met.epoch.thread()) >= t; });
        std::erase_if(plain, [&](const auto& entry) { return entry.first.first < t; });
        if (others->empty()) {
          Others::destroy(others);
          others = Others::make();
        }
      } else {
        others = others->put({clock::Epoch(ThreadId{t}, time), SiteId{}, kind});
        plain[{t, kind}] = time;
      }
      RC_ASSERT(contents(*others) == plain);
      bool writes = false;
      for (const auto& entry : plain)
        writes |= entry.first.second == EventKind::write || entry.first.second == EventKind::free;
      RC_ASSERT(others->any_write() == writes);
      RC_ASSERT(others->any_plain() == std::ranges::any_of(plain, [](const auto& entry) {
                  return entry.first.second != EventKind::atomic_load;
                }));
    }
    Others* const copy = others->clone();
    RC_ASSERT(contents(*copy) == plain);
    Others::destroy(copy);
    Others::destroy(others);
  }));
}

}  // namespace
}  // namespace deadheat::history
