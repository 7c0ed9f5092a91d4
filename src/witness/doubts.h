// What a part of the trace cannot tell of a gap: whether it may have read, or written, a byte. It may if all
// that conflicts with that is ordered with the gap by happens-before, from the alloc of the memory on to the
// next alloc of it.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "deadheat/event.h"
#include "witness/happens_before.h"

namespace deadheat::witness {

struct Doubt {
  enum class Of : std::uint8_t { reading, writing };
  std::uint64_t gap = 0;  // event
  ThreadId thread{};      // its
  std::uint64_t byte = 0;
  Of of = Of::reading;
};

// To be shown the whole trace, in order.
class Doubts {
 public:
  explicit Doubts(std::vector<Doubt> doubts);

  void see(std::uint64_t number, const Event& event);
  // By doubt: the gap may have done that.
  const std::vector<bool>& confirmed() const { return confirmed_; }

 private:
  // What was done to a byte since it was allocated: by thread, the last event and one; 0: none.
  struct Byte {
    std::unordered_map<std::uint32_t, std::uint64_t> writes, accesses;
    std::vector<std::size_t> open;  // doubts whose gap was seen, and no alloc since
  };

  void reach(std::uint64_t gap);
  void access(std::uint64_t number, const Event& event, std::uint64_t byte, Byte& of);

  std::vector<Doubt> doubts_;
  std::vector<bool> confirmed_;
  std::vector<std::size_t> waiting_;  // by gap, the first last
  std::unordered_map<std::uint64_t, Byte> bytes_;
  std::vector<std::uint64_t> asked_;  // those bytes, in order
  HappensBefore order_;
};

}  // namespace deadheat::witness
