// The clocks of sampling engines, and the rules of happens-before, with memory of a fixed size, as in a
// runtime: no heap, no exceptions, no library.
#include "clock/copied_clocks.h"
#include "clock/fresh_clocks.h"
#include "clock/interned_clocks.h"
#include "clock/ordered_list.h"
#include "clock/versioned_clocks.h"
#include "order/rules.h"

using namespace deadheat;
using namespace deadheat::clock;

namespace {

class Slots {
 public:
  void* get(std::size_t) { return slots_[used_++ % kSlots]; }
  void put(void*, std::size_t) {}
  static std::size_t bytes() { return sizeof(slots_); }

 private:
  static constexpr std::size_t kSlots = 64;
  alignas(64) unsigned char slots_[kSlots][2048];
  std::size_t used_ = 0;
};

template <class Clocks>
Time exercise(Clocks& clocks) {
  typename Clocks::Own a, b;
  typename Clocks::Message lock, other;
  clocks.reserve(16);
  clocks.start(a, ThreadId{0});
  clocks.start(b, ThreadId{1});
  a.time.sampled = 1;
  clocks.release(lock, a, ThreadId{0}, 2);
  clocks.join(b, ThreadId{1}, 3, lock);
  clocks.assign(other, b, ThreadId{1}, 4);
  clocks.add(lock, b, ThreadId{1}, 5);
  clocks.add(lock, other);
  clocks.assign(other, lock);
  clocks.widen(a);
  const Time known = clocks.get(b, ThreadId{0}) + clocks.work().operations() + clocks.bytes();
  clocks.clear(lock);
  clocks.clear(other);
  clocks.bury(a);
  clocks.bury(b);
  return known;
}

template <class Clocks>
Time exercise_rules(Clocks& clocks) {
  using Rules = order::Rules<Clocks>;
  typename Rules::Thread a, b;
  typename Rules::Lock lock;
  typename Rules::Generation generation;
  typename Clocks::Message seen;
  clocks.reserve(16);
  clocks.start(a.clock, ThreadId{0});
  clocks.start(b.clock, ThreadId{1});
  a.clock.time.sampled = 1;
  Rules::acquire(clocks, {a, ThreadId{0}, 2}, lock);
  Rules::release(clocks, {a, ThreadId{0}, 3}, lock);
  Rules::acquire_shared(clocks, {b, ThreadId{1}, 4}, lock);
  Rules::release_shared(clocks, {b, ThreadId{1}, 5}, lock);
  Rules::enter(clocks, {a, ThreadId{0}, 6}, generation);
  Rules::leave(clocks, {a, ThreadId{0}, 7}, generation);
  Rules::fence(clocks, {a, ThreadId{0}, 8}, MemoryOrder::acq_rel);
  Rules::atomic_load(clocks, {a, ThreadId{0}, 9}, MemoryOrder::relaxed, seen);
  Rules::atomic_write(clocks, {a, ThreadId{0}, 10}, EventKind::atomic_store, MemoryOrder::release, seen);
  Rules::bury(clocks, {a, ThreadId{0}, 11});
  Rules::join(clocks, {b, ThreadId{1}, 12}, a.ended);
  return clocks.get(b.clock, ThreadId{0});
}

}  // namespace

extern "C" Time freestanding_clocks(void* memory) {
  auto* const so = static_cast<VersionedClocks<OrderedList, Slots>*>(memory);
  auto* const pacer = static_cast<VersionedClocks<TimeVector, Slots>*>(memory);
  auto* const si = static_cast<InternedClocks<Slots>*>(memory);
  auto* const su = static_cast<FreshClocks<Slots>*>(memory);
  auto* const st = static_cast<CopiedClocks<Slots>*>(memory);
  return exercise(*so) + exercise(*pacer) + exercise(*su) + exercise(*st) + exercise(*si) +
         exercise_rules(*so) + exercise_rules(*su) + exercise_rules(*st) + exercise_rules(*si);
}
