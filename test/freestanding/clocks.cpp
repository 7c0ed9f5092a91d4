// The clocks of sampling engines with memory of a fixed size, as in a runtime: no heap, no exceptions, no
// library.
#include "clock/copied_clocks.h"
#include "clock/fresh_clocks.h"
#include "clock/ordered_list.h"
#include "clock/versioned_clocks.h"

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

}  // namespace

extern "C" Time freestanding_clocks(void* memory) {
  auto* const so = static_cast<VersionedClocks<OrderedList, Slots>*>(memory);
  auto* const pacer = static_cast<VersionedClocks<TimeVector, Slots>*>(memory);
  auto* const su = static_cast<FreshClocks<Slots>*>(memory);
  auto* const st = static_cast<CopiedClocks<Slots>*>(memory);
  return exercise(*so) + exercise(*pacer) + exercise(*su) + exercise(*st);
}
