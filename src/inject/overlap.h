// Whether two events touch the same bytes of memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "deadheat/event.h"

namespace deadheat::inject {

struct Bytes {
  std::uint64_t begin, end;
};
inline Bytes bytes_of(const Event& e) {
  const std::uint64_t first = std::uint64_t{e.object} * kCellBytes + (e.op.value == 0 ? 0 : e.op.offset);
  return {first, first + (e.op.value == 0 ? kCellBytes : e.op.value)};
}
inline bool overlap(const Event& a, const Event& b) {
  if (!is_of_memory(a.op.kind) || !is_of_memory(b.op.kind)) {
    return false;
  }
  const Bytes x = bytes_of(a), y = bytes_of(b);
  return x.begin < y.end && y.begin < x.end;
}

}  // namespace deadheat::inject
